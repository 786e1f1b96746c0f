/** Observability: the calls of the conversation, their verdicts, times and errors. */
import { useQuery } from "@tanstack/react-query";
import { useAgentContext } from "assent-sdk/react";
import { useEffect } from "react";
import { fetchNewestItems, refetchQueries } from "@/api/queries";
import type { AuditRow } from "@/api/types";
import { callSummaryLine } from "@/chat/ToolRow";
import { Button } from "@/ui/Button";
import { verdictIcon, verdictTone } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { formatTenths } from "@/words/time";
import { useLanguage } from "@/words/words";
import { HeldNumber } from "../dock/HeldNumber";
import { heldHeadline, useHeldCalls } from "../dock/heldCalls";
import { useWorkbench } from "../services";
import { type LoggedCall, medianDuration, useLoggedCalls } from "./callLog";

const MAX_REFUSALS = 100;
const MAX_CONTEXT_CALLS = 20;

/** Calls that the gate denied; they never reach the page. */
function useRefusals(conversation: string, changes: number) {
  const key = ["audit", "conversation", conversation, "refusals"];
  const { data } = useQuery({
    queryKey: key,
    queryFn: async () => (await fetchNewestItems<AuditRow>("audit", { conversation }, MAX_REFUSALS)).items,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each call that ends may be followed by a denial
  useEffect(() => void refetchQueries(key), [changes]);
  return (data ?? []).flatMap(({ entry }) =>
    entry.verdict === "deny" || entry.verdict === "absent" ? [entry] : [],
  );
}

export function CallsPane() {
  const { t, language } = useLanguage();
  const { calls: log, conversation } = useWorkbench();
  const calls = useLoggedCalls(log);
  const held = useHeldCalls(conversation.id);
  const refusals = useRefusals(conversation.id, calls.length + held.length);
  const failed = calls.filter((one) => one.error !== "");
  const median = medianDuration(calls);
  useAgentContext(() => ({
    calls: calls.length,
    errors: failed.length,
    waiting: held.length,
    denied: refusals.length,
    recent: calls.slice(0, MAX_CONTEXT_CALLS).map(({ tool, took, error }) => ({ tool, took, error })),
  }));
  const figures = [
    { label: t("figure.calls"), value: String(calls.length), tone: "" },
    { label: t("figure.waiting"), value: String(held.length), tone: held.length ? "tone-ask" : "" },
    { label: t("figure.failed"), value: String(failed.length), tone: failed.length ? "tone-deny" : "" },
    { label: t("figure.median"), value: median === null ? "–" : seconds(median, language), tone: "" },
  ];
  const longest = Math.max(1, ...calls.map((one) => one.took ?? 0));
  return (
    <>
      <dl className="figures">
        {figures.map(({ label, value, tone }) => (
          <div key={label} className={tone}>
            <dd className={tone ? "tinted" : ""}>{value}</dd>
            <dt>{label}</dt>
          </div>
        ))}
      </dl>
      <ol className="scroll call-list grow" aria-label={t("pane.calls")}>
        {held.map(({ approval, number }) => (
          <li key={approval.id} className="tone-ask">
            <Icon name="ask" size="small" className="tinted" />
            <code className="truncate">
              <VisibleText text={heldHeadline(approval)} />
            </code>
            <HeldNumber number={number} />
          </li>
        ))}
        {calls.map((one) => (
          <CallLine key={one.id} call={one} longest={longest} language={language} />
        ))}
        {refusals.map((entry) => (
          <li key={entry.call} className={verdictTone(entry.verdict === "deny" ? "deny" : "absent")}>
            <Icon name={verdictIcon("deny")} size="small" className="tinted" />
            <code className="truncate">
              <VisibleText text={entry.tool} />
            </code>
            <b className="tinted font-semibold">{t("denied")}</b>
          </li>
        ))}
        {calls.length + held.length + refusals.length === 0 && <li className="meta">{t("noCalls")}</li>}
      </ol>
      {calls.length > 0 && (
        <div className="border-t border-line px-2 py-1 text-right">
          <Button small look="quiet" onClick={log.clear}>
            {t("clearCalls")}
          </Button>
        </div>
      )}
    </>
  );
}

const seconds = (milliseconds: number, language: string) =>
  milliseconds < 100 ? `${milliseconds} ms` : formatTenths(milliseconds / 1000, language);

function CallLine({ call, longest, language }: { call: LoggedCall; longest: number; language: string }) {
  const { t } = useLanguage();
  const tone = call.error ? "tone-deny" : call.took === null ? "tone-quiet" : "tone-run";
  return (
    <li className={tone} title={call.error}>
      <Icon
        name={call.error ? "warn" : call.took === null ? "clock" : "run"}
        size="small"
        className="tinted"
      />
      <code className="truncate">
        <VisibleText text={callSummaryLine(call.tool, call.args as never)} />
      </code>
      {call.took === null ? (
        <span className="meta">{t("working")}</span>
      ) : (
        <>
          <span className="call-bar" aria-hidden="true">
            <i style={{ width: `${Math.max(4, (100 * call.took) / longest)}%` }} />
          </span>
          <span className={call.error ? "tinted font-semibold" : "meta"}>
            {call.error ? `${t("failed")} · ` : ""}
            {seconds(call.took, language)}
          </span>
        </>
      )}
    </li>
  );
}
