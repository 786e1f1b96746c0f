/** Every state of the card on one page: `npm run dev`, then /gallery/. Not part of the build. */
import { QueryClientProvider } from "@tanstack/react-query";
import { Tooltip } from "radix-ui";
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { client, keys } from "@/api/queries";
import type { ApprovalDetail } from "@/api/types";
import { Card } from "@/inbox/Card";
import { Inbox } from "@/inbox/Inbox";
import { useRoute } from "@/shell/route";
import { Shell } from "@/shell/Shell";
import * as samples from "@/test/samples";
import { Announcements } from "@/ui/announce";
import { LanguageProvider } from "@/words/words";
import "@/style.css";

const theme = new URLSearchParams(location.search).get("theme");
if (theme) document.documentElement.dataset["theme"] = theme;

const many = Number(new URLSearchParams(location.search).get("many") ?? 0);
const asked: ApprovalDetail[] = [
  ...samples.everyKind(),
  ...Array.from({ length: many }, (_, at) =>
    samples.shell(`npm run task-${at}`, { agent: `agent-${at % 9}` }),
  ),
];

client.setDefaultOptions({ queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } });
client.setQueryData(keys.me, { id: "ana", kind: "person", administrator: true });
client.setQueryData(keys.paused, { paused: false, by: "", since: null });
client.setQueryData(keys.pending, asked);
client.setQueryData(keys.conversations, [
  { id: "c1", title: "Cut the 0.9 release" },
  { id: "c2", title: "Overdue invoices" },
]);
for (const one of asked) client.setQueryData(keys.approval(one.id), one);

const CARDS: Record<string, () => ApprovalDetail> = {
  "Several commands": samples.compound,
  "One command": samples.push,
  "A file is the act": samples.change,
  "Locked by a breaker": samples.breaker,
  "Declared destructive": samples.destructive,
  "A hundred kilobytes": samples.long,
  "A program in the call": () => samples.heredoc(),
  "A file is fed": () => samples.fedFile(),
  "A pipe is fed": samples.fedByPipe,
  "An argument is fed": () => samples.fedArgument(),
  "Hostile text": samples.hostile,
  "Named arguments": samples.mail,
  "Answered elsewhere": samples.answeredByJon,
  Denied: samples.deniedByMe,
  Expired: samples.expired,
  Withdrawn: samples.withdrawn,
  Unknown: samples.unknown,
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
      <Shell>
        <Inbox />
      </Shell>
    );
  return (
    <main className="mx-auto grid max-w-[1240px] items-start gap-8 p-4 lg:grid-cols-2">
      {Object.entries(CARDS).map(([name, make]) => (
        <Frame key={name} name={name}>
          <Card approval={make()} selected={false} title="Cut the 0.9 release" />
        </Frame>
      ))}
    </main>
  );
}

const root = document.getElementById("app");
if (root)
  createRoot(root).render(
    <QueryClientProvider client={client}>
      <LanguageProvider>
        <Tooltip.Provider>
          <Gallery />
          <Announcements />
        </Tooltip.Provider>
      </LanguageProvider>
    </QueryClientProvider>,
  );
