/** The text of a file after an edit, as the server computes it; throws for an edit that does not fit. */

export function applyEdit(before: string, args: Record<string, unknown>): string {
  if (typeof args["content"] === "string") return args["content"];
  const edits = Array.isArray(args["edits"]) ? (args["edits"] as unknown[]) : [args];
  return edits.reduce<string>((text, edit) => replaceOnce(text, edit as Record<string, unknown>), before);
}

function replaceOnce(text: string, edit: Record<string, unknown>): string {
  const { old_string: old, new_string: fresh, replace_all: all } = edit;
  if (typeof old !== "string" || typeof fresh !== "string") {
    throw new Error("an edit needs `old_string` and `new_string`, or `content`");
  }
  if (old === "" && text === "") return fresh;
  const count = old === "" ? 0 : text.split(old).length - 1;
  if (count === 0) throw new Error("`old_string` does not occur in the file: read the file again");
  if (count > 1 && all !== true) throw new Error(`\`old_string\` occurs ${count} times: make it longer`);
  return text.replaceAll(old, () => fresh);
}
