/** The details of a decision: the call if it is stored, and its audit rows in order. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { deleteJson } from "@/api/http";
import { fetchAllPages, queryKeys, refetchQueries, useApproval, usePendingQuestions } from "@/api/queries";
import type { ApprovalDetail, AuditRow } from "@/api/types";
import { ArgumentChanges } from "@/inbox/ArgumentChanges";
import { CallContentView } from "@/inbox/CallContentView";
import { callContentFromApproval, editedArguments } from "@/inbox/question";
import { useGrants, useRules } from "@/rules/ruleQueries";
import { linkTo } from "@/shell/route";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { StageReference } from "@/ui/stage";
import { Skeleton } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { formatDayAndTime } from "@/words/time";
import { useLanguage } from "@/words/words";
import { OutcomeCell, RuleText } from "./AuditEntry";

export function DecisionDetails({ row }: { row: AuditRow }) {
  const { t, language } = useLanguage();
  const { agent, conversation, call } = row.entry;
  const callRows = useQuery({
    queryKey: ["audit", "call", conversation, agent, call],
    queryFn: async () => {
      const rows = await fetchAllPages<AuditRow>("audit", {
        agent,
        conversation,
        order: "oldest",
        limit: 200,
      });
      return rows.filter((one) => one.entry.call === call);
    },
    enabled: call !== "",
  });
  const { data: pending } = usePendingQuestions();
  // A pending question has no audit row yet.
  const open = pending?.find(
    (one) => one.call.id === call && one.call.agent === agent && one.call.conversation === conversation,
  );
  const approvalId = callRows.data?.find((one) => one.entry.approval)?.entry.approval ?? open?.id ?? "";
  const { data: approval } = useApproval(approvalId);
  const rows = callRows.data ?? [row];
  const edited = approval && editedArguments(approval);
  return (
    <div className="grid gap-5 bg-sunken px-4 py-3.5 lg:grid-cols-[1.2fr_1fr]">
      <div className="min-w-0">
        {approval && Object.keys(approval.call.args).length > 0 ? (
          <>
            {edited ? (
              <ArgumentChanges approval={approval} ran={edited} />
            ) : (
              <CallContentView
                approval={approval}
                act={callContentFromApproval(approval)}
                whole={false}
                onShowAll={() => {}}
              />
            )}
            <p className="meta pt-2.5">
              <VisibleText text={`${approval.call.agent} · ${approval.cwd}`} /> ·{" "}
              <code>{approval.digest.slice(0, 12)}…</code>
            </p>
            <DecisionActions approval={approval} />
          </>
        ) : (
          <p className="meta">{t("notKept")}</p>
        )}
      </div>
      {callRows.isPending && call !== "" ? (
        <Skeleton />
      ) : (
        <ol className="grid content-start gap-2" aria-label={t("timeline")}>
          {rows.map((one) => (
            <li
              key={one.entry.id}
              className="grid grid-cols-[84px_max-content_minmax(0,1fr)] items-baseline gap-2.5 text-meta text-ink-2"
            >
              <time className="text-right text-ink-3 tabular-nums" dateTime={one.at}>
                {formatDayAndTime(one.at, language)}
              </time>
              <OutcomeCell entry={one.entry} />
              <span>
                {one.entry.verdict ? (
                  <>
                    <StageReference stage={one.entry.stage} />{" "}
                    {one.entry.rule && <RuleText rule={one.entry.rule} />}
                  </>
                ) : (
                  <VisibleText text={`${one.entry.user} ${one.entry.reason && `“${one.entry.reason}”`}`} />
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** Actions for a decision: create a similar rule, or revoke what the answer saved. */
function DecisionActions({ approval }: { approval: ApprovalDetail }) {
  const { t } = useLanguage();
  const { data: rules = [] } = useRules();
  const { data: grants = [] } = useGrants();
  const revocable = [
    ...rules
      .filter((one) => one.approval === approval.id)
      .map((one) => ({ path: `rules/${one.id}`, text: one.text })),
    ...grants
      .filter((one) => one.approval === approval.id)
      .map((one) => ({ path: `grants/${one.id}`, text: one.pattern })),
  ];
  const revoke = useMutation({
    mutationFn: () => Promise.all(revocable.map((one) => deleteJson(one.path))),
    onSuccess: () => showToast(t("revoked"), "undo"),
    onError: (error) => showToast(error.message, "warn"),
    onSettled: () =>
      Promise.all([queryKeys.rules, queryKeys.grants].map((queryKey) => refetchQueries(queryKey))),
  });
  const rule = approval.suggestions[0]?.rules[0];
  return (
    <div className="flex flex-wrap gap-2 pt-2.5">
      {rule && approval.state !== "denied" && (
        <a className="btn btn-small" href={linkTo("rules", rule)}>
          <Icon name="rules" size="small" />
          {t("makeRule")}
        </a>
      )}
      {revocable.length > 0 && (
        <Button small look="stop" icon="undo" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
          {t("revoke")}: {revocable.map((one) => one.text).join(", ")}
        </Button>
      )}
      <a className="btn btn-small btn-quiet" href={linkTo("inbox", approval.id)}>
        {t("theQuestion")}
      </a>
    </div>
  );
}
