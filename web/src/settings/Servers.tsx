/** Servers: what is not the same for all that share one database, and what to do about it. */
import { usePods } from "@/api/queries";
import type { PodDifference } from "@/api/types";
import { Icon } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import { useSay } from "@/words/words";
import { Section } from "./Settings";

export function Servers() {
  const say = useSay();
  const differences = usePods();
  if (differences.length === 0) return null;
  return (
    <Section title={say("servers")}>
      <ul className="grid gap-3">
        {differences.map((one) => (
          <li key={`${one.what} ${one.there}`} className="grid grid-cols-[16px_minmax(0,1fr)] gap-2.5">
            <Icon name="warn" className="mt-0.5 text-ask" />
            <p className="break-words">
              <b className="font-semibold">{say(`servers.${one.what}`)}</b>{" "}
              <Sentence text={say("servers.hereAndThere", valuesOf(one))} />{" "}
              <span className="text-ink-2">{say(`servers.${one.what}.then`)}</span>
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** A value in backquotes is drawn as a name; one that holds a backquote must not end it. */
const quoted = (text: string) => `\`${text.replaceAll("`", "'")}\``;

const valuesOf = ({ here, there }: PodDifference) => ({ here: quoted(here), there: quoted(there) });
