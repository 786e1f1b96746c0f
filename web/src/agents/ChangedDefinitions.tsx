/** Tools that need approval because their definition changed: the change, and a button to accept it. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getJson, postJson } from "@/api/http";
import { refetchQueries, useMe } from "@/api/queries";
import type { DefinitionJson } from "@/api/types";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";

const DEFINITIONS_KEY = ["definitions"];

export function ChangedDefinitions({ agent }: { agent: string }) {
  const t = useTranslate();
  const administrator = useMe().data?.administrator ?? false;
  const { data = [] } = useQuery({
    queryKey: DEFINITIONS_KEY,
    queryFn: async () => (await getJson<{ items: DefinitionJson[] }>("definitions")).items,
    enabled: administrator,
  });
  const accept = useMutation({
    mutationFn: ({ origin, tool, digest }: DefinitionJson) =>
      postJson("definitions/accept", { origin, tool, digest }),
    onSuccess: () => showToast(t("accepted")),
    onError: (error) => showToast(error.message, "warn"),
    onSettled: () => refetchQueries(DEFINITIONS_KEY),
  });
  const own = data.filter((one) => one.agent === "" || one.agent === agent);
  if (own.length === 0) return null;
  return (
    <section aria-label={t("definitionsChanged")}>
      <h2 className="tone-ask tinted pb-2">
        <Icon name="warn" /> {t("definitionsChanged")}
      </h2>
      <ul className="box divide-y divide-line-soft">
        {own.map((one) => (
          <li key={`${one.origin} ${one.tool}`} className="grid gap-1.5 px-3.5 py-2">
            <div className="flex flex-wrap items-center gap-3">
              <code className="grow text-[13px] font-medium">
                <VisibleText text={one.tool} />
              </code>
              <span className="meta">
                <VisibleText text={one.origin} />
              </span>
              <Button small disabled={accept.isPending} onClick={() => accept.mutate(one)}>
                {t("acceptDefinition")}
              </Button>
            </div>
            {one.differences.length === 0 && <p className="meta">{t("definitionUnknown")}</p>}
            {one.differences.map(({ field, before, after }) => (
              <div key={field} className="text-meta">
                <code>{field}</code>
                {before !== null && (
                  <p className="tone-deny">
                    − <VisibleText text={before} />
                  </p>
                )}
                {after !== null && (
                  <p className="tone-run">
                    + <VisibleText text={after} />
                  </p>
                )}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
