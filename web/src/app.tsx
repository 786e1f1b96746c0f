/** The app: the sign-in page or the pages. Each page except the inbox is loaded when it is first opened. */
import { QueryClientProvider } from "@tanstack/react-query";
import { Tooltip } from "radix-ui";
import { Suspense } from "react";
import { ProblemError } from "@/api/http";
import { queryClient, useMe } from "@/api/queries";
import { Inbox } from "@/inbox/Inbox";
import { useLiveUpdates } from "@/live/liveUpdates";
import { AppLayout } from "@/shell/AppLayout";
import { CommandPalette } from "@/shell/CommandPalette";
import { ErrorBoundary, lazyPage } from "@/shell/ErrorBoundary";
import { HelpDialog } from "@/shell/help";
import { Login } from "@/shell/Login";
import { useRoute } from "@/shell/route";
import { Announcements } from "@/ui/announce";
import { LoadError, Skeleton } from "@/ui/states";
import { LanguageProvider } from "@/words/words";

const Agents = lazyPage(() => import("@/agents/Agents"));
const Chat = lazyPage(() => import("@/chat/Chat"));
const History = lazyPage(() => import("@/history/History"));
const Rules = lazyPage(() => import("@/rules/Rules"));
const Settings = lazyPage(() => import("@/settings/Settings"));
const Workbench = lazyPage(() => import("@/workbench/Workbench"));

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <Tooltip.Provider>
          <ErrorBoundary>
            <AppContent />
          </ErrorBoundary>
          <Announcements />
        </Tooltip.Provider>
      </LanguageProvider>
    </QueryClientProvider>
  );
}

function AppContent() {
  const me = useMe();
  const { page } = useRoute();
  const out = me.error instanceof ProblemError && me.error.signedOut;
  useLiveUpdates(me.isSuccess);
  if (out || page === "login") return <Login />;
  if (me.error) return <LoadError error={me.error} onRetry={() => void me.refetch()} />;
  if (!me.data) return <Skeleton />;
  return (
    <>
      <AppLayout>
        <Suspense fallback={<Skeleton rows={5} />}>
          <CurrentPage />
        </Suspense>
      </AppLayout>
      <CommandPalette />
      <HelpDialog />
    </>
  );
}

function CurrentPage() {
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
    case "workbench":
      return <Workbench />;
    case "inbox":
    case "login":
      return (
        <ErrorBoundary>
          <Inbox />
        </ErrorBoundary>
      );
  }
}
