/** Answering: one request per answer, bound to what was shown; what others said first is told. */
import { useMutation } from "@tanstack/react-query";
import { Problem, post } from "@/api/http";
import { client, keys, tell } from "@/api/queries";
import type { Answered, Applied, Approval, ApprovalDetail, Refuse, Said } from "@/api/types";
import { speak, toast } from "@/ui/announce";
import { useSay } from "@/words/words";

/** Whether what is known of a question whole is what it is now. */
export const isSame = (whole: ApprovalDetail | undefined, now: Approval): whole is ApprovalDetail =>
  whole?.call_digest === now.call_digest &&
  whole.file?.digest === now.file?.digest &&
  whole.file?.changes === now.file?.changes;

/** A question whole, with the news of it; just the news where it was asked anew since. */
export function latest(whole: ApprovalDetail | undefined, now: Approval): Approval | ApprovalDetail {
  if (!isSame(whole, now)) return now;
  if (!now.clipped) return { ...whole, ...now };
  const { state, later_at, answered_at, closed_at, expires_at, note } = now;
  const answer = whole.answer ?? now.answer;
  return { ...whole, state, later_at, answer, answered_at, closed_at, expires_at, note };
}

/** Take what became of a question into every list that shows it. */
export function learn(approval: Approval) {
  const key = keys.approval(approval.id);
  // What was asked again is another question: its change is fetched anew.
  const known = client.getQueryData<ApprovalDetail>(key);
  if (isSame(known, approval)) client.setQueryData(key, latest(known, approval));
  else void client.invalidateQueries({ queryKey: key });
  tell(approval);
}

export function useAnswer(approval: Approval) {
  const say = useSay();
  return useMutation({
    mutationFn: (answer: Said) =>
      post<Approval>(`approvals/${approval.id}/answer`, { digest: approval.digest || null, answer }),
    onSuccess: (answered, { say: word }) => {
      learn(answered);
      // The card says it to those who see it.
      const heard = say(word === "deny" ? "denied" : "allowed").toLowerCase();
      speak(say("answered", { tool: approval.call.tool, word: heard }));
    },
    onError: (error) => {
      const first = error instanceof Problem ? error.by : null;
      toast(first ? say("already", { who: first }) : say("couldNotAnswer", { why: error.message }), "warn");
      void client.invalidateQueries({ queryKey: keys.approval(approval.id) });
      void client.invalidateQueries({ queryKey: keys.pending });
    },
  });
}

/** Apply a proposal: the token shows that one was told of it, and names the stored call that then runs. */
export function useApply(approval: Approval) {
  const say = useSay();
  return useMutation({
    mutationFn: (token: string) => post<Applied | Refuse>("proposals/apply", { token }),
    onSuccess: (came) => {
      if (came.outcome === "refuse") toast(say("couldNotAnswer", { why: came.message }), "warn");
    },
    onError: (error) => toast(say("couldNotAnswer", { why: error.message }), "warn"),
    onSettled: () =>
      Promise.all(
        [keys.approval(approval.id), keys.pending].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
}

export function useLater(approval: Approval) {
  const say = useSay();
  return useMutation({
    mutationFn: () => post<Approval>(`approvals/${approval.id}/later`),
    onSuccess: (later) => {
      learn(later);
      toast(say("putOff"), "later");
    },
    onError: (error) => toast(say("couldNotAnswer", { why: error.message }), "warn"),
  });
}

/** One answer to each of an explicit list, which the person has seen. */
export function useBatch(onDone: () => void) {
  const say = useSay();
  return useMutation({
    mutationFn: ({ questions, answer }: { questions: readonly Approval[]; answer: Said }) =>
      post<{ results: Answered[] }>("approvals/answers", {
        questions: questions.map(({ id, digest }) => ({ id, digest: digest || null })),
        answer,
      }),
    onSuccess: ({ results }) => {
      const refused = results.filter((one) => one.outcome === "refused");
      if (refused[0]) toast(say("couldNotAnswer", { why: refused[0].problem }), "warn");
      void client.invalidateQueries({ queryKey: keys.pending });
      onDone();
    },
    onError: (error) => toast(say("couldNotAnswer", { why: error.message }), "warn"),
  });
}
