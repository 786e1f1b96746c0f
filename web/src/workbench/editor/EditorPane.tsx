/** The editor of one file: its text, or a proposed change to accept or decline. */
import { useAgentContext } from "assent-sdk/react";
import { useEffect, useRef, useState } from "react";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { EmptyState, Skeleton } from "@/ui/states";
import { useTranslate } from "@/words/words";
import { heldForFile, useHeldCalls } from "../dock/heldCalls";
import type { PaneProps } from "../panes/kinds";
import { useWorkbench } from "../services";
import { applyEdit } from "./applyEdit";
import { createEditor } from "./codeMirror";
import { type OpenDocument, useDocument } from "./documents";
import { HeldProposalBar, ProposalBar } from "./ProposalBar";

const MAX_CONTEXT_CHARACTERS = 100_000;

export default function EditorPane({ pane }: PaneProps) {
  const t = useTranslate();
  const { documents } = useWorkbench();
  const path = pane.resource;
  const open = useDocument(documents, path);
  useEffect(() => {
    if (path && !documents.get(path)) void documents.load(path);
  }, [documents, path]);
  const place = documents.place(path);
  // The server checks that the agent may read this file: it can open any file in a pane.
  useAgentContext(
    () => {
      const now = documents.get(path);
      if (!now) return { ...place, path: path ? place.path : null };
      const text = now.text.slice(0, MAX_CONTEXT_CHARACTERS);
      const truncated = text.length < now.text.length;
      return { ...place, dirty: now.dirty, stale: now.stale, text, truncated };
    },
    () => (path ? { file: place.path, root: place.root } : null),
  );
  if (!path) {
    return (
      <EmptyState icon="edit" title={t("noFile")}>
        <p>{t("noFileMore")}</p>
      </EmptyState>
    );
  }
  if (!open || open.status === "loading") return <Skeleton rows={6} />;
  if (open.status === "binary") return <EmptyState icon="file" title={t("binaryFile")} />;
  if (open.status === "failed") {
    return (
      <EmptyState icon="warn" title={open.problem}>
        <Button onClick={() => void documents.load(path)}>{t("tryAgain")}</Button>
      </EmptyState>
    );
  }
  return <LoadedEditor key={path} path={path} open={open} />;
}

function LoadedEditor({ path, open }: { path: string; open: OpenDocument }) {
  const t = useTranslate();
  const { documents, conversation } = useWorkbench();
  const held = heldForFile(useHeldCalls(conversation.id), path, documents.root);
  const [chosen, setChosen] = useState(true);
  const question = held[0];
  const proposed =
    open.proposal?.text ?? (question ? proposedText(open.saved, question.approval.call.args) : null);
  const showsProposal = proposed !== null && chosen;
  const save = () => {
    documents.save(path).then(
      () => showToast(t("savedFile")),
      (error: Error) => showToast(error.message, "warn"),
    );
  };
  return (
    <>
      {question && (
        <HeldProposalBar
          held={question}
          stale={open.stale || proposed === null}
          showsProposal={showsProposal}
          onShow={() => setChosen(!chosen)}
        />
      )}
      {open.proposal && <ProposalBar proposal={open.proposal} />}
      {open.stale && (
        <div className="editor-bar tone-ask">
          <span className="grow">{t("fileStale")}</span>
          <Button small onClick={() => void documents.revert(path)}>
            {t("takeDisk")}
          </Button>
        </div>
      )}
      <TextEditor
        key={`${showsProposal} ${open.digest} ${proposed ?? ""}`}
        path={path}
        text={showsProposal ? proposed : open.text}
        {...(showsProposal ? { original: open.saved } : {})}
        onSave={save}
      />
      {open.dirty && !showsProposal && (
        <div className="editor-bar">
          <span className="meta grow">{t("unsaved")}</span>
          <Button small look="quiet" onClick={() => void documents.revert(path)}>
            {t("revertFile")}
          </Button>
          <Button small look="go" onClick={save}>
            {t("saveFile")}
          </Button>
        </div>
      )}
    </>
  );
}

/** The text that a held call would leave; null if it does not fit the text on disk. */
function proposedText(saved: string, args: Record<string, unknown>): string | null {
  try {
    return applyEdit(saved, args);
  } catch {
    return null;
  }
}

type TextEditorProps = { path: string; text: string; original?: string; onSave: () => void };

function TextEditor({ path, text, original, onSave }: TextEditorProps) {
  const t = useTranslate();
  const { documents } = useWorkbench();
  const place = useRef<HTMLDivElement>(null);
  const save = useRef(onSave);
  save.current = onSave;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is another editor, by its key
  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const made = createEditor({
      parent,
      path,
      text,
      label: t("editorOf", { path }),
      unchanged: t("unchangedLines"),
      ...(original === undefined ? {} : { original }),
      onText: (now) => documents.edit(path, now),
      onSave: () => save.current(),
    });
    const showLine = (line: number) => {
      const at = made.state.doc.line(Math.min(line, made.state.doc.lines));
      made.dispatch({ selection: { anchor: at.from }, scrollIntoView: true });
      return at.number;
    };
    documents.cursors.set(path, showLine);
    return () => {
      if (documents.cursors.get(path) === showLine) documents.cursors.delete(path);
      made.destroy();
    };
  }, [path, documents]);
  return <div ref={place} className="editor-place" data-editor={path} data-typing />;
}
