/** Packs: the shipped sets of commands, each with its switch and the number of questions that it would have avoided. */
import { useMutation } from "@tanstack/react-query";
import { putJson } from "@/api/http";
import { queryKeys, refetchQueries } from "@/api/queries";
import type { PackShown } from "@/api/types";
import { Button } from "@/ui/Button";
import { useTranslate } from "@/words/words";
import { usePackPreview, usePacks } from "./ruleQueries";

export function PackList() {
  const t = useTranslate();
  const packs = usePacks().data ?? [];
  if (packs.length === 0) return null;
  // What is on or fits the files of a workspace comes first.
  const sorted = packs.toSorted((one, other) => rank(other) - rank(one));
  return (
    <section aria-labelledby="packs">
      <h2 id="packs" className="pb-1">
        {t("packs")}
      </h2>
      <p className="pb-2 text-ink-2">{t("packs.warning")}</p>
      <ul className="box divide-y divide-line-soft">
        {sorted.map((pack) => (
          <PackRow key={pack.name} pack={pack} />
        ))}
      </ul>
    </section>
  );
}

const rank = ({ on, fits }: PackShown) => (on ? 2 : 0) + (fits ? 1 : 0);

const PACK_NAMES = ["go", "node", "python", "rust", "java", "dotnet", "make", "git"] as const;

function PackRow({ pack }: { pack: PackShown }) {
  const t = useTranslate();
  const preview = usePackPreview(pack).data;
  const name = PACK_NAMES.find((known) => known === pack.name);
  const turn = useMutation({
    mutationFn: () => putJson("packs", { name: pack.name, on: !pack.on }),
    onSettled: () => Promise.all([refetchQueries(["packs"]), refetchQueries(queryKeys.rules)]),
  });
  return (
    <li className="grid gap-1 px-3.5 py-2.5">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <code className="font-semibold">@{pack.name}</code>
        {pack.fits && <span className="meta">{t("packs.fits")}</span>}
        <span className="grow" />
        <Button
          small
          role="switch"
          aria-checked={pack.on}
          aria-label={t("packs.switch", { name: pack.name })}
          look={pack.on ? "stop" : "quiet"}
          disabled={turn.isPending}
          onClick={() => turn.mutate()}
        >
          {t(pack.on ? "packs.off" : "packs.on")}
        </Button>
      </div>
      <p>{name ? t(`packs.${name}`) : pack.purpose}</p>
      {preview && preview.looked_at > 0 && (
        <p className="meta">
          {t("packs.spared", { spared: preview.covered.length, asked: preview.looked_at })}
        </p>
      )}
      <details className="meta">
        <summary>{t("packs.examples")}</summary>
        <PackExamples title={t("packs.allows")} commands={pack.match} />
        <PackExamples title={t("packs.never")} commands={pack.never} />
      </details>
    </li>
  );
}

function PackExamples({ title, commands }: { title: string; commands: readonly string[] }) {
  return (
    <div className="pt-1">
      {title}
      <ul className="grid gap-0.5 pl-3">
        {commands.map((command) => (
          <li key={command}>
            <code className="break-all">{command}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
