/** Rules: the three lists, the remembered approvals, and a form to try a call. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { deleteJson } from "@/api/http";
import { queryKeys, refetchQueries } from "@/api/queries";
import type { FileRule, Grant, Rule, RuleList } from "@/api/types";
import { PageBar } from "@/shell/PageBar";
import { usePageId } from "@/shell/route";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { SearchField } from "@/ui/Field";
import { Icon, type IconName } from "@/ui/Icon";
import { Banner, LoadError, Skeleton } from "@/ui/states";
import { Sentence, VisibleText } from "@/ui/VisibleText";
import { formatDayAndTime } from "@/words/time";
import { type Translate, useLanguage } from "@/words/words";
import { ModeTable } from "./ModeTable";
import { PackList } from "./PackList";
import { RuleEditor } from "./RuleEditor";
import { type HitsByRule, useGrants, usePolicyFiles, useRuleHits, useRules } from "./ruleQueries";
import { TryCallForm } from "./TryCallForm";

const RULE_LISTS: ReadonlyArray<{ list: RuleList; icon: IconName; tone: string }> = [
  { list: "deny", icon: "deny", tone: "deny" },
  { list: "ask", icon: "ask", tone: "ask" },
  { list: "allow", icon: "run", tone: "run" },
];

export default function Rules() {
  const { t } = useLanguage();
  const rules = useRules();
  const grants = useGrants();
  const policy = usePolicyFiles();
  const [words, setWords] = useState("");
  const proposed = usePageId("rules");
  const [chosen, setChosen] = useState<Rule | RuleList | null>(proposed ? "allow" : null);
  const uses = useRuleHits().data;
  const listed = useMemo(
    () => ruleRows(rules.data ?? [], policy.data?.rules ?? []),
    [rules.data, policy.data],
  );
  const found = useMemo(
    () => listed.filter((line) => line.searched.includes(words.toLowerCase())),
    [listed, words],
  );
  const note = [
    t("rulesSummary", { count: listed.length }),
    policy.data ? t("version", { count: policy.data.store_version }) : "",
    uses ? t("hitsIn", { count: uses.of }) : "",
  ];

  return (
    <>
      <PageBar title={t("rules")} note={note.filter(Boolean).join(", ")}>
        <SearchField
          className="!hidden w-56 phone:!flex"
          label={t("findRule")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Button icon="plus" onClick={() => setChosen("allow")}>
          {t("newRule")}
        </Button>
      </PageBar>
      {policy.data?.error && (
        <Banner tone="deny" icon="warn">
          <b>{t("policyBroken")}</b> <VisibleText text={policy.data.error} />
        </Banner>
      )}
      <div className="scroll grid grow auto-rows-max content-start gap-6 p-4 phone:p-5 xl:grid-cols-[minmax(0,1fr)_388px]">
        <div className="grid min-w-0 auto-rows-max content-start gap-6">
          <TryCallForm />
          {rules.error ? (
            <LoadError error={rules.error} onRetry={() => void rules.refetch()} />
          ) : rules.isPending ? (
            <Skeleton rows={6} />
          ) : (
            RULE_LISTS.map(({ list, icon, tone }) => (
              <section key={list}>
                <RuleListHeading
                  tone={tone}
                  icon={icon}
                  title={t(`list.${list}`)}
                  note={t(`list.${list}.does`)}
                >
                  <Button small look="quiet" icon="plus" onClick={() => setChosen(list)}>
                    {t("add")}
                  </Button>
                </RuleListHeading>
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
          {policy.data && <PolicyFiles files={policy.data.files} />}
        </div>
        <div
          className={`grid min-w-0 grid-cols-1 auto-rows-max content-start gap-6 ${chosen ? "max-xl:order-first" : ""}`}
        >
          {chosen && (
            <RuleEditor
              key={editorKey(chosen)}
              chosen={chosen}
              proposed={proposed}
              onClose={() => setChosen(null)}
            />
          )}
          <PackList />
          <ModeTable />
        </div>
      </div>
    </>
  );
}

const editorKey = (chosen: Rule | RuleList) => (typeof chosen === "string" ? chosen : chosen.id);

type RuleListHeadingProps = {
  tone: string;
  icon: IconName;
  title: string;
  note: string;
  children?: ReactNode;
};

function RuleListHeading({ tone, icon, title, note, children }: RuleListHeadingProps) {
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

/** A rule with its origin: the store, where it can be changed here, or a file, where it cannot. */
type RuleRow = {
  key: string;
  list: RuleList;
  text: string;
  origin: string;
  layer: string;
  rule: Rule | null;
  /** The name of the rule in the audit. */
  name: string;
  searched: string;
};

export function ruleRows(rules: readonly Rule[], files: readonly FileRule[]): RuleRow[] {
  const stored = rules.map((rule) => {
    const origin = [describeRuleScope(rule), rule.by, rule.why].filter(Boolean).join(" · ");
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

type RuleTableProps = {
  lines: readonly RuleRow[];
  uses: HitsByRule | undefined;
  chosen: Rule | RuleList | null;
  onChoose: (rule: Rule) => void;
};

/** The columns: rule, origin, number of hits, last hit. */
const RULE_COLUMNS =
  "grid w-full items-baseline gap-x-4 gap-y-0.5 px-3.5 py-2 phone:grid-cols-[minmax(0,1fr)_minmax(0,240px)_70px_90px]";

function RuleTable({ lines, uses, chosen, onChoose }: RuleTableProps) {
  const { t } = useLanguage();
  if (lines.length === 0) return <p className="box px-4 py-3 text-ink-3">{t("noRules")}</p>;
  return (
    <ul className="box divide-y divide-line-soft">
      <li className={`meta max-phone:hidden ${RULE_COLUMNS}`} aria-hidden="true">
        <span>{t("ruleLabel")}</span>
        <span>{t("layer")}</span>
        <span className="text-right">{t("hits")}</span>
        <span className="text-right">{t("lastUse")}</span>
      </li>
      {lines.map((line) => {
        const shape = `${RULE_COLUMNS} text-left ${line.rule !== null && line.rule === chosen ? "bg-accent-soft shadow-[inset_3px_0_0_var(--accent)]" : ""}`;
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
                <RuleCells line={line} uses={uses} />
              </button>
            ) : (
              <div className={shape}>
                <RuleCells line={line} uses={uses} />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function RuleCells({ line, uses }: { line: RuleRow; uses: HitsByRule | undefined }) {
  const { t, language } = useLanguage();
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
        {uses && t("nHits", { count: use?.hits ?? 0 })}
        {uses && (
          <span className="text-ink-3 phone:hidden">
            {" "}
            · {use ? formatDayAndTime(use.last, language) : t("never")}
          </span>
        )}
      </span>
      <span className="meta hidden text-right tabular-nums phone:block">
        {uses && (use ? formatDayAndTime(use.last, language) : t("never"))}
      </span>
    </>
  );
}

const describeRuleScope = ({ agent, user, conversation }: Rule | Grant) =>
  [user, agent, conversation?.slice(0, 8)].filter(Boolean).join(", ");

/** All limits of a remembered approval; the first one that is reached ends it. */
function describeGrantLimits(grant: Grant, t: Translate, language: string): string {
  const limits = [
    grant.until && formatDayAndTime(grant.until, language),
    grant.uses !== null && t("usesLeft", { count: grant.uses }),
    grant.lifetime === "restart" && t("lasts.restart"),
  ];
  return limits.filter(Boolean).join(", ") || t("lasts.forever");
}

function GrantTable({ grants }: { grants: readonly Grant[] }) {
  const { t, language } = useLanguage();
  const revoke = useMutation({
    mutationFn: (id: string) => deleteJson(`grants/${id}`),
    onSuccess: () => {
      showToast(t("revoked"), "undo");
      void refetchQueries(queryKeys.grants);
    },
    onError: (error) => showToast(error.message, "warn"),
  });
  if (grants.length === 0) return null;
  return (
    <section>
      <RuleListHeading tone="run" icon="check" title={t("grants")} note={t("grants.does")} />
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
              {describeRuleScope(grant) || t("scope.everyone")} · {describeGrantLimits(grant, t, language)} ·{" "}
              <VisibleText text={grant.by} />
            </span>
            <Button
              small
              look="stop"
              className="mt-1 justify-self-start phone:mt-0"
              disabled={revoke.isPending}
              onClick={() => revoke.mutate(grant.id)}
            >
              {t("revoke")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function PolicyFiles({ files }: { files: readonly string[] }) {
  const { t } = useLanguage();
  if (files.length === 0) return null;
  return (
    <section>
      <h3 className="pb-1.5">{t("policy")}</h3>
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
