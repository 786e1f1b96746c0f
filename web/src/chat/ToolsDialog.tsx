/** The /tools dialog: the tools of the conversation's agent. */
import { useQuery } from "@tanstack/react-query";
import { getJson } from "@/api/http";
import type { CatalogTool } from "@/api/types";
import { Dialog } from "@/ui/Dialog";
import { EffectChip } from "@/ui/effect";
import { EmptyState, Skeleton } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";

export function ToolsDialog({ agent, onClose }: { agent: string; onClose: () => void }) {
  const t = useTranslate();
  const { data, isPending } = useQuery({
    queryKey: ["tools", agent],
    queryFn: async () =>
      (await getJson<{ tools: CatalogTool[] }>(`agents/${encodeURIComponent(agent)}/tools/catalog`)).tools,
    enabled: agent !== "",
    retry: false,
  });
  return (
    <Dialog open onClose={onClose} title={t("tools")}>
      {isPending && agent !== "" ? (
        <Skeleton />
      ) : !data || data.length === 0 ? (
        <EmptyState icon="settings" title={t("toolsEmpty")} />
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
