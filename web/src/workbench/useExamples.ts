/** What a person can try in an empty workbench: a read, a proposed edit, and a command that is held. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ExampleMessage } from "@/chat/ExampleMessages";
import { useTranslate } from "@/words/words";
import { listFiles, readFile } from "./api";
import type { LayoutStore } from "./layout/layoutStore";
import { useArrangement } from "./layout/layoutStore";

const EDITED_NAME = "README.md";
const MAX_EDITED_CHARACTERS = 2_000;

/** Those for which the person has what they need: files, or an open terminal. */
export function useExamples(layout: LayoutStore, files: boolean, root: string): readonly ExampleMessage[] {
  const t = useTranslate();
  const { panes } = useArrangement(layout);
  const terminal = Object.values(panes).find((pane) => pane.kind === "terminal")?.resource ?? "";
  const usesFiles = files && root !== "";
  const usesTerminal = terminal !== "";
  const edit = useProposedEdit(root, usesFiles);
  return useMemo(() => {
    const command = { command: "mkdir -p build && date > build/stamp", terminal };
    const list = '/call files.list {"path": "/"}';
    const propose = `/call editor.proposeEdit ${JSON.stringify(edit)}`;
    const run = `/call terminal.exec ${JSON.stringify(command)}`;
    const all: ExampleMessage = {
      word: "all",
      icon: "play",
      title: t("try.all"),
      say: `${t("try.list.say")} ${t("try.edit.say")} ${t("try.run.say")}`,
      call: [list, propose, run].join("\nthen\n"),
    };
    const ofFiles: ExampleMessage[] = [
      { word: "list", icon: "read", title: t("try.list"), say: t("try.list.say"), call: list },
      { word: "edit", icon: "edit", title: t("try.edit"), say: t("try.edit.say"), call: propose },
    ];
    const ofTerminal: ExampleMessage[] = [
      { word: "run", icon: "execute", title: t("try.run"), say: t("try.run.say"), call: run },
    ];
    return [
      ...(usesFiles && usesTerminal ? [all] : []),
      ...(usesFiles ? ofFiles : []),
      ...(usesTerminal ? ofTerminal : []),
    ];
  }, [t, terminal, edit, usesFiles, usesTerminal]);
}

type ProposedEdit = { path: string; content: string };

/** An edit that adds a line to the readme of the project; without a short one it is a new file. */
function useProposedEdit(root: string, enabled: boolean): ProposedEdit {
  const { data } = useQuery({
    queryKey: ["workbench", "example", root],
    queryFn: () => makeProposedEdit(root),
    enabled,
    retry: false,
  });
  return data ?? NEW_FILE;
}

const NEW_FILE: ProposedEdit = { path: "/NOTES.md", content: "# Notes\n\nAn agent proposed this line.\n" };

async function makeProposedEdit(root: string): Promise<ProposedEdit> {
  const path = `/${EDITED_NAME}`;
  const { entries } = await listFiles(root, "/");
  if (!entries.some((one) => one.kind === "file" && one.name === EDITED_NAME)) return NEW_FILE;
  const { text } = await readFile(root, path);
  if (text === null || text.length > MAX_EDITED_CHARACTERS) return NEW_FILE;
  return { path, content: `${text.trimEnd()}\n\nAn agent proposed this line.\n` };
}
