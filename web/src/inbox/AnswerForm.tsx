/** A form inside a card: Command and Enter send it, Escape goes back to the answers. */
import type { ReactNode } from "react";

type AnswerFormProps = { onSend: () => void; onBack: () => void; children: ReactNode };

export function AnswerForm({ onSend, onBack, children }: AnswerFormProps) {
  return (
    <form
      className="always"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !event.repeat) onSend();
        if (event.key === "Escape") onBack();
      }}
    >
      {children}
    </form>
  );
}
