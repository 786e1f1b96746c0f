/** The status: whether the server, this page and its services can be reached. */
import { useQuery } from "@tanstack/react-query";
import { useAgentContext, useConnectionState } from "assent-sdk/react";
import type { ReactNode } from "react";
import { usePauseState } from "@/api/queries";
import { useConnectionStatus } from "@/live/status";
import { ModeName, parseMode } from "@/ui/effect";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { fetchReach } from "../api";
import { useHeldCalls } from "../dock/heldCalls";
import { useWorkbench } from "../services";

export const useReach = () =>
  useQuery({ queryKey: ["workbench"], queryFn: fetchReach, retry: false, staleTime: 60_000 });

export function StatusPane() {
  const t = useTranslate();
  const { connection, conversation } = useWorkbench();
  const page = useConnectionState(connection);
  const { online } = useConnectionStatus();
  const reach = useReach();
  const paused = usePauseState().data?.paused ?? false;
  const waiting = useHeldCalls(conversation.id).length;
  const offered = page.reviews.filter((one) => one.review !== "refused");
  const reviews = offered.filter((one) => one.review === "new" || one.review === "changed");
  const refused = page.reviews.length - offered.length;
  const reasons = new Set(page.reviews.flatMap((one) => (one.review === "refused" && one.reason) || []));
  useAgentContext(() => ({
    server: online ? "reachable" : "unreachable",
    page: page.status,
    version: reach.data?.version ?? null,
    tools: offered.length,
    files: reach.data?.files ?? null,
    terminal: reach.data?.terminal ?? null,
    waiting,
    paused,
  }));
  return (
    <div className="scroll grow p-3">
      <dl className="status-list">
        <Line name={t("status.agent")} tone={waiting > 0 ? "ask" : paused ? "ask" : ""}>
          {paused ? t("status.paused") : waiting > 0 ? t("status.waits") : t("status.works")}
        </Line>
        <Line name={t("status.server")} tone={online ? "run" : "deny"}>
          {t(online ? "status.reachable" : "status.unreachable")}
        </Line>
        <Line name={t("status.page")} tone={page.status === "ready" ? "run" : "ask"}>
          {t(`link.${page.status}`)}
        </Line>
        {page.problem && (
          <Line name={t("status.problem")} tone="deny">
            <VisibleText text={page.problem} />
          </Line>
        )}
        <Line name={t("status.tools")}>{t("nTools", { count: offered.length })}</Line>
        {reviews.length > 0 && (
          <Line name={t("status.unreviewed")} tone="ask">
            {t("nTools", { count: reviews.length })}
          </Line>
        )}
        {refused > 0 && (
          <Line name={t("status.refused")} tone="ask">
            {t("nTools", { count: refused })}
            {[...reasons].map((reason) => (
              <div key={reason}>
                <VisibleText text={reason} />
              </div>
            ))}
          </Line>
        )}
        <Line name={t("pane.files")}>{t(reach.data?.files ? "status.on" : "status.off")}</Line>
        <Line name={t("pane.terminal")}>{t(reach.data?.terminal ? "status.on" : "status.off")}</Line>
        <Line name={t("mode")}>
          <ModeName mode={parseMode(conversation.mode)} />
        </Line>
        {reach.data?.version && <Line name={t("status.version")}>{reach.data.version}</Line>}
      </dl>
    </div>
  );
}

function Line({ name, tone = "", children }: { name: string; tone?: string; children: ReactNode }) {
  return (
    <div className={tone ? `tone-${tone}` : ""}>
      <dt>{name}</dt>
      <dd className={tone ? "tinted font-semibold" : ""}>{children}</dd>
    </div>
  );
}
