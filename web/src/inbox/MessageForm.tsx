/** An answer with a message to the agent. */
import { useEffect, useId, useRef, useState } from "react";
import { AnswerForm } from "@/inbox/AnswerForm";
import { Button, COMMAND_KEY_NAME } from "@/ui/Button";
import { useTranslate } from "@/words/words";

export const MAX_REASON_LENGTH = 2000;

type MessageFormProps = {
  busy: boolean;
  onDeny: (reason: string) => void;
  onAllow: ((reason: string) => void) | undefined;
  onBack: () => void;
};

export function MessageForm({ busy, onDeny, onAllow, onBack }: MessageFormProps) {
  const t = useTranslate();
  const id = useId();
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  // The person has just opened this field.
  useEffect(() => field.current?.focus(), []);
  const send = () => !busy && onDeny(text.trim());
  return (
    <AnswerForm onSend={send} onBack={onBack}>
      <div>
        <label className="field-label" htmlFor={id}>
          {t("tellWhyNot")}
        </label>
        <span className="field">
          <textarea
            id={id}
            ref={field}
            rows={3}
            maxLength={MAX_REASON_LENGTH}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="stop" disabled={busy} hotkey={`${COMMAND_KEY_NAME} ↵`}>
          {t("denyWithMessage")}
        </Button>
        {onAllow && (
          <Button disabled={busy || !text.trim()} onClick={() => onAllow(text.trim())}>
            {t("allowWithMessage")}
          </Button>
        )}
        <Button onClick={onBack} hotkey="Esc">
          {t("back")}
        </Button>
      </div>
    </AnswerForm>
  );
}
