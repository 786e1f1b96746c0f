/** What a person can try in an empty workbench: a read, a proposed edit, and a command that is held. */
import { useMemo } from "react";
import type { ExampleMessage } from "@/chat/ExampleMessages";
import { useTranslate } from "@/words/words";
import type { LayoutStore } from "./layout/layoutStore";
import { useArrangement } from "./layout/layoutStore";

export function useExamples(layout: LayoutStore): readonly ExampleMessage[] {
  const t = useTranslate();
  const { panes } = useArrangement(layout);
  const terminal = Object.values(panes).find((pane) => pane.kind === "terminal")?.resource ?? "";
  return useMemo(() => {
    const edit = { path: "/NOTES.md", content: "# Notes\n\n- Proposed in the editor, not saved yet.\n" };
    const command = { command: "mkdir -p build && date > build/stamp", terminal };
    return [
      {
        word: "list",
        icon: "read",
        title: t("try.list"),
        say: t("try.list.say"),
        call: '/call files.list {"path": "/"}',
      },
      {
        word: "edit",
        icon: "edit",
        title: t("try.edit"),
        say: t("try.edit.say"),
        call: `/call editor.proposeEdit ${JSON.stringify(edit)}`,
      },
      {
        word: "run",
        icon: "execute",
        title: t("try.run"),
        say: t("try.run.say"),
        call: `/call terminal.exec ${JSON.stringify(command)}`,
      },
    ];
  }, [t, terminal]);
}
