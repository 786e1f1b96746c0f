/** /tools: what the agent of this conversation has in its belt. */
import { useQuery } from "@tanstack/react-query";
import { get } from "@/api/http";
import type { CatalogTool } from "@/api/types";
import { Dialog } from "@/ui/Dialog";
import { EffectChip } from "@/ui/effect";
import { Bones, EmptyState } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { useSay } from "@/words/words";

export function ToolsDialog({ agent, onClose }: { agent: string; onClose: () => void }) {
  const say = useSay();
  const { data, isPending } = useQuery({
    queryKey: ["tools", agent],
    queryFn: async () =>
      (await get<{ tools: CatalogTool[] }>(`agents/${encodeURIComponent(agent)}/tools/catalog`)).tools,
    enabled: agent !== "",
    retry: false,
  });
  return (
    <Dialog open onClose={onClose} title={say("tools")}>
      {isPending && agent !== "" ? (
        <Bones />
      ) : !data || data.length === 0 ? (
        <EmptyState icon="settings" title={say("toolsEmpty")} />
      ) : (
        <ul className="divide-y divide-line-soft px-5 pb-4">
          {data.map((tool) => (
            <li key={tool.name} className="flex items-center gap-x-3 py-2">
              <div className="min-w-0 grow">
                <code className="font-medium">
                  <VisibleText text={tool.name} />
                </code>
                <p className="meta">
                  <VisibleText text={tool.description} />
                </p>
              </div>
              <EffectChip effect={tool.effect} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
