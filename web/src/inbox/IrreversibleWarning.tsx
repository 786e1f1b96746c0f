/** What the call does that cannot be undone, above the command. */
import type { Act, Approval } from "@/api/types";
import { Icon } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import { en, type TextKey } from "@/words/en";
import { type Translate, useTranslate } from "@/words/words";
import { irreversibleActs } from "./question";

export function IrreversibleWarning({ approval }: { approval: Approval }) {
  const t = useTranslate();
  const acts = irreversibleActs(approval);
  if (acts.length === 0) return null;
  return (
    <div className="irreversible">
      <Icon name="destructive" />
      <ul>
        {acts.map((act, at) => (
          <li key={at}>
            <Sentence text={`${t("cannotBeUndone")} ${describeIrreversibleAct(act, t)}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A sentence about what an act does, in the user's language. */
export function describeIrreversibleAct({ code, values }: Act, t: Translate): string {
  const kind = objectKindWord(values.kind, t);
  // Quote a name with backticks; backticks inside it are replaced.
  const name = values.name && `\`${values.name.replaceAll("`", "'")}\``;
  const key = `undo.${code}${name ? "" : ".unnamed"}${kind ? "" : ".bare"}`;
  const known = [key, key.replace(/\.bare$/, "")].find((one) => one in en);
  return t((known ?? "undo.deletes.unnamed.bare") as TextKey, { kind, name });
}

/** The translated name of a kind of resource, or the name itself if there is no translation. */
function objectKindWord(kind: string, t: Translate): string {
  const key = `kind.${kind}`;
  return key in en ? t(key as TextKey) : kind;
}
