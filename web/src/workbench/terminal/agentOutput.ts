/** What the commands of agents wrote to a terminal: the only output that an agent reads without being shared. */

const MAX_CHARACTERS = 100_000;
/** Escape sequences of a terminal, and control characters other than line ends and tabs. */
const CONTROL_SEQUENCES = new RegExp(
  [
    String.raw`\u001b\[[0-?]*[ -/]*[@-~]?`,
    String.raw`\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?`,
    String.raw`\u001b[ -/]*[0-~]?`,
    String.raw`[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]`,
  ].join("|"),
  "g",
);

export class AgentOutput {
  private text = "";

  /** Add output as it arrives; a piece may end in the middle of a line or of an escape sequence. */
  add(piece: string) {
    this.text = (this.text + piece).slice(-MAX_CHARACTERS);
  }

  /** The last lines without escape sequences. */
  lastLines(count: number): string {
    const plain = this.text.replace(/\r*\n|\r/g, "\n").replace(CONTROL_SEQUENCES, "");
    return plain.split("\n").slice(-count).join("\n");
  }
}
