/** A notification of the browser while the page is hidden: who asks and with which tool, never what exactly. */
import type { Approval } from "@/api/types";
import { linkTo } from "@/shell/route";
import type { Say } from "@/words/words";

const KEPT = "assent.notify";

export const wantsNotifications = () => localStorage.getItem(KEPT) === "yes" && granted();
const granted = () => "Notification" in window && Notification.permission === "granted";

/** Ask the browser; says whether notifications will come. */
export async function wantNotifications(wanted: boolean): Promise<boolean> {
  if (!wanted || !("Notification" in window)) {
    localStorage.removeItem(KEPT);
    return false;
  }
  const permission = await Notification.requestPermission();
  if (permission === "granted") localStorage.setItem(KEPT, "yes");
  return permission === "granted";
}

export function notify(approval: Approval, say: Say) {
  if (document.visibilityState === "visible" || !wantsNotifications()) return;
  const { agent, tool } = approval.call;
  const shown = new Notification("Assent", {
    body: say("newQuestion", { agent, tool, what: "" }),
    tag: approval.id,
  });
  shown.onclick = () => {
    window.focus();
    location.hash = linkTo("inbox", approval.id);
    shown.close();
  };
}
