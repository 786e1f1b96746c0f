/** The head of a page: title, note and buttons. */
import type { ReactNode } from "react";

type PageBarProps = {
  title: string;
  note?: string;
  /** Shown before the title, such as a link back. */
  lead?: ReactNode;
  children?: ReactNode;
};

export function PageBar({ title, note, lead, children }: PageBarProps) {
  return (
    <header className="flex min-h-[52px] flex-none items-center phone:flex-wrap gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-1.5 phone:px-5">
      {lead}
      {/* The title shrinks first; the buttons stay beside it and wrap only below 160 px. */}
      <div className="flex min-w-0 flex-1 basis-0 items-baseline gap-x-3 phone:min-w-40">
        <h1 className="min-w-0 truncate">{title}</h1>
        {note && <span className="meta min-w-0 shrink-[9999] truncate whitespace-nowrap">{note}</span>}
      </div>
      {children}
    </header>
  );
}
