/** The agent's description of its call: last, small, labelled, and always plain text. */
import { useState } from "react";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";

const MAX_SHOWN_CHARACTERS = 280;

export function AgentDescription({ text }: { text: string }) {
  const t = useTranslate();
  const [whole, setWhole] = useState(false);
  if (!text) return null;
  const line = text.replace(/\s+/g, " ").trim();
  const rest = line.length - MAX_SHOWN_CHARACTERS;
  return (
    <div className="said">
      <b className="font-medium">{t("agentSays")}</b>
      <span>
        <q>
          <VisibleText text={whole ? line : line.slice(0, MAX_SHOWN_CHARACTERS)} />
        </q>{" "}
        {rest > 0 && !whole && (
          <button type="button" className="underline" onClick={() => setWhole(true)}>
            {t("moreCharacters", { count: rest })}, {t("showThem")}
          </button>
        )}
      </span>
    </div>
  );
}
