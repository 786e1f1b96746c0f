/** A preview of a rule: the recent questions that it covers, and which of them people denied. */
import { useQuery } from "@tanstack/react-query";
import { postJson } from "@/api/http";
import { useApproval } from "@/api/queries";
import type { Approval, Preview, Touched } from "@/api/types";
import { Icon } from "@/ui/Icon";
import { useDelayedValue } from "@/ui/useDelayedValue";
import { VisibleText } from "@/ui/VisibleText";
import { formatDayAndTime } from "@/words/time";
import { useLanguage } from "@/words/words";
import { questionHeadline } from "./question";

const MAX_SHOWN_QUESTIONS = 6;

/** Preview rules on recent questions; with an approval, also check whether its answer may store them. */
export function useRulePreview(rules: readonly string[], approval?: string) {
  const delayedRules = useDelayedValue(rules, 250);
  const found = useQuery({
    queryKey: ["preview", approval, ...delayedRules],
    queryFn: ({ signal }) =>
      postJson<Preview>(
        "rules/preview",
        { list: "allow", rules: delayedRules, ...(approval ? { approval } : {}) },
        signal,
      ),
    enabled: delayedRules.length > 0 && delayedRules.every((rule) => rule.trim() !== ""),
    retry: false,
    placeholderData: (before) => before,
  });
  // The typed rules have not been checked yet.
  return { ...found, isFetching: found.isFetching || delayedRules !== rules };
}

/** The call if it is still stored, else the name of its tool. */
function CoveredCall({ touched }: { touched: Touched }) {
  const { data } = useApproval(touched.approval);
  return (
    <code>
      <VisibleText text={data ? questionHeadline(data) : touched.tool} />
    </code>
  );
}

export function RulePreview({ rules, approval }: { rules: readonly string[]; approval?: Approval }) {
  const { t, language } = useLanguage();
  const { data, error, isPending } = useRulePreview(rules, approval?.id);
  // In a card, the rule field already shows the error.
  if (error) return approval ? null : <p className="finding">{error.message}</p>;
  if (isPending) return <p className="meta">{t("checking")}</p>;
  const denied = new Set(data.denied.map((one) => one.approval));
  const rows = [...data.denied, ...data.covered.filter((one) => !denied.has(one.approval))];
  return (
    <div className="preview" role="status">
      <header>
        <Icon name="history" size="small" className="mt-0.5 text-ink-3" />
        <span>
          {t("wouldAnswer", { count: rows.length })},{" "}
          {denied.size > 0 ? (
            <b className="font-semibold text-deny">{t("someDenied", { count: denied.size })}</b>
          ) : (
            t("noneDenied")
          )}
        </span>
      </header>
      <ul>
        {rows.slice(0, MAX_SHOWN_QUESTIONS).map((one) => (
          <li key={one.approval} className={denied.has(one.approval) ? "tone-deny" : "tone-run"}>
            <Icon name={denied.has(one.approval) ? "deny" : "run"} size="small" />
            <CoveredCall touched={one} />
            <span>
              {one.approval === approval?.id ? t("thisCall") : formatDayAndTime(one.asked_at, language)}
            </span>
          </li>
        ))}
      </ul>
      {rows.length > MAX_SHOWN_QUESTIONS && (
        <p className="border-t border-line-soft px-3 py-1.5 pl-[38px] text-meta text-ink-3">
          {t("andMore", { count: rows.length - MAX_SHOWN_QUESTIONS })}
        </p>
      )}
    </div>
  );
}
