/** What is fed to a command: a text, a file with its digest, or what no rule can name. */
import type { ReactNode } from "react";
import type { Approval } from "@/api/types";
import { Icon } from "@/ui/Icon";
import { Sentence, VisibleText } from "@/ui/VisibleText";
import type { Key } from "@/words/en";
import { type Say, useSay } from "@/words/words";
import { type Fed, isOnceOnly } from "./fed";

/** Hexadecimal digits of a digest that people compare. */
const DIGITS = 12;

type Props = {
  approval: Approval;
  fed: readonly Fed[];
  /** Draws a text that may be long. */
  draw: (text: string) => ReactNode;
};

/** Every input, unless it is shown inside the command, and what a yes means for it. */
export function FedView({ approval, fed, draw }: Props) {
  return fed.map((one, at) => (
    <section key={at} className="fed">
      {one.place === null && <FedBlock fed={one}>{one.text && draw(one.text)}</FedBlock>}
      {approval.state === "pending" && <Meaning fed={one} approval={approval} />}
    </section>
  ));
}

/** One input: which command is fed by what, and the text where it is one. */
export function FedBlock({ fed, children }: { fed: Fed; children: ReactNode }) {
  const say = useSay();
  const { path, digest, commands } = fed.input;
  return (
    <>
      <p className="fed-head">
        <Icon name="under" size="small" />
        <span>
          <Sentence text={say("fed.to", { commands: commands.map(quoted).join(", ") })} />{" "}
        </span>
        {path && (
          <b className="mono">
            <VisibleText text={path} />
          </b>
        )}
        {digest && <code title={digest}>sha256 {digest.slice(0, DIGITS)}…</code>}
        {sourceOf(fed, say) && (
          <span>
            <Sentence text={sourceOf(fed, say)} />
          </span>
        )}
      </p>
      {children && <div className="fed-text">{children}</div>}
    </>
  );
}

/** A name in backquotes is drawn as a name; one that holds a backquote must not end it. */
const quoted = (name: string) => `\`${name.replaceAll("`", "'")}\``;

function sourceOf({ input, text, argument }: Fed, say: Say): string {
  if (input.source === "file") return "";
  if (text === null) return say(`fed.${input.source}` as Key);
  const lines = text.replace(/\n$/, "").split("\n").length;
  const size = text === "" ? say("fed.empty") : say("fed.text", { count: lines });
  return argument ? `${say("fed.argument", { name: quoted(argument) })}, ${size}` : size;
}

/** How far a yes reaches over what is fed. */
function Meaning({ fed, approval }: { fed: Fed; approval: Approval }) {
  const say = useSay();
  const key = meaningOf(fed, approval);
  return (
    key && (
      <p className="exactly">
        <Icon name={key === "fed.unknownProgram" ? "ask" : "lock"} size="small" />
        <span>{say(key)}</span>
      </p>
    )
  );
}

function meaningOf({ input, text }: Fed, approval: Approval): Key | null {
  if (input.source === "file" && input.digest) return "fed.exactFile";
  if (!input.must_be_named) return "fed.unknownProgram";
  if (!approval.decision.always_offered) return null;
  if (input.can_be_named) return text === null ? null : "fed.exactText";
  if (!isOnceOnly(approval)) return null;
  return input.source === "file" ? "fed.unread" : "fed.onceOnly";
}
