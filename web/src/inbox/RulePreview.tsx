/** What a rule would have done: the recent questions it covers, and those among them that people denied. */
import { useQuery } from "@tanstack/react-query";
import { post } from "@/api/http";
import { useApproval } from "@/api/queries";
import type { Approval, Preview, Touched } from "@/api/types";
import { Icon } from "@/ui/Icon";
import { useDelayed } from "@/ui/useDelayed";
import { VisibleText } from "@/ui/VisibleText";
import { clock } from "@/words/time";
import { useWords } from "@/words/words";
import { headline } from "./question";

const MOST_ROWS = 6;

/** What rules would have done, and, with a question, whether a yes to it may write them. */
export function usePreview(rules: readonly string[], approval?: string) {
  const asked = useDelayed(rules, 250);
  const found = useQuery({
    queryKey: ["preview", approval, ...asked],
    queryFn: ({ signal }) =>
      post<Preview>(
        "rules/preview",
        { list: "allow", rules: asked, ...(approval ? { approval } : {}) },
        signal,
      ),
    enabled: asked.length > 0 && asked.every((rule) => rule.trim() !== ""),
    retry: false,
    placeholderData: (before) => before,
  });
  // What is about to be asked anew is not known yet.
  return { ...found, isFetching: found.isFetching || asked !== rules };
}

/** The call itself where it is still kept, else the name of its tool. */
function TouchedCall({ touched }: { touched: Touched }) {
  const { data } = useApproval(touched.approval);
  return (
    <code>
      <VisibleText text={data ? headline(data) : touched.tool} />
    </code>
  );
}

export function RulePreview({ rules, approval }: { rules: readonly string[]; approval?: Approval }) {
  const { say, language } = useWords();
  const { data, error, isPending } = usePreview(rules, approval?.id);
  // Where a question is answered, the rule itself says what is wrong with it.
  if (error) return approval ? null : <p className="finding">{error.message}</p>;
  if (isPending) return <p className="meta">{say("checking")}</p>;
  const denied = new Set(data.denied.map((one) => one.approval));
  const rows = [...data.denied, ...data.covered.filter((one) => !denied.has(one.approval))];
  return (
    <div className="preview" role="status">
      <header>
        <Icon name="history" size="small" className="mt-0.5 text-ink-3" />
        <span>
          {say("wouldAnswer", { count: rows.length })},{" "}
          {denied.size > 0 ? (
            <b className="font-semibold text-deny">{say("someDenied", { count: denied.size })}</b>
          ) : (
            say("noneDenied")
          )}
        </span>
      </header>
      <ul>
        {rows.slice(0, MOST_ROWS).map((one) => (
          <li key={one.approval} className={denied.has(one.approval) ? "tone-deny" : "tone-run"}>
            <Icon name={denied.has(one.approval) ? "deny" : "run"} size="small" />
            <TouchedCall touched={one} />
            <span>{one.approval === approval?.id ? say("thisCall") : clock(one.asked_at, language)}</span>
          </li>
        ))}
      </ul>
      {rows.length > MOST_ROWS && (
        <p className="border-t border-line-soft px-3 py-1.5 pl-[38px] text-meta text-ink-3">
          {say("andMore", { count: rows.length - MOST_ROWS })}
        </p>
      )}
    </div>
  );
}
