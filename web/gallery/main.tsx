/** Every state of the card on one page: `npm run dev`, then /gallery/. Not part of the build. */
import { QueryClientProvider } from "@tanstack/react-query";
import { Tooltip } from "radix-ui";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient, queryKeys } from "@/api/queries";
import type { ApprovalDetail } from "@/api/types";
import { Inbox } from "@/inbox/Inbox";
import { QuestionCard } from "@/inbox/QuestionCard";
import { AppLayout } from "@/shell/AppLayout";
import { useRoute } from "@/shell/route";
import * as samples from "@/test/samples";
import { Announcements } from "@/ui/announce";
import { LanguageProvider } from "@/words/words";
import "@/style.css";

const theme = new URLSearchParams(location.search).get("theme");
if (theme) document.documentElement.dataset["theme"] = theme;

const many = Number(new URLSearchParams(location.search).get("many") ?? 0);
const asked: ApprovalDetail[] = [
  ...samples.allSampleApprovals(),
  ...Array.from({ length: many }, (_, at) =>
    samples.shellApproval(`npm run task-${at}`, { agent: `agent-${at % 9}` }),
  ),
];

queryClient.setDefaultOptions({ queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } });
queryClient.setQueryData(queryKeys.me, { id: "ana", kind: "person", administrator: true });
queryClient.setQueryData(queryKeys.paused, { paused: false, by: "", since: null });
queryClient.setQueryData(queryKeys.pending, asked);
queryClient.setQueryData(queryKeys.conversations, [
  { id: "c1", title: "Cut the 0.9 release" },
  { id: "c2", title: "Overdue invoices" },
]);
for (const one of asked) queryClient.setQueryData(queryKeys.approval(one.id), one);

const CARDS: Record<string, () => ApprovalDetail> = {
  "Several commands": samples.compoundApproval,
  "One command": samples.pushApproval,
  "A file is the act": samples.fileChangeApproval,
  "Locked by a breaker": samples.breakerApproval,
  "Declared destructive": samples.destructiveApproval,
  "A hundred kilobytes": samples.longApproval,
  "A program in the call": () => samples.heredocApproval(),
  "A file is fed": () => samples.fileInputApproval(),
  "A pipe is fed": samples.pipeInputApproval,
  "An argument is fed": () => samples.argumentInputApproval(),
  "Hostile text": samples.hostileApproval,
  "Named arguments": samples.mailApproval,
  "Answered elsewhere": samples.answeredByJon,
  Denied: samples.deniedByMe,
  Expired: samples.expiredApproval,
  Withdrawn: samples.withdrawnApproval,
  Unknown: samples.unknownApproval,
};

function Frame({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h2 className="pb-2">{name}</h2>
      {children}
    </section>
  );
}

function Gallery() {
  const { page } = useRoute();
  if (page === "inbox" && location.hash)
    return (
      <AppLayout>
        <Inbox />
      </AppLayout>
    );
  return (
    <main className="mx-auto grid max-w-[1240px] items-start gap-8 p-4 lg:grid-cols-2">
      {Object.entries(CARDS).map(([name, make]) => (
        <Frame key={name} name={name}>
          <QuestionCard approval={make()} selected={false} title="Cut the 0.9 release" />
        </Frame>
      ))}
    </main>
  );
}

const root = document.getElementById("app");
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <Tooltip.Provider>
          <Gallery />
          <Announcements />
        </Tooltip.Provider>
      </LanguageProvider>
    </QueryClientProvider>,
  );
