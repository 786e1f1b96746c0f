/** A stage of a decision: the word that people use for it, and the name under which the reference has it. */
import type { Stage } from "@/api/types";
import { en, type Key } from "@/words/en";
import { type Say, useSay } from "@/words/words";

/** The compiler sees to it that there is a word for every stage of the server. */
const keyOf = (stage: Stage): Key => `stage.${stage}`;

/** The word for a stage; a name that is none of ours stays as it is. */
export function stageWord(stage: string, say: Say): string {
  const key = keyOf(stage as Stage);
  return key in en ? say(key) : stage;
}

export function StageName({ stage }: { stage: string }) {
  const say = useSay();
  return <span title={stage}>{stageWord(stage, say)}</span>;
}

/** The word with its name beside it, where there is room to look it up. */
export function StageReference({ stage }: { stage: string }) {
  const say = useSay();
  return (
    <>
      {stageWord(stage, say)} <code className="font-normal text-ink-3">{stage}</code>
    </>
  );
}
