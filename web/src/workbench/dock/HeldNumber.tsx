/** The number that marks a held call wherever it appears. */
import { useTranslate } from "@/words/words";

export function HeldNumber({ number }: { number: number }) {
  const t = useTranslate();
  return (
    <span className="held-number">
      <span aria-hidden="true">{number}</span>
      <span className="sr-only">{t("heldNumber", { number })}</span>
    </span>
  );
}
