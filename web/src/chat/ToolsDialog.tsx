/** The /tools dialog: the tools of the conversation's agent. */
import { useQuery } from "@tanstack/react-query";
import type { ToolGroup } from "assent-sdk";
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
        <div className="px-5 pb-4">
          <ToolList tools={data} />
        </div>
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
              <ToolList tools={tools} />
            </section>
          ))}
        </div>
      )}
    </Dialog>
  );
}

type ListedTool = {
  name: string;
  description: string;
  effect: string;
  source?: ToolGroup["tools"][number]["source"];
  loaded?: boolean;
};

/** Tools with their effects, and the sources of those that have one. */
function ToolList({ tools }: { tools: readonly ListedTool[] }) {
  const t = useTranslate();
  return (
    <ul className="divide-y divide-line-soft">
      {tools.map(({ name, description, effect, source, loaded }) => (
        <li key={name} className="flex items-center gap-x-3 py-2">
          <div className="min-w-0 grow">
            <code className="font-medium">
              <VisibleText text={name} />
            </code>
            <p className="meta">
              <VisibleText text={description} />
            </p>
          </div>
          {source && (
            <span className="meta whitespace-nowrap">
              {t(`source.${source}`)}
              {loaded && ` · ${t("toolLoaded")}`}
            </span>
          )}
          <EffectChip effect={parseEffect(effect)} />
        </li>
      ))}
    </ul>
  );
}

/** An effect that this version does not know is shown as external, the one that people should look at. */
const parseEffect = (name: string): Effect => EFFECTS.find((one) => one === name) ?? "external";
