/** A field for the name of a file; Escape leaves it. */
import { useState } from "react";

export function NameForm({
  label,
  start,
  onDone,
}: {
  label: string;
  start: string;
  onDone: (name: string) => void;
}) {
  const [name, setName] = useState(start);
  return (
    <form
      className="px-2 pb-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(name.trim());
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the person just asked for this field
        autoFocus
        className="field mono w-full"
        aria-label={label}
        placeholder={label}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") onDone("");
        }}
      />
    </form>
  );
}
