/** Other arguments, which the person prefers: they make a new call, which is decided again. */
import { useId, useState } from "react";
import type { Approval, Args } from "@/api/types";
import { AnswerForm } from "@/inbox/AnswerForm";
import { Button, COMMAND } from "@/ui/Button";
import { useSay } from "@/words/words";

type Props = { approval: Approval; busy: boolean; onAnswer: (args: Args) => void; onBack: () => void };

export function EditArguments({ approval, busy, onAnswer, onBack }: Props) {
  const say = useSay();
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(approval.call.args, null, 2));
  const args = argsIn(text);
  const send = () => args && !busy && onAnswer(args);
  return (
    <AnswerForm onSend={send} onBack={onBack}>
      <div>
        <label className="field-label" htmlFor={id}>
          {say("argumentsLabel")}
        </label>
        <span className="field">
          <textarea
            id={id}
            className="mono"
            rows={Math.min(14, text.split("\n").length + 1)}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
        <p className={`meta pt-1 ${args ? "" : "text-deny"}`}>{say(args ? "edited" : "notJson")}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="go" disabled={busy || args === null} hotkey={`${COMMAND} ↵`}>
          {say("allowEdited")}
        </Button>
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
