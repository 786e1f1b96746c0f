/** A browser notification while the page is hidden: the agent and the tool, never the arguments. */
import type { Approval } from "@/api/types";
import { linkTo } from "@/shell/route";
import type { Translate } from "@/words/words";

const STORAGE_KEY = "assent.notify";

export const areNotificationsOn = () =>
  localStorage.getItem(STORAGE_KEY) === "yes" && hasNotificationPermission();
const hasNotificationPermission = () => "Notification" in window && Notification.permission === "granted";

/** Turn notifications on or off; returns whether the browser allows them. */
export async function setNotificationsOn(wanted: boolean): Promise<boolean> {
  if (!wanted || !("Notification" in window)) {
    localStorage.removeItem(STORAGE_KEY);
    return false;
  }
  const permission = await Notification.requestPermission();
  if (permission === "granted") localStorage.setItem(STORAGE_KEY, "yes");
  return permission === "granted";
}

export function showNotification(approval: Approval, t: Translate) {
  if (document.visibilityState === "visible" || !areNotificationsOn()) return;
  const { agent, tool } = approval.call;
  const shown = new Notification("Assent", {
    body: t("newQuestion", { agent, tool, what: "" }),
    tag: approval.id,
  });
  shown.onclick = () => {
    window.focus();
    location.hash = linkTo("inbox", approval.id);
    shown.close();
  };
}
