/** A stage of a decision: its text, and its name in the reference. */
import type { Stage } from "@/api/types";
import { en, type TextKey } from "@/words/en";
import { type Translate, useTranslate } from "@/words/words";

/** The type check fails if a stage has no text. */
const stageTextKey = (stage: Stage): TextKey => `stage.${stage}`;

/** The text of a stage; an unknown name is returned unchanged. */
export function stageWord(stage: string, t: Translate): string {
  const key = stageTextKey(stage as Stage);
  return key in en ? t(key) : stage;
}

export function StageName({ stage }: { stage: string }) {
  const t = useTranslate();
  return <span title={stage}>{stageWord(stage, t)}</span>;
}

/** The text of a stage with its name in the reference. */
export function StageReference({ stage }: { stage: string }) {
  const t = useTranslate();
  return (
    <>
      {stageWord(stage, t)} <code className="font-normal text-ink-3">{stage}</code>
    </>
  );
}
