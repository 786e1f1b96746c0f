/** Edit the arguments: they make a new call, which is decided again. */
import { useId, useState } from "react";
import type { Approval, CallArguments } from "@/api/types";
import { AnswerForm } from "@/inbox/AnswerForm";
import { Button, COMMAND_KEY_NAME } from "@/ui/Button";
import { useTranslate } from "@/words/words";
import { HoldButton } from "./HoldButton";

type ArgumentEditorProps = {
  approval: Approval;
  busy: boolean;
  /** The button must be held for the edited call if it must be held for the original. */
  needsHold: boolean;
  canPress: () => boolean;
  onAnswer: (args: CallArguments) => void;
  onBack: () => void;
};

export function ArgumentEditor({
  approval,
  busy,
  needsHold,
  canPress,
  onAnswer,
  onBack,
}: ArgumentEditorProps) {
  const t = useTranslate();
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(approval.call.args, null, 2));
  const args = parseArguments(text);
  const send = () => args && !busy && onAnswer(args);
  return (
    <AnswerForm onSend={needsHold ? () => {} : send} onBack={onBack}>
      <div>
        <label className="field-label" htmlFor={id}>
          {t("argumentsLabel")}
        </label>
        <span className="field">
          <textarea
            id={id}
            className="mono"
            dir="ltr"
            rows={Math.min(14, text.split("\n").length + 1)}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
        <p className={`meta pt-1 ${args ? "" : "text-deny"}`}>{t(args ? "edited" : "notJson")}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        {needsHold ? (
          <HoldButton disabled={busy || args === null} onHeld={send} canStart={canPress}>
            {t("allowEdited")}
          </HoldButton>
        ) : (
          <Button type="submit" look="go" disabled={busy || args === null} hotkey={`${COMMAND_KEY_NAME} ↵`}>
            {t("allowEdited")}
          </Button>
        )}
        <Button onClick={onBack} hotkey="Esc">
          {t("back")}
        </Button>
      </div>
    </AnswerForm>
  );
}

function parseArguments(text: string): CallArguments | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as CallArguments)
      : null;
  } catch {
    return null;
  }
}
