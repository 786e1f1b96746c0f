import { expect, test } from "vitest";
import type { CatalogTool, ToolSettingShown } from "@/api/types";
import { groupTier, listToolEntries } from "./Agents";

const declaredTool = (name: string, provider = "crm") =>
  ({ name, provider, description: "", effect: "external" }) as CatalogTool;
const toolSetting = (toolName: string, status: ToolSettingShown["status"], providerKey = "crm") => ({
  toolName,
  status,
  providerKey,
  explicit: true,
});

test("the list contains each declared, called or configured tool once", () => {
  const found = listToolEntries(
    [declaredTool("mail.send"), declaredTool("crm.find")],
    [toolSetting("mail.send", "blocked"), toolSetting("old.tool", "always_allow", "past")],
    ["terminal.exec", "mail.send", "old.tool"],
  );
  expect(found.map((one) => [one.provider, one.name, one.tier])).toEqual([
    ["calls", "terminal.exec", null],
    ["crm", "crm.find", null],
    ["crm", "mail.send", "blocked"],
    ["past", "old.tool", "always_allow"],
  ]);
});

test("a group with equal tiers shows the tier, a group with different tiers is mixed", () => {
  const both = listToolEntries(
    [declaredTool("a"), declaredTool("b")],
    [toolSetting("a", "blocked"), toolSetting("b", "blocked")],
    [],
  );
  const mixed = listToolEntries(
    [declaredTool("a"), declaredTool("b")],
    [toolSetting("a", "blocked"), toolSetting("b", "needs_approval")],
    [],
  );
  expect([
    groupTier(both),
    groupTier(mixed),
    groupTier(listToolEntries([declaredTool("a")], [], [])),
  ]).toEqual(["blocked", "mixed", null]);
});
