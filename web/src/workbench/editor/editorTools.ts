/** The tools of the editor: propose an edit, apply one, and save. */
import type { AgentToolDecl, ObjectSchema } from "assent-sdk";
import { ProblemError } from "@/api/http";
import { createFile, readFile, redeemTicket, writeFile } from "../api";
import type { LayoutStore } from "../layout/layoutStore";
import { PATH, rootProperty } from "../panes/schemas";
import { applyEdit } from "./applyEdit";
import { type DocumentStore, resourceOf } from "./documents";

const makeEditSchema = (roots: readonly string[]): ObjectSchema => ({
  type: "object",
  properties: {
    path: PATH,
    ...rootProperty(roots),
    old_string: { type: "string", description: "The text to replace; it must occur exactly once." },
    new_string: { type: "string", description: "The text that replaces it." },
    content: { type: "string", description: "The whole new text, instead of the two above." },
  },
  required: ["path"],
  additionalProperties: false,
});

export function makeEditorTools(
  documents: DocumentStore,
  layout: LayoutStore,
  roots: readonly string[],
): AgentToolDecl[] {
  const editSchema = makeEditSchema(roots);
  /** What an editor shows for the file of a call; the server has decided in which root it is. */
  const resource = (path: string, call: { root: string }) =>
    resourceOf({ path, root: call.root }, documents.root);
  /** Show what the server wrote. */
  const show = async (shown: string) => {
    layout.open("editor", shown);
    await documents.load(shown);
  };
  return [
    {
      name: "editor.proposeEdit",
      description:
        "Shows a change of a file as a diff, which the person accepts or declines. Use this to change files, " +
        "unless the person asked you to change them without looking.",
      params: editSchema,
      sideEffect: true,
      specifierTemplate: "{path}",
      handler: async (args, call) => {
        const path = String(args["path"]);
        // Allow on the card was the acceptance: a person is asked once.
        if (call.approved) {
          const value = await redeemTicket("editor.proposeEdit", args, call);
          await show(resource(path, call));
          return { accepted: true, change: value };
        }
        const root = call.root || documents.root;
        const before = await readFile(root, path).catch(absentFile);
        const text = applyEdit(before.text ?? "", args);
        const shown = resource(path, call);
        const accepted = await call.waitForPerson(askInEditor(documents, layout, shown, call, text));
        if (!accepted) return { accepted: false };
        // The person's click changes the file, as the person saw it.
        await writeOrCreate(root, path, text, before.digest);
        await show(shown);
        return { accepted: true };
      },
    },
    {
      name: "editor.applyEdit",
      description: "Changes a file without showing the change first. Prefer `editor.proposeEdit`.",
      params: editSchema,
      sideEffect: true,
      specifierTemplate: "{path}",
      handler: async (args, call) => {
        const value = await redeemTicket("editor.applyEdit", args, call);
        await show(resource(String(args["path"]), call));
        return value;
      },
    },
    {
      name: "editor.save",
      description: "Saves what the person typed in the editor of a file that is open.",
      params: {
        type: "object",
        properties: {
          path: { type: "string", description: "The path of the open file." },
          ...rootProperty(roots),
        },
        required: ["path"],
        additionalProperties: false,
      },
      sideEffect: true,
      specifierTemplate: "{path}",
      handler: async (args, call) => {
        const path = String(args["path"]);
        const shown = resource(path, call);
        const open = documents.get(shown);
        if (open?.status !== "ready") throw new Error(`no editor has \`${path}\` open`);
        const { text: content, digest } = open;
        const value = await redeemTicket("editor.save", args, call, { content, digest });
        await documents.revert(shown);
        return value;
      },
    },
  ];
}

/** The tool that the agent has while a document is open, and loses with the last one. */
export const makeDocumentTool = (documents: DocumentStore, roots: readonly string[]): AgentToolDecl => ({
  name: "editor.showLine",
  description: "Scrolls the editor of an open file to a line and puts the cursor there.",
  params: {
    type: "object",
    properties: {
      path: { type: "string", description: "The path of the open file." },
      ...rootProperty(roots),
      line: { type: "integer", minimum: 1 },
    },
    required: ["path", "line"],
    additionalProperties: false,
  },
  specifierTemplate: "{path}",
  handler: ({ path, line }, call) => {
    const show = documents.cursors.get(resourceOf({ path: String(path), root: call.root }, documents.root));
    if (!show) throw new Error(`no editor shows \`${path}\``);
    return { line: show(Number(line)) };
  },
});

/** Show the diff in the editor; resolves with the person's choice. */
function askInEditor(
  documents: DocumentStore,
  layout: LayoutStore,
  path: string,
  call: { id: string; signal: AbortSignal },
  text: string,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const end = (accepted: boolean) => {
      documents.withdraw(path, call.id);
      resolve(accepted);
    };
    call.signal.addEventListener("abort", () => {
      documents.withdraw(path, call.id);
      reject(call.signal.reason);
    });
    documents.propose(path, {
      id: call.id,
      text,
      accept: async () => end(true),
      decline: () => end(false),
    });
    layout.open("editor", path);
    void documents.load(path);
  });
}

/** A file that does not exist yet is created by its first edit. */
function absentFile(error: unknown) {
  if (error instanceof ProblemError && error.status === 404) return { text: "", digest: "absent" };
  throw error;
}

async function writeOrCreate(root: string, path: string, text: string, digest: string) {
  if (digest !== "absent") return writeFile(root, path, text, digest);
  return createFile(root, path, "file", text);
}
