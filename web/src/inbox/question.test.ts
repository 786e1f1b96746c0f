import { describe, expect, test } from "vitest";
import type { FileShown } from "@/api/types";
import * as samples from "@/test/samples";
import { dangerSpans, findOutsidePaths } from "./danger";
import {
  actOf,
  agentDescription,
  confirmationWord,
  countHiddenCharacters,
  headline,
  partsOf,
  templateArgument,
} from "./question";
import { batchGroups, batchName, filterQuestions, nextPending, rowsOf } from "./queue";

describe("the act", () => {
  test("is the command of a shell", () => {
    expect(actOf(samples.push())).toEqual({
      kind: "command",
      text: "git push origin release/0.9",
      language: "shell",
      fed: [],
      rest: {},
    });
  });
  test("is the change of a file, from the dry run if there is one", () => {
    const act = actOf(samples.change());
    expect(act.kind === "change" && [act.path, act.after.includes("0.21"), act.rest]).toEqual([
      "src/billing/invoice.py",
      true,
      {},
    ]);
  });
  test("is the change that the server made of the file on disk", () => {
    const act = actOf(samples.overwrite());
    expect(act.kind === "change" && [act.path, act.compared, act.rest]).toEqual([
      "deploy/compose.yaml",
      { diff: samples.overwrite().diff, lines: 61, within: "", overwrites: true },
      {},
    ]);
  });
  test("is all of a file that is new", () => {
    const file = { ...samples.overwrite().file, state: "new" } as FileShown;
    expect(actOf(samples.overwrite({ file }))).toMatchObject({ kind: "change", before: null });
  });
  test.each(["unfit", "secret", "binary", "large", "long", "outside", "unreachable"] as const)(
    "is the arguments as they are where the file is %s",
    (state) => {
      const file = { ...samples.overwrite().file, state, why: "it is" } as FileShown;
      expect(actOf(samples.overwrite({ file })).kind).toBe("arguments");
    },
  );
  test("is no change of a file that nobody looked at", () => {
    expect(actOf(samples.overwrite({ file: null })).kind).toBe("arguments");
  });
  test("is the arguments of anything else, all of them", () => {
    expect(actOf(samples.destructive())).toEqual({
      kind: "arguments",
      args: { id: 8841, name: "Lena Ortiz" },
    });
  });
});

test.each([
  ["{command}", "command"],
  ["{path=.}", "path"],
  ["domain:{url:host}", "url"],
  [null, null],
])("%s names %s", (template, name) => {
  expect(templateArgument(template)).toBe(name);
});

test("a row shows the part that asks, not the start of the line", () => {
  expect(headline(samples.compound())).toBe("… rm -rf ../../../build-cache");
});

test("a row spells out what would hide", () => {
  expect(headline(samples.hostile())).toContain("report\\u202efdp.sh");
  expect(countHiddenCharacters(samples.hostile().call.args)).toBe(3);
});

test("a row is never a whole document", () => {
  expect(headline(samples.shell("x".repeat(100_000))).length).toBeLessThan(300);
});

test("what a destructive call is about has to be typed", () => {
  expect(confirmationWord(samples.destructive())).toBe("ortiz");
  expect(confirmationWord(samples.approval({ tool: samples.DELETE, args: {} }))).toBe("contact");
});

test("the agent's own account is kept apart from the act", () => {
  expect(agentDescription(samples.compound())).toBe(
    "Clearing stale build cache so the bundle is reproducible.",
  );
  expect(agentDescription(samples.mail())).toBe("");
});

test("what a step names is marked inside the command", () => {
  const asked = samples.compound();
  const text = String(asked.call.args["command"]);
  expect(dangerSpans(text, asked).map((span) => text.slice(span.from, span.to))).toEqual([
    "../../../build-cache",
  ]);
  expect(findOutsidePaths(text, asked).map((one) => one.real)).toEqual(["/home/ana/src/build-cache"]);
});

test("the parts of a command are the whole of it, to the last character", () => {
  const asked = samples.shell("😀 a && b", {
    decision: {
      ...samples.decision(),
      pieces: [
        { start: 0, verdict: "run", reason: "" },
        { start: 7, verdict: "ask", reason: "" },
      ],
    },
  });
  expect(partsOf(asked, "😀 a && b").map((part) => part.text)).toEqual(["😀 a && ", "b"]);
});

describe("the queue", () => {
  const all = { words: "", effect: "all", later: false } as const;
  test("is in the order of asking, so that what is new moves nothing", () => {
    const [older, newer] = [samples.push(), samples.compound()];
    expect(filterQuestions([newer, older], all).map((one) => one.id)).toEqual([older.id, newer.id]);
  });
  test("finds words in the agent, the tool and the arguments", () => {
    const asked = samples.everyKind();
    expect(filterQuestions(asked, { ...all, words: "clerk northwind" }).map((one) => one.call.tool)).toEqual([
      "mail.send",
    ]);
    expect(filterQuestions(asked, { ...all, effect: "destructive" }).map((one) => one.call.tool)).toEqual([
      "crm.delete_contact",
    ]);
  });
  test("keeps what was put off out of the way", () => {
    const later = samples.shell("make", { later_at: "2026-11-16T10:00:00Z" });
    expect(filterQuestions([later], all)).toEqual([]);
    expect(filterQuestions([later], { ...all, later: true })).toEqual([later]);
  });
  test("groups by agent, each under one heading", () => {
    const rows = rowsOf(filterQuestions(samples.everyKind(), all), "agent");
    const headings = rows.flatMap((row) => (row.kind === "group" ? [row.name] : []));
    expect(new Set(headings).size).toBe(headings.length);
    expect(rows.filter((row) => row.kind === "question")).toHaveLength(8);
  });
  test("goes on to the next one that waits, and round to the first", () => {
    const [one, over, last] = [samples.push(), samples.answeredByJon(), samples.mail()];
    const rows = rowsOf([one, over, last], "time");
    expect(nextPending(rows, one.id)).toBe(last.id);
    expect(nextPending(rows, last.id)).toBe(one.id);
    expect(nextPending(rows, last.id, -1)).toBe(one.id);
  });
  test("never offers a locked question for a batch", () => {
    expect(batchGroups(samples.everyKind())).toEqual([]);
  });
  test("answers calls of one kind together, and none that a card holds for", () => {
    const [one, two, other] = ["npm run", "npm run", "npm test"].map((kind) => {
      const asked = samples.push();
      return { ...asked, decision: { ...asked.decision, batch_key: `terminal.exec execute ${kind}` } };
    });
    if (!one || !two || !other) throw new Error("three questions");
    const undone = { code: "erases", values: { kind: "", name: "a" } } as const;
    const held = { ...two, decision: { ...two.decision, irreversible: [undone] } };

    expect(batchGroups([one, other, two])).toEqual([[one, two]]);
    expect(batchName(one)).toBe("npm run");
    expect(batchGroups([one, { ...two, locked: true }])).toEqual([]);
    expect(batchGroups([one, { ...two, delivery: "propose" }])).toEqual([]);
    expect(batchGroups([one, held])).toEqual([]);
  });
});
