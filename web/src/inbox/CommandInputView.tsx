/** Shows the input of a command: a text, a file with its digest, or a source that no rule can describe. */
import type { ReactNode } from "react";
import type { Approval } from "@/api/types";
import { Icon } from "@/ui/Icon";
import { Sentence, VisibleText } from "@/ui/VisibleText";
import type { TextKey } from "@/words/en";
import { type Translate, useTranslate } from "@/words/words";
import { canOnlyAllowOnce, type ShownCommandInput } from "./commandInput";

/** The number of shown digits of a digest. */
const DIGEST_LENGTH = 12;

type CommandInputViewProps = {
  approval: Approval;
  fed: readonly ShownCommandInput[];
  /** Draws a text that may be long. */
  draw: (text: string) => ReactNode;
};

/** Shows each input that is not part of the command line, and how long an answer is valid for it. */
export function CommandInputView({ approval, fed, draw }: CommandInputViewProps) {
  return fed.map((one, at) => (
    <section key={at} className="fed">
      {one.place === null && <CommandInputBlock fed={one}>{one.text && draw(one.text)}</CommandInputBlock>}
      {approval.state === "pending" && <AlwaysInputNote fed={one} approval={approval} />}
    </section>
  ));
}

/** Shows one input: the commands that read it, its source, and its text. */
export function CommandInputBlock({ fed, children }: { fed: ShownCommandInput; children: ReactNode }) {
  const t = useTranslate();
  const { path, digest, commands } = fed.input;
  return (
    <>
      <p className="fed-head">
        <Icon name="under" size="small" />
        <span>
          <Sentence text={t("fed.to", { commands: commands.map(quoteName).join(", ") })} />{" "}
        </span>
        {path && (
          <b className="mono">
            <VisibleText text={path} />
          </b>
        )}
        {digest && <code title={digest}>sha256 {digest.slice(0, DIGEST_LENGTH)}…</code>}
        {describeInputSource(fed, t) && (
          <span>
            <Sentence text={describeInputSource(fed, t)} />
          </span>
        )}
      </p>
      {children && <div className="fed-text">{children}</div>}
    </>
  );
}

/** Quote a name with backticks; backticks inside it are replaced. */
const quoteName = (name: string) => `\`${name.replaceAll("`", "'")}\``;

function describeInputSource({ input, text, argument }: ShownCommandInput, t: Translate): string {
  if (input.source === "file") return "";
  if (text === null) return t(`fed.${input.source}` as TextKey);
  const lines = text.replace(/\n$/, "").split("\n").length;
  const size = text === "" ? t("fed.empty") : t("fed.text", { count: lines });
  return argument ? `${t("fed.argument", { name: quoteName(argument) })}, ${size}` : size;
}

/** A note that says whether an answer for this input can be remembered. */
function AlwaysInputNote({ fed, approval }: { fed: ShownCommandInput; approval: Approval }) {
  const t = useTranslate();
  const key = alwaysInputNoteKey(fed, approval);
  return (
    key && (
      <p className="exactly">
        <Icon name={key === "fed.unknownProgram" ? "ask" : "lock"} size="small" />
        <span>{t(key)}</span>
      </p>
    )
  );
}

function alwaysInputNoteKey({ input, text }: ShownCommandInput, approval: Approval): TextKey | null {
  if (input.source === "file" && input.digest) return "fed.exactFile";
  if (!input.must_be_named) return "fed.unknownProgram";
  if (!approval.decision.always_offered) return null;
  if (input.can_be_named) return text === null ? null : "fed.exactText";
  if (!canOnlyAllowOnce(approval)) return null;
  return input.source === "file" ? "fed.unread" : "fed.onceOnly";
}
