/** Placeholders for a page that is empty, loading, or without a server. */
import type { ReactNode } from "react";
import { useTranslate } from "@/words/words";
import { Button } from "./Button";
import { Icon, type IconName } from "./Icon";

export function EmptyState({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className="state">
      <Icon name={icon} size="large" className="text-ink-3" />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A loading placeholder, shown after 300 ms so that fast responses do not flash it. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  const t = useTranslate();
  const widths = ["w-1/3", "w-full", "w-3/4", "w-5/6", "w-1/2"];
  return (
    <div className="late grid gap-3.5 p-5" aria-busy="true">
      <span className="sr-only">{t("loading")}</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className={`bone ${widths[at % widths.length]}`} />
      ))}
    </div>
  );
}

export function LoadError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useTranslate();
  return (
    <div className="state" role="alert">
      <Icon name="warn" size="large" className="text-ink-3" />
      <h2>{t("serverSilent")}</h2>
      <p>{t("serverSilentMore")}</p>
      <p className="meta">{error.message}</p>
      <Button onClick={onRetry}>{t("tryAgain")}</Button>
    </div>
  );
}

export function Banner({
  tone,
  icon,
  children,
}: {
  tone: "ask" | "deny";
  icon: IconName;
  children: ReactNode;
}) {
  return (
    <div className={`banner tone-${tone}`} role="status">
      <Icon name={icon} size="small" />
      {children}
    </div>
  );
}
