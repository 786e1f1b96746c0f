/** A decision that was opened: the call as far as it is kept, and what happened to it, in order. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { remove } from "@/api/http";
import { all, client, keys, useApproval, usePending } from "@/api/queries";
import type { ApprovalDetail, AuditRow } from "@/api/types";
import { ActView } from "@/inbox/ActView";
import { actOf, editedOf } from "@/inbox/question";
import { Versus } from "@/inbox/Versus";
import { useGrants, useRules } from "@/rules/stored";
import { linkTo } from "@/shell/route";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { StageReference } from "@/ui/stage";
import { Bones } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { clock } from "@/words/time";
import { useWords } from "@/words/words";
import { Outcome, RuleName } from "./Because";

export function Told({ row }: { row: AuditRow }) {
  const { say, language } = useWords();
  const { agent, conversation, call } = row.entry;
  const around = useQuery({
    queryKey: ["audit", "call", conversation, agent, call],
    queryFn: async () => {
      const rows = await all<AuditRow>("audit", { agent, conversation, order: "oldest", limit: 200 });
      return rows.filter((one) => one.entry.call === call);
    },
    enabled: call !== "",
  });
  const { data: pending } = usePending();
  // A question that is still open has no row of its own yet.
  const open = pending?.find(
    (one) => one.call.id === call && one.call.agent === agent && one.call.conversation === conversation,
  );
  const asked = around.data?.find((one) => one.entry.approval)?.entry.approval ?? open?.id ?? "";
  const { data: approval } = useApproval(asked);
  const rows = around.data ?? [row];
  const edited = approval && editedOf(approval);
  return (
    <div className="grid gap-5 bg-sunken px-4 py-3.5 lg:grid-cols-[1.2fr_1fr]">
      <div className="min-w-0">
        {approval && Object.keys(approval.call.args).length > 0 ? (
          <>
            {edited ? (
              <Versus approval={approval} ran={edited} />
            ) : (
              <ActView approval={approval} act={actOf(approval)} whole={false} onShowAll={() => {}} />
            )}
            <p className="meta pt-2.5">
              <VisibleText text={`${approval.call.agent} · ${approval.cwd}`} /> ·{" "}
              <code>{approval.digest.slice(0, 12)}…</code>
            </p>
            <Afterwards approval={approval} />
          </>
        ) : (
          <p className="meta">{say("notKept")}</p>
        )}
      </div>
      {around.isPending && call !== "" ? (
        <Bones />
      ) : (
        <ol className="grid content-start gap-2" aria-label={say("timeline")}>
          {rows.map((one) => (
            <li
              key={one.entry.id}
              className="grid grid-cols-[84px_max-content_minmax(0,1fr)] items-baseline gap-2.5 text-meta text-ink-2"
            >
              <time className="text-right text-ink-3 tabular-nums" dateTime={one.at}>
                {clock(one.at, language)}
              </time>
              <Outcome entry={one.entry} />
              <span>
                {one.entry.verdict ? (
                  <>
                    <StageReference stage={one.entry.stage} />{" "}
                    {one.entry.rule && <RuleName rule={one.entry.rule} />}
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

/** What can still be made of a decision: a rule like it, or the end of what it left behind. */
function Afterwards({ approval }: { approval: ApprovalDetail }) {
  const { say } = useWords();
  const { data: rules = [] } = useRules();
  const { data: grants = [] } = useGrants();
  const left = [
    ...rules
      .filter((one) => one.approval === approval.id)
      .map((one) => ({ path: `rules/${one.id}`, text: one.text })),
    ...grants
      .filter((one) => one.approval === approval.id)
      .map((one) => ({ path: `grants/${one.id}`, text: one.pattern })),
  ];
  const end = useMutation({
    mutationFn: () => Promise.all(left.map((one) => remove(one.path))),
    onSuccess: () => toast(say("revoked"), "undo"),
    onError: (error) => toast(error.message, "warn"),
    onSettled: () =>
      Promise.all([keys.rules, keys.grants].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const rule = approval.suggestions[0]?.rules[0];
  return (
    <div className="flex flex-wrap gap-2 pt-2.5">
      {rule && approval.state !== "denied" && (
        <a className="btn btn-small" href={linkTo("rules", rule)}>
          <Icon name="rules" size="small" />
          {say("makeRule")}
        </a>
      )}
      {left.length > 0 && (
        <Button small look="stop" icon="undo" disabled={end.isPending} onClick={() => end.mutate()}>
          {say("revoke")}: {left.map((one) => one.text).join(", ")}
        </Button>
      )}
      <a className="btn btn-small btn-quiet" href={linkTo("inbox", approval.id)}>
        {say("theQuestion")}
      </a>
    </div>
  );
}
