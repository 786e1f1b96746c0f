/** Excerpts: lists carry only the head, the tail and the parts of a large question; the card reads the rest. */
import { useApproval } from "@/api/queries";
import type { Approval, ApprovalDetail } from "@/api/types";
import { latest } from "./answering";

/** The whole question, once it is read; until then the excerpt, which nobody can allow. */
export function useWhole(given: Approval | ApprovalDetail): Approval | ApprovalDetail {
  const { data } = useApproval(given.clipped ? given.id : "");
  return given.clipped && data ? latest(data, given) : given;
}
