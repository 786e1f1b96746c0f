import { describe, expect, it } from "vitest";
import {
  type Arrangement,
  closePane,
  EMPTY,
  focusPane,
  groups,
  isArrangement,
  type LayoutNode,
  moveToNeighbour,
  openPane,
  setResource,
  splitPane,
  withoutKinds,
} from "./arrangement";
import { makeWorkspaces } from "./workspaces";

/** The tree in short: tabs in brackets with the active one starred, rows as `|`, columns as `/`. */
function draw(node: LayoutNode | null): string {
  if (!node) return "";
  if (node.type === "tabs")
    return `[${node.panes.map((id) => (id === node.active ? `${id}*` : id)).join(" ")}]`;
  return `(${node.children.map(draw).join(node.direction === "horizontal" ? " | " : " / ")})`;
}
const shape = (now: Arrangement) => draw(now.root);
const CODE = makeWorkspaces().code;

describe("opening", () => {
  it("starts the code workspace as a workbench", () => {
    expect(shape(CODE)).toBe("(([files-1*] / [status-5*]) | ([editor-2*] / ([terminal-3*] | [calls-4*])))");
  });

  it("puts a pane beside others of its kind, and focuses one that is open", () => {
    const two = openPane(openPane(CODE, "editor", "/a.ts"), "editor", "/b.ts");
    expect(shape(two)).toContain("[editor-2 editor-6*]");
    const again = openPane(two, "editor", "/a.ts");

    expect(shape(again)).toContain("[editor-2* editor-6]");
    expect(again.focused).toBe("editor-2");
    expect(openPane(again, "files", "whatever").focused).toBe("files-1");
  });

  it("opens a second terminal, because each one is another", () => {
    expect(shape(openPane(CODE, "terminal"))).toContain("[terminal-3 terminal-6*]");
  });
});

describe("splitting", () => {
  it("puts a new pane beside or below, in the split that has this direction", () => {
    const one = openPane(EMPTY, "editor", "/a");
    const two = splitPane(one, "editor-1", "horizontal", { kind: "terminal", resource: "" });
    expect(shape(two)).toBe("([editor-1*] | [terminal-2*])");
    const three = splitPane(two, "terminal-2", "horizontal", { kind: "calls", resource: "" });

    expect(shape(three)).toBe("([editor-1*] | [terminal-2*] | [calls-3*])");
    expect(shape(splitPane(three, "terminal-2", "vertical", { kind: "status", resource: "" }))).toBe(
      "([editor-1*] | ([terminal-2*] / [status-4*]) | [calls-3*])",
    );
  });

  it("moves a tab out of its group, and leaves a group of one alone", () => {
    const two = openPane(openPane(EMPTY, "editor", "/a"), "editor", "/b");

    expect(shape(splitPane(two, "editor-1", "vertical", null))).toBe("([editor-2*] / [editor-1*])");
    const one = openPane(EMPTY, "editor", "/a");
    expect(splitPane(one, "editor-1", "vertical", null)).toBe(one);
  });

  it("moves a pane that is open once instead of opening it twice", () => {
    const next = splitPane(CODE, "editor-2", "horizontal", { kind: "calls", resource: "" });

    expect(groups(next.root).filter((group) => group.panes.includes("calls-4"))).toHaveLength(1);
    expect(shape(next)).toContain("([editor-2*] | [calls-4*])");
  });
});

describe("closing and moving", () => {
  it("activates the neighbour, and removes a group that is empty", () => {
    const three = ["/a", "/b", "/c"].reduce((now, path) => openPane(now, "editor", path), EMPTY);
    const closed = closePane(focusPane(three, "editor-2"), "editor-2");
    expect(shape(closed)).toBe("[editor-1 editor-3*]");
    expect(closed.focused).toBe("editor-3");

    const rest = ["status-5", "calls-4", "terminal-3", "editor-2"].reduce(closePane, CODE);
    expect(shape(rest)).toBe("[files-1*]");
    expect(closePane(rest, "files-1").root).toBeNull();
  });

  it("does nothing with an id that is not open", () => {
    expect(closePane(CODE, "x")).toBe(CODE);
    expect(focusPane(CODE, "x")).toBe(CODE);
    expect(splitPane(CODE, "x", "vertical", null)).toBe(CODE);
    expect(setResource(CODE, "x", "y")).toBe(CODE);
  });

  it("moves a pane to the next group", () => {
    const moved = moveToNeighbour(CODE, "terminal-3", 1);

    expect(shape(moved)).toBe("(([files-1*] / [status-5*]) | ([editor-2*] / [calls-4 terminal-3*]))");
  });

  it("leaves out the kinds that are drawers on a narrow screen", () => {
    expect(draw(withoutKinds(CODE, new Set(["files", "calls", "status"])))).toBe(
      "([editor-2*] / [terminal-3*])",
    );
  });
});

it("reads only arrangements that can be drawn from storage", () => {
  expect(isArrangement(JSON.parse(JSON.stringify(CODE)))).toBe(true);
  for (const wrong of [null, 1, {}, { ...CODE, panes: {} }, { ...CODE, root: { type: "split" } }]) {
    expect(isArrangement(wrong)).toBe(false);
  }
});
