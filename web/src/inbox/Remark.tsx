/** An answer with a message, which the agent is told: a reason for the no, or a word with the yes. */
import { useEffect, useId, useRef, useState } from "react";
import { AnswerForm } from "@/inbox/AnswerForm";
import { Button, COMMAND } from "@/ui/Button";
import { useSay } from "@/words/words";

export const LONGEST_REASON = 2000;

type Props = {
  busy: boolean;
  onDeny: (reason: string) => void;
  onAllow: ((reason: string) => void) | undefined;
  onBack: () => void;
};

export function Remark({ busy, onDeny, onAllow, onBack }: Props) {
  const say = useSay();
  const id = useId();
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  // The person has just asked for this field.
  useEffect(() => field.current?.focus(), []);
  const send = () => !busy && onDeny(text.trim());
  return (
    <AnswerForm onSend={send} onBack={onBack}>
      <div>
        <label className="field-label" htmlFor={id}>
          {say("tellWhyNot")}
        </label>
        <span className="field">
          <textarea
            id={id}
            ref={field}
            rows={3}
            maxLength={LONGEST_REASON}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="stop" disabled={busy} hotkey={`${COMMAND} ↵`}>
          {say("denyWithMessage")}
        </Button>
        {onAllow && (
          <Button disabled={busy || !text.trim()} onClick={() => onAllow(text.trim())}>
            {say("allowWithMessage")}
          </Button>
        )}
        <Button onClick={onBack} hotkey="Esc">
          {say("back")}
        </Button>
      </div>
    </AnswerForm>
  );
}
