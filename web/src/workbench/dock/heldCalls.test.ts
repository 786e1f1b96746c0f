import { describe, expect, it } from "vitest";
import { pushApproval } from "@/test/samples";
import { assignNumbers, placeOf } from "./heldCalls";

describe("numbers of held calls", () => {
  it("stay with their calls until these are answered, and free ones are used again", () => {
    const first = assignNumbers(["a", "b", "c"], new Map());
    expect([...first]).toEqual([
      ["a", 1],
      ["b", 2],
      ["c", 3],
    ]);

    expect([...assignNumbers(["b", "c", "d"], first)]).toEqual([
      ["b", 2],
      ["c", 3],
      ["d", 1],
    ]);
  });
});

it.each([
  ["editor.proposeEdit", { path: "/a.ts" }, { kind: "editor", resource: "/a.ts" }],
  ["files.write", { path: "/a.ts" }, { kind: "editor", resource: "/a.ts" }],
  ["files.delete", { path: "/a.ts" }, { kind: "files", resource: "" }],
  ["terminal.exec", { command: "ls", terminal: "t1" }, { kind: "terminal", resource: "t1" }],
  ["mail.send", {}, null],
])("shows %s where it happens", (tool, args, place) => {
  const sample = pushApproval();

  expect(placeOf({ ...sample, call: { ...sample.call, tool, args } }, "shop")).toEqual(place);
});
