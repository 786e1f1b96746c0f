/** Tools whose definition nobody accepted: what is new or changed, and a button to accept it. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getJson, postJson } from "@/api/http";
import { refetchQueries, useMe } from "@/api/queries";
import type { DefinitionJson, DefinitionsShown } from "@/api/types";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";

const DEFINITIONS_KEY = ["definitions"];

export function DefinitionsToReview() {
  const t = useTranslate();
  const administrator = useMe().data?.administrator ?? false;
  const { data } = useQuery({
    queryKey: DEFINITIONS_KEY,
    queryFn: () => getJson<DefinitionsShown>("definitions"),
    enabled: administrator,
  });
  const accept = useMutation({
    mutationFn: ({ origin, tool, digest }: DefinitionJson) =>
      postJson("definitions/accept", { origin, tool, digest }),
    onSuccess: () => showToast(t("accepted")),
    onError: (error) => showToast(error.message, "warn"),
    onSettled: () => refetchQueries(DEFINITIONS_KEY),
  });
  if (!data?.items.length) return null;
  return (
    <section aria-label={t("definitionsToReview")}>
      <h2 className="tone-ask tinted pb-1">
        <Icon name="warn" /> {t("definitionsToReview")}
      </h2>
      <p className="meta pb-2">{t("definitionsToReviewMore")}</p>
      <ul className="box divide-y divide-line-soft">
        {data.items.map((one) => (
          <li
            key={`${one.origin} ${one.tool} ${one.digest}`}
            aria-label={one.tool}
            className="grid gap-1.5 px-3.5 py-2"
          >
            <div className="flex flex-wrap items-center gap-3">
              <code className="grow text-[13px] font-medium">
                <VisibleText text={one.tool} />
              </code>
              <span className="meta">
                <VisibleText text={[one.origin, one.agent].filter(Boolean).join(" · ")} />
              </span>
              <Button
                small
                aria-label={`${t("acceptDefinition")}: ${one.tool}`}
                disabled={accept.isPending}
                onClick={() => accept.mutate(one)}
              >
                {t("acceptDefinition")}
              </Button>
            </div>
            <p className="meta">{t(one.review === "new" ? "definition.new" : "definition.changed")}</p>
            {one.differences.length === 0 && <p className="meta">{t("definitionUnknown")}</p>}
            {one.differences.map(({ field, before, after }) => (
              <div key={field} className="text-meta">
                <code>
                  <VisibleText text={field} />
                </code>
                {before !== null && (
                  <p className="tone-deny">
                    − <VisibleText text={before} />
                  </p>
                )}
                {after !== null && (
                  <p className={one.review === "new" ? undefined : "tone-run"}>
                    {one.review === "new" ? "" : "+ "}
                    <VisibleText text={after} />
                  </p>
                )}
              </div>
            ))}
          </li>
        ))}
      </ul>
      {data.next && <p className="meta pt-2">{t("definitionsFollow")}</p>}
    </section>
  );
}
