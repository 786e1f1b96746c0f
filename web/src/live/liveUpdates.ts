/** Applies live messages to the query cache. */
import { useEffect } from "react";
import { queryKeys, refetchQueries, replacePendingList } from "@/api/queries";
import type { Approval } from "@/api/types";
import { updateCachedApproval } from "@/inbox/answering";
import { questionHeadline } from "@/inbox/question";
import { announce } from "@/ui/announce";
import { useTranslate } from "@/words/words";
import { LiveConnection, type LiveMessage } from "./connection";
import { showNotification } from "./notify";
import { setOnline } from "./status";

/** Keep the live connection open while the user is signed in. */
export function useLiveUpdates(signedIn: boolean) {
  const t = useTranslate();
  useEffect(() => {
    if (!signedIn) return;
    const snapshot = new InitialQuestions();
    const connection = new LiveConnection({
      onStatus: setOnline,
      onSignedOut: () => void refetchQueries(queryKeys.me),
      onMessages: (messages) => {
        for (const message of messages) applyLiveMessage(message, snapshot);
        const newQuestions = messages
          .filter((one) => one.type === "asked" && one.approval)
          .map((one) => one.approval as Approval);
        for (const approval of newQuestions) showNotification(approval, t);
        const last = newQuestions.at(-1);
        if (last)
          announce(
            t("newQuestion", { agent: last.call.agent, tool: last.call.tool, what: questionHeadline(last) }),
          );
      },
    });
    connection.start();
    return connection.stop;
  }, [signedIn, t]);
}

/** Collects the open questions that the server sends before `ready`. */
class InitialQuestions {
  private open: Approval[] | null = [];

  begin() {
    this.open = [];
  }
  add(approval: Approval) {
    this.open?.push(approval);
  }
  /** The collected list, or null if the connection was resumed and only missed messages were sent. */
  end(): Approval[] | null {
    const open = this.open;
    this.open = null;
    return open;
  }
}

function applyLiveMessage(message: LiveMessage, snapshot: InitialQuestions) {
  switch (message.type) {
    case "pending":
      return snapshot.add(message.approval as Approval);
    case "reset":
      return snapshot.begin();
    case "ready": {
      const open = snapshot.end();
      if (open) void replacePendingList(open);
      return;
    }
    case "ping":
      return;
    case "policy":
      for (const key of [queryKeys.policy, queryKeys.rules, queryKeys.grants, queryKeys.agents]) {
        void refetchQueries(key);
      }
      return;
    case "paused":
    case "resumed":
      return void refetchQueries(queryKeys.paused);
    default:
      if (message.approval) updateCachedApproval(message.approval as Approval);
  }
}
