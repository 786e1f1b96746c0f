/** Other arguments, which the person prefers: they make a new call, which is decided again. */
import { useId, useState } from "react";
import type { Approval, Args } from "@/api/types";
import { AnswerForm } from "@/inbox/AnswerForm";
import { Button, COMMAND } from "@/ui/Button";
import { useSay } from "@/words/words";
import { HoldButton } from "./HoldButton";

type Props = {
  approval: Approval;
  busy: boolean;
  /** A yes to what was asked is held, so one to other arguments is, too. */
  held: boolean;
  mayPress: () => boolean;
  onAnswer: (args: Args) => void;
  onBack: () => void;
};

export function EditArguments({ approval, busy, held, mayPress, onAnswer, onBack }: Props) {
  const say = useSay();
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(approval.call.args, null, 2));
  const args = argsIn(text);
  const send = () => args && !busy && onAnswer(args);
  return (
    <AnswerForm onSend={held ? () => {} : send} onBack={onBack}>
      <div>
        <label className="field-label" htmlFor={id}>
          {say("argumentsLabel")}
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
        <p className={`meta pt-1 ${args ? "" : "text-deny"}`}>{say(args ? "edited" : "notJson")}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        {held ? (
          <HoldButton disabled={busy || args === null} onHeld={send} mayStart={mayPress}>
            {say("allowEdited")}
          </HoldButton>
        ) : (
          <Button type="submit" look="go" disabled={busy || args === null} hotkey={`${COMMAND} ↵`}>
            {say("allowEdited")}
          </Button>
        )}
        <Button onClick={onBack} hotkey="Esc">
          {say("back")}
        </Button>
      </div>
    </AnswerForm>
  );
}

function argsIn(text: string): Args | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Args) : null;
  } catch {
    return null;
  }
}
