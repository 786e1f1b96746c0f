/** The app: who is there decides between the door and the pages; each page but the inbox loads when it is needed. */
import { QueryClientProvider } from "@tanstack/react-query";
import { Tooltip } from "radix-ui";
import { Suspense } from "react";
import { Problem } from "@/api/http";
import { client, useMe } from "@/api/queries";
import { Inbox } from "@/inbox/Inbox";
import { useLive } from "@/live/follow";
import { Boundary, loaded } from "@/shell/Boundary";
import { Help } from "@/shell/help";
import { Login } from "@/shell/Login";
import { Palette } from "@/shell/Palette";
import { useRoute } from "@/shell/route";
import { Shell } from "@/shell/Shell";
import { Announcements } from "@/ui/announce";
import { Bones, Failure } from "@/ui/states";
import { WordsProvider } from "@/words/words";

const Agents = loaded(() => import("@/agents/Agents"));
const Chat = loaded(() => import("@/chat/Chat"));
const History = loaded(() => import("@/history/History"));
const Rules = loaded(() => import("@/rules/Rules"));
const Settings = loaded(() => import("@/settings/Settings"));

export function App() {
  return (
    <QueryClientProvider client={client}>
      <WordsProvider>
        <Tooltip.Provider>
          <Boundary>
            <Door />
          </Boundary>
          <Announcements />
        </Tooltip.Provider>
      </WordsProvider>
    </QueryClientProvider>
  );
}

function Door() {
  const me = useMe();
  const { page } = useRoute();
  const out = me.error instanceof Problem && me.error.signedOut;
  useLive(me.isSuccess);
  if (out || page === "login") return <Login />;
  if (me.error) return <Failure error={me.error} onRetry={() => void me.refetch()} />;
  if (!me.data) return <Bones />;
  return (
    <>
      <Shell>
        <Suspense fallback={<Bones rows={5} />}>
          <Page />
        </Suspense>
      </Shell>
      <Palette />
      <Help />
    </>
  );
}

function Page() {
  const { page } = useRoute();
  switch (page) {
    case "agents":
      return <Agents />;
    case "chat":
      return <Chat />;
    case "history":
      return <History />;
    case "rules":
      return <Rules />;
    case "settings":
      return <Settings />;
    case "inbox":
    case "login":
      return (
        <Boundary>
          <Inbox />
        </Boundary>
      );
  }
}
