/** What cannot be undone, said first: the consequence stands above the command. */
import type { Act, Approval } from "@/api/types";
import { Icon } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import { en, type Key } from "@/words/en";
import { type Say, useSay } from "@/words/words";
import { actsOf } from "./question";

export function Irreversible({ approval }: { approval: Approval }) {
  const say = useSay();
  const acts = actsOf(approval);
  if (acts.length === 0) return null;
  return (
    <div className="irreversible">
      <Icon name="destructive" />
      <ul>
        {acts.map((act, at) => (
          <li key={at}>
            <Sentence text={`${say("cannotBeUndone")} ${sentenceOf(act, say)}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What an act does, in the reader's words. */
export function sentenceOf({ code, values }: Act, say: Say): string {
  const kind = kindOf(values.kind, say);
  // A name in backquotes is drawn as a name; one that holds a backquote must not end it.
  const name = values.name && `\`${values.name.replaceAll("`", "'")}\``;
  const key = `undo.${code}${name ? "" : ".unnamed"}${kind ? "" : ".bare"}`;
  const known = [key, key.replace(/\.bare$/, "")].find((one) => one in en);
  return say((known ?? "undo.deletes.unnamed.bare") as Key, { kind, name });
}

/** A kind of thing in the reader's language where it has a word for it; else as its own field calls it. */
function kindOf(kind: string, say: Say): string {
  const key = `kind.${kind}`;
  return key in en ? say(key as Key) : kind;
}
