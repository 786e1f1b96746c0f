/** The agent's own words: last, small, labelled, and plain text whatever they look like. */
import { useState } from "react";
import { VisibleText } from "@/ui/VisibleText";
import { useSay } from "@/words/words";

const LONGEST = 280;

export function Said({ text }: { text: string }) {
  const say = useSay();
  const [whole, setWhole] = useState(false);
  if (!text) return null;
  const line = text.replace(/\s+/g, " ").trim();
  const rest = line.length - LONGEST;
  return (
    <div className="said">
      <b className="font-medium">{say("agentSays")}</b>
      <span>
        <q>
          <VisibleText text={whole ? line : line.slice(0, LONGEST)} />
        </q>{" "}
        {rest > 0 && !whole && (
          <button type="button" className="underline" onClick={() => setWhole(true)}>
            {say("moreCharacters", { count: rest })}, {say("showThem")}
          </button>
        )}
      </span>
    </div>
  );
}
