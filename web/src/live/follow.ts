/** What happens, taken into what the pages know. */
import { useEffect } from "react";
import { client, keys, replacePending } from "@/api/queries";
import type { Approval } from "@/api/types";
import { learn } from "@/inbox/answering";
import { headline } from "@/inbox/question";
import { speak } from "@/ui/announce";
import { useSay } from "@/words/words";
import { Connection, type Message } from "./connection";
import { notify } from "./notify";
import { setOnline } from "./status";

/** Listen for as long as somebody is signed in. */
export function useLive(signedIn: boolean) {
  const say = useSay();
  useEffect(() => {
    if (!signedIn) return;
    const snapshot = new Snapshot();
    const connection = new Connection({
      onStatus: setOnline,
      onSignedOut: () => void client.invalidateQueries({ queryKey: keys.me }),
      onMessages: (messages) => {
        for (const message of messages) take(message, snapshot);
        const asked = messages
          .filter((one) => one.type === "asked" && one.approval)
          .map((one) => one.approval as Approval);
        for (const approval of asked) notify(approval, say);
        const last = asked.at(-1);
        if (last)
          speak(say("newQuestion", { agent: last.call.agent, tool: last.call.tool, what: headline(last) }));
      },
    });
    connection.start();
    return connection.stop;
  }, [signedIn, say]);
}

/** All that is open, which the server lists one by one before it says that it is ready. */
class Snapshot {
  private open: Approval[] | null = [];

  begin() {
    this.open = [];
  }
  add(approval: Approval) {
    this.open?.push(approval);
  }
  /** The whole list once, and null for one who came back and only heard what was missed. */
  end(): Approval[] | null {
    const open = this.open;
    this.open = null;
    return open;
  }
}

function take(message: Message, snapshot: Snapshot) {
  switch (message.type) {
    case "pending":
      return snapshot.add(message.approval as Approval);
    case "reset":
      return snapshot.begin();
    case "ready": {
      const open = snapshot.end();
      if (open) void replacePending(open);
      return;
    }
    case "ping":
      return;
    case "policy":
      for (const key of [keys.policy, keys.rules, keys.grants, keys.agents]) {
        void client.invalidateQueries({ queryKey: key });
      }
      return;
    case "paused":
    case "resumed":
      return void client.invalidateQueries({ queryKey: keys.paused });
    default:
      if (message.approval) learn(message.approval as Approval);
  }
}
