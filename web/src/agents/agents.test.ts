import { expect, test } from "vitest";
import type { CatalogTool, ToolSettingShown } from "@/api/types";
import { listed, tierOf } from "./Agents";

const tool = (name: string, provider = "crm") =>
  ({ name, provider, description: "", effect: "external" }) as CatalogTool;
const said = (toolName: string, status: ToolSettingShown["status"], providerKey = "crm") => ({
  toolName,
  status,
  providerKey,
  explicit: true,
});

test("tools are those declared, called, and those something is said of, each once", () => {
  const found = listed(
    [tool("mail.send"), tool("crm.find")],
    [said("mail.send", "blocked"), said("old.tool", "always_allow", "past")],
    ["terminal.exec", "mail.send", "old.tool"],
  );
  expect(found.map((one) => [one.provider, one.name, one.tier])).toEqual([
    ["calls", "terminal.exec", null],
    ["crm", "crm.find", null],
    ["crm", "mail.send", "blocked"],
    ["past", "old.tool", "always_allow"],
  ]);
});

test("a group of one mind shows it, another is mixed", () => {
  const both = listed([tool("a"), tool("b")], [said("a", "blocked"), said("b", "blocked")], []);
  const mixed = listed([tool("a"), tool("b")], [said("a", "blocked"), said("b", "needs_approval")], []);
  expect([tierOf(both), tierOf(mixed), tierOf(listed([tool("a")], [], []))]).toEqual([
    "blocked",
    "mixed",
    null,
  ]);
});
