/** A titled box of the settings page. */
import type { ReactNode } from "react";

export function SettingsSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-3">
      <h2>{title}</h2>
      <div className="box grid gap-4 p-4">{children}</div>
    </section>
  );
}
