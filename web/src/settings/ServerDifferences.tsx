/** Servers: the differences between servers of one database, and what to do about them. */
import { usePodDifferences } from "@/api/queries";
import type { PodDifference } from "@/api/types";
import { Icon } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { SettingsSection } from "./SettingsSection";

export function ServerDifferences() {
  const t = useTranslate();
  const differences = usePodDifferences();
  if (differences.length === 0) return null;
  return (
    <SettingsSection title={t("servers")}>
      <ul className="grid gap-3">
        {differences.map((one) => (
          <li key={`${one.what} ${one.there}`} className="grid grid-cols-[16px_minmax(0,1fr)] gap-2.5">
            <Icon name="warn" className="mt-0.5 text-ask" />
            <p className="break-words">
              <b className="font-semibold">{t(`servers.${one.what}`)}</b>{" "}
              <Sentence text={t("servers.hereAndThere", differenceTexts(one))} />{" "}
              <span className="text-ink-2">{t(`servers.${one.what}.then`)}</span>
            </p>
          </li>
        ))}
      </ul>
    </SettingsSection>
  );
}

/** Quote a value with backticks; backticks inside it are replaced. */
const quoteText = (text: string) => `\`${text.replaceAll("`", "'")}\``;

const differenceTexts = ({ here, there }: PodDifference) => ({
  here: quoteText(here),
  there: quoteText(there),
});
