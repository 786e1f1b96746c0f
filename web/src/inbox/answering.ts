/** Send answers: one request per answer, bound to the digest that was shown. */
import { useMutation } from "@tanstack/react-query";
import { ProblemError, postJson } from "@/api/http";
import { queryClient, queryKeys, refetchQueries, updatePendingList } from "@/api/queries";
import type { Answered, Applied, Approval, ApprovalDetail, Refuse, Said } from "@/api/types";
import { announce, showToast } from "@/ui/announce";
import { useTranslate } from "@/words/words";

/** Whether the loaded details still belong to the current question. */
export const isSameQuestion = (whole: ApprovalDetail | undefined, now: Approval): whole is ApprovalDetail =>
  whole?.call_digest === now.call_digest &&
  whole.file?.digest === now.file?.digest &&
  whole.file?.changes === now.file?.changes;

/** The loaded details with the latest state; only the latest state if the question was asked again. */
export function mergeLatestState(
  whole: ApprovalDetail | undefined,
  now: Approval,
): Approval | ApprovalDetail {
  if (!isSameQuestion(whole, now)) return now;
  if (!now.clipped) return { ...whole, ...now };
  const { state, later_at, answered_at, closed_at, expires_at, note } = now;
  const answer = whole.answer ?? now.answer;
  return { ...whole, state, later_at, answer, answered_at, closed_at, expires_at, note };
}

/** Update a question in every cached query that contains it. */
export function updateCachedApproval(approval: Approval) {
  const key = queryKeys.approval(approval.id);
  // A question that was asked again has new details: fetch them.
  const known = queryClient.getQueryData<ApprovalDetail>(key);
  if (isSameQuestion(known, approval)) queryClient.setQueryData(key, mergeLatestState(known, approval));
  else void refetchQueries(key);
  updatePendingList(approval);
}

export function useSendAnswer(approval: Approval) {
  const t = useTranslate();
  return useMutation({
    mutationFn: (answer: Said) =>
      postJson<Approval>(`approvals/${approval.id}/answer`, { digest: approval.digest || null, answer }),
    onSuccess: (answered, { say: word }) => {
      updateCachedApproval(answered);
      // The card shows the answer; this is for screen readers.
      const announced = t(word === "deny" ? "denied" : "allowed").toLowerCase();
      announce(t("answered", { tool: approval.call.tool, word: announced }));
    },
    onError: (error) => {
      const answeredBy = error instanceof ProblemError ? error.by : null;
      showToast(
        answeredBy ? t("already", { who: answeredBy }) : t("couldNotAnswer", { why: error.message }),
        "warn",
      );
      void refetchQueries(queryKeys.approval(approval.id));
      void refetchQueries(queryKeys.pending);
    },
  });
}

/** Apply a proposal. The token names the stored call and proves that the conversation was shown to this person. */
export function useApplyProposal(approval: Approval) {
  const t = useTranslate();
  return useMutation({
    mutationFn: (token: string) => postJson<Applied | Refuse>("proposals/apply", { token }),
    onSuccess: (result) => {
      if (result.outcome === "refuse") showToast(t("couldNotAnswer", { why: result.message }), "warn");
    },
    onError: (error) => showToast(t("couldNotAnswer", { why: error.message }), "warn"),
    onSettled: () =>
      Promise.all(
        [queryKeys.approval(approval.id), queryKeys.pending].map((queryKey) => refetchQueries(queryKey)),
      ),
  });
}

export function usePostponeQuestion(approval: Approval) {
  const t = useTranslate();
  return useMutation({
    mutationFn: () => postJson<Approval>(`approvals/${approval.id}/later`),
    onSuccess: (later) => {
      updateCachedApproval(later);
      showToast(t("putOff"), "later");
    },
    onError: (error) => showToast(t("couldNotAnswer", { why: error.message }), "warn"),
  });
}

/** Send the same answer to each question of a list that the person has seen. */
export function useSendBatchAnswer(onDone: () => void) {
  const t = useTranslate();
  return useMutation({
    mutationFn: ({ questions, answer }: { questions: readonly Approval[]; answer: Said }) =>
      postJson<{ results: Answered[] }>("approvals/answers", {
        questions: questions.map(({ id, digest }) => ({ id, digest: digest || null })),
        answer,
      }),
    onSuccess: ({ results }) => {
      const refused = results.filter((one) => one.outcome === "refused");
      if (refused[0]) showToast(t("couldNotAnswer", { why: refused[0].problem }), "warn");
      void refetchQueries(queryKeys.pending);
      onDone();
    },
    onError: (error) => showToast(t("couldNotAnswer", { why: error.message }), "warn"),
  });
}
