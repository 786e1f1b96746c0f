/** What each mode does with each effect, before any rule. */
import { useModes } from "@/api/presets";
import { EFFECTS, ModeDot, verdictIcon, verdictTone } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { useTranslate } from "@/words/words";

export function ModeTable() {
  const t = useTranslate();
  const modes = useModes();
  if (modes.length === 0) return null;
  return (
    <section>
      <div className="flex items-center gap-2.5 pb-2">
        <h2>{t("modeMeaning")}</h2>
        <span className="meta">{t("beforeRules")}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: with long words the table scrolls, also by keyboard */}
      <div className="box overflow-x-auto" tabIndex={0}>
        <table className="w-full text-meta">
          <thead>
            <tr className="border-b border-line">
              <th className="px-3 py-2 text-left align-bottom font-semibold">{t("effect")}</th>
              {modes.map(({ mode }) => (
                <th key={mode} className="px-1 py-2 align-top font-semibold last:pr-3">
                  <span className="grid justify-items-center gap-1 leading-tight">
                    <ModeDot mode={mode} />
                    <span className="w-min">{t(`mode.${mode}`)}</span>
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line-soft">
            {EFFECTS.map((effect) => (
              <tr key={effect}>
                <th
                  scope="row"
                  className={`tone-${effect} tinted px-3 py-1.5 text-left font-semibold whitespace-nowrap`}
                >
                  <Icon name={effect} size="small" /> {t(effect)}
                </th>
                {modes.map(({ mode, verdicts }) => {
                  const verdict = verdicts[effect] ?? "ask";
                  return (
                    <td
                      key={mode}
                      className={`${verdictTone(verdict)} tinted px-1 py-1.5 text-center font-medium whitespace-nowrap last:pr-3`}
                    >
                      <Icon name={verdictIcon(verdict)} size="small" />{" "}
                      {t(verdict === "absent" ? "deny" : verdict)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
