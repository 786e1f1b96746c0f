import { expect, test } from "vitest";
import { parseTypedArgs } from "./TryCallForm";

test.each([
  ["terminal.exec", "npm run build", { command: "npm run build" }],
  ["files.write", "a.md", { path: "a.md" }],
  ["Read", "a.md", { file_path: "a.md" }],
  ["WebFetch", "https://x.example", { url: "https://x.example" }],
  ["mail.send", '{"to": "a@b.example"}', { to: "a@b.example" }],
  ["mail.send", "{oops", null],
])("%s with %s means %o", (tool, text, args) => {
  expect(parseTypedArgs(tool, text)).toEqual(args);
});
