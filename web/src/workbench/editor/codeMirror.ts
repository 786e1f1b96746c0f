/** CodeMirror in a shadow root: there it uses adopted style sheets, which the content security policy allows. */
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";

/** Colours are the page's own variables, so that light and dark follow the page. */
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--write)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--run)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--execute)" },
  { tag: [tags.comment, tags.meta], color: "var(--ink-3)" },
  { tag: [tags.heading, tags.definition(tags.variableName)], color: "var(--edit)", fontWeight: "600" },
  { tag: [tags.typeName, tags.className, tags.tagName], color: "var(--external)" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "13px" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.55",
    fontFeatureSettings: '"liga" 0, "calt" 0',
  },
  "&.cm-focused": { outline: "2px solid var(--ring)", outlineOffset: "-2px" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)" },
  ".cm-changedLine, .cm-insertedLine": { backgroundColor: "var(--run-soft)" },
  ".cm-changedText": { background: "none", textDecoration: "underline 2px var(--run)" },
  ".cm-deletedChunk": { backgroundColor: "var(--deny-soft)", paddingLeft: "6px" },
  ".cm-deletedChunk .cm-deletedText": { background: "none", textDecoration: "underline 2px var(--deny)" },
  ".cm-collapsedLines": { color: "var(--ink-2)", background: "var(--hover)" },
  // The library's own sign is missing in most fonts.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"…"' },
  ".cm-changeGutter": { paddingLeft: "2px" },
  ".cm-changedLineGutter": { background: "var(--run)" },
  ".cm-deletedLineGutter": { background: "var(--deny)" },
});

function languageOf(path: string): Extension {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  if (/^[cm]?[jt]sx?$/.test(ending)) {
    return javascript({ jsx: ending.endsWith("x"), typescript: ending.includes("t") });
  }
  const languages: Record<string, () => Extension> = { css, html, json, md: markdown, py: python };
  return languages[ending]?.() ?? [];
}

type EditorOptions = {
  parent: HTMLElement;
  path: string;
  text: string;
  label: string;
  /** The text before a proposed change; the editor then shows the difference and cannot be edited. */
  original?: string;
  /** The words for lines that the difference leaves out, with `$` for their number. */
  unchanged: string;
  onText: (text: string) => void;
  onSave: () => void;
};

export function createEditor({
  parent,
  path,
  text,
  label,
  original,
  unchanged,
  onText,
  onSave,
}: EditorOptions): EditorView {
  const shadow = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  const proposed = original !== undefined;
  const extensions: Extension[] = [
    basicSetup,
    languageOf(path),
    syntaxHighlighting(HIGHLIGHT),
    THEME,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label }),
    keymap.of([
      {
        key: "Mod-s",
        run: () => {
          onSave();
          return true;
        },
      },
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onText(update.state.doc.toString());
    }),
  ];
  if (proposed) {
    extensions.push(
      unifiedMergeView({ original, mergeControls: false, gutter: true, collapseUnchanged: { margin: 3 } }),
      EditorState.readOnly.of(true),
      EditorState.phrases.of({ "$ unchanged lines": unchanged }),
    );
  }
  const view = new EditorView({ doc: text, extensions, parent: shadow as unknown as Element, root: shadow });
  view.dom.style.height = "100%";
  return view;
}
