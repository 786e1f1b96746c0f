/** Lists contain only an excerpt of a large question; the card loads the full one. */
import { useApproval } from "@/api/queries";
import type { Approval, ApprovalDetail } from "@/api/types";
import { mergeLatestState } from "./answering";

/** The full question once it is loaded; until then the excerpt, which cannot be allowed. */
export function useFullApproval(given: Approval | ApprovalDetail): Approval | ApprovalDetail {
  const { data } = useApproval(given.clipped ? given.id : "");
  return given.clipped && data ? mergeLatestState(data, given) : given;
}
