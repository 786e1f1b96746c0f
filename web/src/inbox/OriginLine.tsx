/** Who asks and where it would run, on one line. */
import type { ReactNode } from "react";
import type { Approval } from "@/api/types";
import { linkTo } from "@/shell/route";
import { Icon, type IconName } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";

export function OriginLine({ approval, title }: { approval: Approval; title?: string | null | undefined }) {
  const t = useTranslate();
  const { call, lineage, sub_agents: subAgents, cwd, owner } = approval;
  const started = [...lineage].reverse();
  const own = agentNameWithoutParent(call.agent, started.at(-1));
  return (
    <dl className="where">
      <OriginItem icon="agents" name={t("agent")}>
        {started.map((agent) => (
          <span key={agent}>
            <VisibleText text={agent} /> ›{" "}
          </span>
        ))}
        <b className="font-semibold text-ink">
          <VisibleText text={own || t("anyAgent")} />
        </b>
        {subAgents.map(({ id, kind }) => (
          <span key={id} title={id}>
            {" "}
            › <VisibleText text={kind || id} />
          </span>
        ))}
      </OriginItem>
      {approval.tool.origin.startsWith(UNDECLARED_ORIGIN) && (
        <OriginItem icon="warn" name={t("undeclaredTool")}>
          {t("undeclaredTool")}
        </OriginItem>
      )}
      {call.conversation && title !== null && (
        <OriginItem icon="chat" name={t("conversation")}>
          <a href={linkTo("chat", call.conversation)}>
            <VisibleText text={title || call.conversation} />
          </a>
        </OriginItem>
      )}
      {cwd && (
        <OriginItem icon="folder" name={t("runsIn")}>
          <code>
            <VisibleText text={cwd} />
          </code>
        </OriginItem>
      )}
      {owner && (
        <OriginItem icon="person" name={t("forWhom")}>
          <VisibleText text={owner} />
        </OriginItem>
      )}
    </dl>
  );
}

/** The start of the origin of a tool that the gate knows from calls only. */
const UNDECLARED_ORIGIN = "undeclared/";

/** The name of a sub-agent starts with its parent's name, which is already shown. */
const agentNameWithoutParent = (agent: string, parent: string | undefined) =>
  parent && agent.startsWith(`${parent}/`) ? agent.slice(parent.length + 1) : agent;

function OriginItem({ icon, name, children }: { icon: IconName; name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="sr-only">{name}</dt>
      <Icon name={icon} size="small" />
      <dd>{children}</dd>
    </div>
  );
}
