/** The /tools dialog: the tools of the conversation's agent. */
import { useQuery } from "@tanstack/react-query";
import { getJson } from "@/api/http";
import type { CatalogTool } from "@/api/types";
import { Dialog } from "@/ui/Dialog";
import { EFFECTS, type Effect, EffectChip } from "@/ui/effect";
import { EmptyState, Skeleton } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import type { ConversationDisplay } from "./display";

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

type ToolGroupsDialogProps = {
  listTools: NonNullable<ConversationDisplay["listTools"]>;
  onClose: () => void;
};

/** All tools of a conversation by group, with the source of each. */
export function ToolGroupsDialog({ listTools, onClose }: ToolGroupsDialogProps) {
  const t = useTranslate();
  const { data, error, isPending } = useQuery({
    queryKey: ["tools", "groups"],
    queryFn: listTools,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  return (
    <Dialog open onClose={onClose} title={t("tools")}>
      {isPending ? (
        <Skeleton />
      ) : error ? (
        <EmptyState icon="warn" title={error.message} />
      ) : (
        <div className="grid gap-4 px-5 pb-4">
          {data.map(({ group, tools }) => (
            <section key={group}>
              <h3 className="pb-1">
                <VisibleText text={group} />
              </h3>
              <ul className="divide-y divide-line-soft">
                {tools.map((tool) => (
                  <li key={tool.name} className="flex items-center gap-x-3 py-2">
                    <div className="min-w-0 grow">
                      <code className="font-medium">
                        <VisibleText text={tool.name} />
                      </code>
                      <p className="meta">
                        <VisibleText text={tool.description} />
                      </p>
                    </div>
                    <span className="meta whitespace-nowrap">
                      {t(`source.${tool.source}`)}
                      {tool.loaded && ` · ${t("toolLoaded")}`}
                    </span>
                    <EffectChip effect={parseEffect(tool.effect)} />
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </Dialog>
  );
}

/** An effect that this version does not know is shown as external, the one that people should look at. */
const parseEffect = (name: string): Effect => EFFECTS.find((one) => one === name) ?? "external";
