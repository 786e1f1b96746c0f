/** Rules: the three lists, the remembered yeses, and a call to try them on. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { remove } from "@/api/http";
import { client, keys } from "@/api/queries";
import type { FileRule, Grant, Rule, RuleList } from "@/api/types";
import { PageBar } from "@/shell/PageBar";
import { usePageId } from "@/shell/route";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { SearchField } from "@/ui/Field";
import { Icon, type IconName } from "@/ui/Icon";
import { Banner, Bones, Failure } from "@/ui/states";
import { Sentence, VisibleText } from "@/ui/VisibleText";
import { clock } from "@/words/time";
import { type Say, useWords } from "@/words/words";
import { ModeTable } from "./ModeTable";
import { RuleEditor } from "./RuleEditor";
import { type Uses, useGrants, usePolicy, useRules, useUses } from "./stored";
import { TryACall } from "./TryACall";

const LISTS: ReadonlyArray<{ list: RuleList; icon: IconName; tone: string }> = [
  { list: "deny", icon: "deny", tone: "deny" },
  { list: "ask", icon: "ask", tone: "ask" },
  { list: "allow", icon: "run", tone: "run" },
];

export default function Rules() {
  const { say } = useWords();
  const rules = useRules();
  const grants = useGrants();
  const policy = usePolicy();
  const [words, setWords] = useState("");
  const proposed = usePageId("rules");
  const [chosen, setChosen] = useState<Rule | RuleList | null>(proposed ? "allow" : null);
  const uses = useUses().data;
  const listed = useMemo(
    () => linesOf(rules.data ?? [], policy.data?.rules ?? []),
    [rules.data, policy.data],
  );
  const found = useMemo(
    () => listed.filter((line) => line.searched.includes(words.toLowerCase())),
    [listed, words],
  );
  const note = [
    say("rulesSummary", { count: listed.length }),
    policy.data ? say("version", { count: policy.data.store_version }) : "",
    uses ? say("hitsIn", { count: uses.of }) : "",
  ];

  return (
    <>
      <PageBar title={say("rules")} note={note.filter(Boolean).join(", ")}>
        <SearchField
          className="!hidden w-56 phone:!flex"
          label={say("findRule")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Button icon="plus" onClick={() => setChosen("allow")}>
          {say("newRule")}
        </Button>
      </PageBar>
      {policy.data?.error && (
        <Banner tone="deny" icon="warn">
          <b>{say("policyBroken")}</b> <VisibleText text={policy.data.error} />
        </Banner>
      )}
      <div className="scroll grid grow auto-rows-max content-start gap-6 p-4 phone:p-5 xl:grid-cols-[minmax(0,1fr)_388px]">
        <div className="grid min-w-0 auto-rows-max content-start gap-6">
          <TryACall />
          {rules.error ? (
            <Failure error={rules.error} onRetry={() => void rules.refetch()} />
          ) : rules.isPending ? (
            <Bones rows={6} />
          ) : (
            LISTS.map(({ list, icon, tone }) => (
              <section key={list}>
                <Heading tone={tone} icon={icon} title={say(`list.${list}`)} note={say(`list.${list}.does`)}>
                  <Button small look="quiet" icon="plus" onClick={() => setChosen(list)}>
                    {say("add")}
                  </Button>
                </Heading>
                <RuleTable
                  lines={found.filter((line) => line.list === list)}
                  uses={uses}
                  chosen={chosen}
                  onChoose={setChosen}
                />
              </section>
            ))
          )}
          <GrantTable grants={grants.data ?? []} />
          {policy.data && <Files files={policy.data.files} />}
        </div>
        <div
          className={`grid min-w-0 auto-rows-max content-start gap-6 ${chosen ? "max-xl:order-first" : ""}`}
        >
          {chosen && (
            <RuleEditor
              key={keyOf(chosen)}
              chosen={chosen}
              proposed={proposed}
              onClose={() => setChosen(null)}
            />
          )}
          <ModeTable />
        </div>
      </div>
    </>
  );
}

const keyOf = (chosen: Rule | RuleList) => (typeof chosen === "string" ? chosen : chosen.id);

type HeadingProps = { tone: string; icon: IconName; title: string; note: string; children?: ReactNode };

function Heading({ tone, icon, title, note, children }: HeadingProps) {
  return (
    <div className={`tone-${tone} flex flex-wrap items-center gap-x-2.5 gap-y-1 pb-2`}>
      <h2 className="tinted inline-flex items-center gap-2">
        <Icon name={icon} />
        {title}
      </h2>
      <span className="meta max-phone:order-last max-phone:w-full">{note}</span>
      <span className="grow" />
      {children}
    </div>
  );
}

/** A rule with where it comes from: the store, where people change it here, or a file, where they do not. */
type Line = {
  key: string;
  list: RuleList;
  text: string;
  origin: string;
  layer: string;
  rule: Rule | null;
  /** What the audit calls it. */
  name: string;
  searched: string;
};

export function linesOf(rules: readonly Rule[], files: readonly FileRule[]): Line[] {
  const stored = rules.map((rule) => {
    const origin = [scopeOf(rule), rule.by, rule.why].filter(Boolean).join(" · ");
    return { key: rule.id, list: rule.list, text: rule.text, origin, layer: "store", rule, name: rule.id };
  });
  const written = files.map((rule, at) => {
    const origin = [rule.source, rule.why].filter(Boolean).join(" · ");
    return {
      key: `file ${at}`,
      list: rule.list,
      text: rule.text,
      origin,
      layer: rule.layer,
      rule: null,
      name: rule.text,
    };
  });
  return [...written, ...stored].map((line) => ({
    ...line,
    searched: `${line.text} ${line.layer} ${line.origin}`.toLowerCase(),
  }));
}

type TableProps = {
  lines: readonly Line[];
  uses: Uses | undefined;
  chosen: Rule | RuleList | null;
  onChoose: (rule: Rule) => void;
};

/** A rule, where it comes from, how often it decided, and when last. */
const COLUMNS =
  "grid w-full items-baseline gap-x-4 gap-y-0.5 px-3.5 py-2 phone:grid-cols-[minmax(0,1fr)_minmax(0,240px)_70px_90px]";

function RuleTable({ lines, uses, chosen, onChoose }: TableProps) {
  const { say } = useWords();
  if (lines.length === 0) return <p className="box px-4 py-3 text-ink-3">{say("noRules")}</p>;
  return (
    <ul className="box divide-y divide-line-soft">
      <li className={`meta max-phone:hidden ${COLUMNS}`} aria-hidden="true">
        <span>{say("ruleLabel")}</span>
        <span>{say("layer")}</span>
        <span className="text-right">{say("hits")}</span>
        <span className="text-right">{say("lastUse")}</span>
      </li>
      {lines.map((line) => {
        const shape = `${COLUMNS} text-left ${line.rule !== null && line.rule === chosen ? "bg-accent-soft shadow-[inset_3px_0_0_var(--accent)]" : ""}`;
        const { rule } = line;
        return (
          <li key={line.key}>
            {rule ? (
              <button
                type="button"
                aria-pressed={rule === chosen}
                onClick={() => onChoose(rule)}
                className={`${shape} hover:bg-hover`}
              >
                <RuleLine line={line} uses={uses} />
              </button>
            ) : (
              <div className={shape}>
                <RuleLine line={line} uses={uses} />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function RuleLine({ line, uses }: { line: Line; uses: Uses | undefined }) {
  const { say, language } = useWords();
  const use = uses?.by.get(line.name);
  return (
    <>
      <code className="text-[13px]">
        <VisibleText text={line.text} />
      </code>
      <span className="meta truncate" title={line.origin}>
        <span className="font-medium text-ink">{line.layer}</span> <VisibleText text={line.origin} />
        {line.rule?.warnings.map((warning) => (
          <span key={warning} className="tone-ask tinted block whitespace-normal">
            <Icon name="warn" size="small" /> <Sentence text={warning} />
          </span>
        ))}
      </span>
      <span className="text-meta tabular-nums phone:text-right">
        {uses && say("nHits", { count: use?.hits ?? 0 })}
        {uses && (
          <span className="text-ink-3 phone:hidden"> · {use ? clock(use.last, language) : say("never")}</span>
        )}
      </span>
      <span className="meta hidden text-right tabular-nums phone:block">
        {uses && (use ? clock(use.last, language) : say("never"))}
      </span>
    </>
  );
}

const scopeOf = ({ agent, user, conversation }: Rule | Grant) =>
  [user, agent, conversation?.slice(0, 8)].filter(Boolean).join(", ");

/** Every limit of a yes; the first one that is reached ends it. */
function limitsOf(grant: Grant, say: Say, language: string): string {
  const limits = [
    grant.until && clock(grant.until, language),
    grant.uses !== null && say("usesLeft", { count: grant.uses }),
    grant.lifetime === "restart" && say("lasts.restart"),
  ];
  return limits.filter(Boolean).join(", ") || say("lasts.forever");
}

function GrantTable({ grants }: { grants: readonly Grant[] }) {
  const { say, language } = useWords();
  const end = useMutation({
    mutationFn: (id: string) => remove(`grants/${id}`),
    onSuccess: () => {
      toast(say("revoked"), "undo");
      void client.invalidateQueries({ queryKey: keys.grants });
    },
    onError: (error) => toast(error.message, "warn"),
  });
  if (grants.length === 0) return null;
  return (
    <section>
      <Heading tone="run" icon="check" title={say("grants")} note={say("grants.does")} />
      <ul className="box divide-y divide-line-soft">
        {grants.map((grant) => (
          <li
            key={grant.id}
            className="grid items-center gap-x-4 gap-y-0.5 px-3.5 py-1.5 phone:grid-cols-[minmax(0,1fr)_minmax(0,240px)_auto]"
          >
            <code className="text-[13px]">
              <VisibleText text={grant.pattern} />
            </code>
            <span className="meta truncate">
              {scopeOf(grant) || say("scope.everyone")} · {limitsOf(grant, say, language)} ·{" "}
              <VisibleText text={grant.by} />
            </span>
            <Button
              small
              look="stop"
              className="mt-1 justify-self-start phone:mt-0"
              disabled={end.isPending}
              onClick={() => end.mutate(grant.id)}
            >
              {say("revoke")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Files({ files }: { files: readonly string[] }) {
  const { say } = useWords();
  if (files.length === 0) return null;
  return (
    <section>
      <h3 className="pb-1.5">{say("policy")}</h3>
      <ul className="meta grid gap-1">
        {files.map((file) => (
          <li key={file}>
            <Icon name="folder" size="small" /> <code>{file}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
