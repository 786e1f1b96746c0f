/** The file explorer: a tree of the workspace root, which follows changes of other programs. */
import { useAgentContext } from "assent-sdk/react";
import { type KeyboardEvent, useRef, useState } from "react";
import { ProblemError } from "@/api/http";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { Icon, type IconName } from "@/ui/Icon";
import { RadioMenu } from "@/ui/Menu";
import { EmptyState } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import type { TextKey } from "@/words/en";
import { useTranslate } from "@/words/words";
import { createFile, deleteFile, type Root, renameFile } from "../api";
import { HeldNumber } from "../dock/HeldNumber";
import { heldForFile, useHeldCalls } from "../dock/heldCalls";
import { resourceOf } from "../editor/documents";
import { useReach } from "../panes/StatusPane";
import { useWorkbench } from "../services";
import { type FileRow, parentOf, useFileTree } from "./fileTree";
import { NameForm } from "./NameForm";

type FileAction = { icon: IconName; label: TextKey; needsSelection: boolean; run: () => void };
type Naming = { action: "file" | "directory" | "rename"; path: string } | null;

export default function FilesPane() {
  const t = useTranslate();
  const { documents } = useWorkbench();
  const { data: reach } = useReach();
  const [chosen, setChosen] = useState("");
  const root = reach?.roots.find((one) => one.name === chosen)?.name ?? documents.root;
  if (reach && !reach.files) return <EmptyState icon="lock" title={t("filesOff")} />;
  if (!root) return <EmptyState icon="folder" title={t("noRoot")} />;
  return <FilesOfRoot key={root} root={root} roots={reach?.roots ?? []} onChoose={setChosen} />;
}

type FilesOfRootProps = { root: string; roots: readonly Root[]; onChoose: (root: string) => void };

function FilesOfRoot({ root, roots, onChoose }: FilesOfRootProps) {
  const t = useTranslate();
  const { documents, layout, conversation } = useWorkbench();
  const tree = useFileTree(root);
  const resource = (path: string) => resourceOf({ root, path }, documents.root);
  const held = useHeldCalls(conversation.id);
  const [selected, setSelected] = useState("");
  const [naming, setNaming] = useState<Naming>(null);
  const list = useRef<HTMLDivElement>(null);
  useAgentContext(() => ({
    root,
    roots: roots.map((one) => one.name),
    selected: selected || null,
    open: tree.rows.filter((row) => row.open).map((row) => row.path),
  }));
  const at = Math.max(
    0,
    tree.rows.findIndex((row) => row.path === selected),
  );
  const row = tree.rows[at];
  const focusRow = (to: number) => {
    const next = tree.rows[Math.min(Math.max(to, 0), tree.rows.length - 1)];
    if (!next) return;
    setSelected(next.path);
    list.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(next.path)}"]`)?.focus();
  };
  const activate = (one: FileRow) => {
    setSelected(one.path);
    if (one.kind === "directory") tree.toggle(one.path);
    else if (one.kind === "file") {
      layout.open("editor", resource(one.path));
      void documents.load(resource(one.path));
    }
  };
  const run = async (action: () => Promise<unknown>) => {
    try {
      await action();
      setNaming(null);
    } catch (error) {
      showToast(error instanceof ProblemError ? error.message : String(error), "warn");
    }
    tree.refresh();
  };
  const finishNaming = (name: string) => {
    if (!naming || !name) return setNaming(null);
    const path = `${naming.action === "rename" ? parentOf(naming.path) : naming.path}/${name}`;
    if (naming.action === "rename") void run(() => renameFile(root, naming.path, path));
    else void run(() => createFile(root, path, naming.action as "file" | "directory"));
  };
  /** New entries are made in the selected directory, or beside the selected file. */
  const target = !row ? "" : row.kind === "directory" ? row.path : parentOf(row.path);
  const actions: readonly FileAction[] = [
    {
      icon: "plus",
      label: "newFileHere",
      needsSelection: false,
      run: () => setNaming({ action: "file", path: target }),
    },
    {
      icon: "folder",
      label: "newFolder",
      needsSelection: false,
      run: () => setNaming({ action: "directory", path: target }),
    },
    {
      icon: "edit",
      label: "renameFile",
      needsSelection: true,
      run: () => row && setNaming({ action: "rename", path: row.path }),
    },
    {
      icon: "close",
      label: "deleteFile",
      needsSelection: true,
      run: () => {
        if (row && confirm(t("deleteConfirm", { name: row.path })))
          void run(() => deleteFile(root, row.path));
      },
    },
  ];
  const onKey = (event: KeyboardEvent) => {
    if (!row || naming || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      ArrowDown: () => focusRow(at + 1),
      ArrowUp: () => focusRow(at - 1),
      Home: () => focusRow(0),
      End: () => focusRow(tree.rows.length - 1),
      ArrowRight: () => (row.kind === "directory" && !row.open ? tree.toggle(row.path) : focusRow(at + 1)),
      ArrowLeft: () => {
        if (row.open) tree.toggle(row.path);
        else focusRow(tree.rows.findIndex((one) => one.path === parentOf(row.path)));
      },
      Enter: () => activate(row),
      " ": () => activate(row),
      F2: () => setNaming({ action: "rename", path: row.path }),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  return (
    <>
      <div className="pane-tools">
        {roots.length > 1 ? (
          <RadioMenu
            label={t("root")}
            value={root}
            choices={roots.map(({ name, directory }) => ({ value: name, label: name, note: directory }))}
            onChoose={onChoose}
            trigger={
              <button type="button" className="root-choice" aria-label={`${t("root")}: ${root}`}>
                <VisibleText text={root} />
                <Icon name="down" size="small" />
              </button>
            }
          />
        ) : (
          <span className="meta grow truncate" title={root}>
            <VisibleText text={root} />
          </span>
        )}
        {actions.map(({ icon, label, needsSelection, run: start }) => (
          <Button
            key={label}
            small
            look="quiet"
            icon={icon}
            aria-label={t(label)}
            disabled={needsSelection && !selected}
            onClick={start}
          />
        ))}
      </div>
      {naming && (
        <NameForm
          label={t(naming.action === "rename" ? "renameFile" : "newFileHere")}
          start={naming.action === "rename" ? naming.path.slice(parentOf(naming.path).length + 1) : ""}
          onDone={finishNaming}
        />
      )}
      {tree.problem && <p className="finding m-2">{tree.problem}</p>}
      <div ref={list} className="scroll file-tree grow" role="tree" aria-label={t("pane.files")}>
        {tree.rows.map((one, index) => (
          <div
            key={one.path}
            role="treeitem"
            data-path={one.path}
            aria-level={one.depth + 1}
            aria-selected={one.path === selected}
            {...(one.kind === "directory" ? { "aria-expanded": one.open } : {})}
            tabIndex={index === at ? 0 : -1}
            className="file-row"
            style={{ paddingLeft: 12 + one.depth * 14 }}
            onFocus={() => setSelected(one.path)}
            onClick={() => activate(one)}
            onKeyDown={onKey}
          >
            <Icon
              name={
                one.kind === "directory"
                  ? one.open
                    ? "down"
                    : "next"
                  : one.kind === "file"
                    ? "file"
                    : "external"
              }
              size="small"
              className="text-ink-3"
            />
            <span className="grow truncate">
              <VisibleText text={one.name} />
            </span>
            {documents.get(resource(one.path))?.dirty && <span className="unsaved" aria-hidden="true" />}
            {heldForFile(held, resource(one.path), documents.root).map(({ approval, number }) => (
              <HeldNumber key={approval.id} number={number} />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}
