import { describe, expect, test } from "vitest";
import type { FileJson } from "@/api/types";
import * as samples from "@/test/samples";
import { findDangerSpans, findOutsidePaths } from "./danger";
import {
  agentDescription,
  callContentFromApproval,
  commandParts,
  confirmationWord,
  countHiddenCharactersInJson,
  questionHeadline,
  templateArgument,
} from "./question";
import { batchReviewKey, filterQuestions, groupForBatchReview, groupIntoRows, nextPendingId } from "./queue";

describe("the act", () => {
  test("is the command line of a shell call", () => {
    expect(callContentFromApproval(samples.pushApproval())).toEqual({
      kind: "command",
      text: "git push origin release/0.9",
      language: "shell",
      fed: [],
      rest: {},
    });
  });
  test("is the change of a file, computed from a dry run if there is one", () => {
    const act = callContentFromApproval(samples.fileChangeApproval());
    expect(act.kind === "change" && [act.path, act.after.includes("0.21"), act.rest]).toEqual([
      "src/billing/invoice.py",
      true,
      {},
    ]);
  });
  test("is the change that the server computed from the file on disk", () => {
    const act = callContentFromApproval(samples.overwriteApproval());
    expect(act.kind === "change" && [act.path, act.compared, act.rest]).toEqual([
      "deploy/compose.yaml",
      { diff: samples.overwriteApproval().diff, lines: 61, within: "", overwrites: true },
      {},
    ]);
  });
  test("is the whole content of a new file", () => {
    const file = { ...samples.overwriteApproval().file, state: "new" } as FileJson;
    expect(callContentFromApproval(samples.overwriteApproval({ file }))).toMatchObject({
      kind: "change",
      before: null,
    });
  });
  test.each(["unfit", "secret", "binary", "large", "long", "outside", "unreachable"] as const)(
    "is the arguments as they are where the file is %s",
    (state) => {
      const file = { ...samples.overwriteApproval().file, state, why: "it is" } as FileJson;
      expect(callContentFromApproval(samples.overwriteApproval({ file })).kind).toBe("arguments");
    },
  );
  test("is no file change if the file was not read", () => {
    expect(callContentFromApproval(samples.overwriteApproval({ file: null })).kind).toBe("arguments");
  });
  test("is all arguments of any other call", () => {
    expect(callContentFromApproval(samples.destructiveApproval())).toEqual({
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

test("a row shows the part that needs approval instead of the start of the line", () => {
  expect(questionHeadline(samples.compoundApproval())).toBe("… rm -rf ../../../build-cache");
});

test("a row shows hidden characters", () => {
  expect(questionHeadline(samples.hostileApproval())).toContain("report\\u202efdp.sh");
  expect(countHiddenCharactersInJson(samples.hostileApproval().call.args)).toBe(3);
});

test("a row shortens a long text", () => {
  expect(questionHeadline(samples.shellApproval("x".repeat(100_000))).length).toBeLessThan(300);
});

test("the confirmation word of a destructive call is its target", () => {
  expect(confirmationWord(samples.destructiveApproval())).toBe("ortiz");
  expect(confirmationWord(samples.makeApproval({ tool: samples.DELETE_TOOL, args: {} }))).toBe("contact");
});

test("the agent's description is separate from the act", () => {
  expect(agentDescription(samples.compoundApproval())).toBe(
    "Clearing stale build cache so the bundle is reproducible.",
  );
  expect(agentDescription(samples.mailApproval())).toBe("");
});

test("the text that a step quotes is marked in the command", () => {
  const asked = samples.compoundApproval();
  const text = String(asked.call.args["command"]);
  expect(findDangerSpans(text, asked).map((span) => text.slice(span.from, span.to))).toEqual([
    "../../../build-cache",
  ]);
  expect(findOutsidePaths(text, asked).map((one) => one.real)).toEqual(["/home/ana/src/build-cache"]);
});

test("the parts of a command together are exactly the command", () => {
  const asked = samples.shellApproval("😀 a && b", {
    decision: {
      ...samples.makeDecision(),
      pieces: [
        { start: 0, verdict: "run", reason: "" },
        { start: 7, verdict: "ask", reason: "" },
      ],
    },
  });
  expect(commandParts(asked, "😀 a && b").map((part) => part.text)).toEqual(["😀 a && ", "b"]);
});

describe("the queue", () => {
  const all = { words: "", effect: "all", later: false } as const;
  test("is sorted by time, so that a new question does not move the others", () => {
    const [older, newer] = [samples.pushApproval(), samples.compoundApproval()];
    expect(filterQuestions([newer, older], all).map((one) => one.id)).toEqual([older.id, newer.id]);
  });
  test("finds words in the agent, the tool and the arguments", () => {
    const asked = samples.allSampleApprovals();
    expect(filterQuestions(asked, { ...all, words: "clerk northwind" }).map((one) => one.call.tool)).toEqual([
      "mail.send",
    ]);
    expect(filterQuestions(asked, { ...all, effect: "destructive" }).map((one) => one.call.tool)).toEqual([
      "crm.delete_contact",
    ]);
  });
  test("hides postponed questions", () => {
    const later = samples.shellApproval("make", { later_at: "2026-11-16T10:00:00Z" });
    expect(filterQuestions([later], all)).toEqual([]);
    expect(filterQuestions([later], { ...all, later: true })).toEqual([later]);
  });
  test("groups by agent, each under one heading", () => {
    const rows = groupIntoRows(filterQuestions(samples.allSampleApprovals(), all), "agent");
    const headings = rows.flatMap((row) => (row.kind === "group" ? [row.name] : []));
    expect(new Set(headings).size).toBe(headings.length);
    expect(rows.filter((row) => row.kind === "question")).toHaveLength(8);
  });
  test("continues with the next pending question, and then with the first", () => {
    const [one, over, last] = [samples.pushApproval(), samples.answeredByJon(), samples.mailApproval()];
    const rows = groupIntoRows([one, over, last], "time");
    expect(nextPendingId(rows, one.id)).toBe(last.id);
    expect(nextPendingId(rows, last.id)).toBe(one.id);
    expect(nextPendingId(rows, last.id, -1)).toBe(one.id);
  });
  test("never offers a locked question for a batch", () => {
    expect(groupForBatchReview(samples.allSampleApprovals())).toEqual([]);
  });
  test("groups similar calls for a batch, without calls that need confirmation", () => {
    const [one, two, other] = ["npm run", "npm run", "npm test"].map((kind) => {
      const asked = samples.pushApproval();
      return { ...asked, decision: { ...asked.decision, batch_key: `terminal.exec execute ${kind}` } };
    });
    if (!one || !two || !other) throw new Error("three questions");
    const undone = { code: "erases", values: { kind: "", name: "a" } } as const;
    const held = { ...two, decision: { ...two.decision, irreversible: [undone] } };

    expect(groupForBatchReview([one, other, two])).toEqual([[one, two]]);
    expect(batchReviewKey(one)).toBe("npm run");
    expect(groupForBatchReview([one, { ...two, locked: true }])).toEqual([]);
    expect(groupForBatchReview([one, { ...two, delivery: "propose" }])).toEqual([]);
    expect(groupForBatchReview([one, held])).toEqual([]);
  });
});
