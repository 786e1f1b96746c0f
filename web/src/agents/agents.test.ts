import { expect, test } from "vitest";
import type { CatalogTool, ToolSettingShown } from "@/api/types";
import { groupTier, listTools } from "./Agents";

const tool = (name: string, provider = "crm") =>
  ({ name, provider, description: "", effect: "external" }) as CatalogTool;
const said = (toolName: string, status: ToolSettingShown["status"], providerKey = "crm") => ({
  toolName,
  status,
  providerKey,
  explicit: true,
});

test("tools are those declared, called, and those something is said of, each once", () => {
  const found = listTools(
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
  const both = listTools([tool("a"), tool("b")], [said("a", "blocked"), said("b", "blocked")], []);
  const mixed = listTools([tool("a"), tool("b")], [said("a", "blocked"), said("b", "needs_approval")], []);
  expect([groupTier(both), groupTier(mixed), groupTier(listTools([tool("a")], [], []))]).toEqual([
    "blocked",
    "mixed",
    null,
  ]);
});
