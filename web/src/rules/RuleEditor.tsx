/** One rule: written, tried on what was asked of late, saved or revoked. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { patch, post, remove } from "@/api/http";
import { client, keys } from "@/api/queries";
import type { Rule, RuleList } from "@/api/types";
import { RulePreview } from "@/inbox/RulePreview";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { VisibleText } from "@/ui/VisibleText";
import { useSay } from "@/words/words";

type Props = {
  chosen: Rule | RuleList;
  /** The text of a new rule that another page proposes. */
  proposed: string;
  onClose: () => void;
};

type Written = Pick<Rule, "list" | "text" | "why" | "agent">;

/** The fields that a person changed, and no others. */
export const changesOf = (known: Rule, written: Written): Partial<Written> =>
  Object.fromEntries(
    (["list", "text", "why", "agent"] as const)
      .filter((name) => written[name] !== known[name])
      .map((name) => [name, written[name]]),
  );

export function RuleEditor({ chosen, proposed, onClose }: Props) {
  const say = useSay();
  const known = typeof chosen === "string" ? null : chosen;
  const [list, setList] = useState<RuleList>(known?.list ?? (chosen as RuleList));
  const [text, setText] = useState(known?.text ?? proposed);
  const [agent, setAgent] = useState(known?.agent ?? "");
  const [why, setWhy] = useState(known?.why ?? "");
  const done = (word: string) => {
    toast(word);
    void client.invalidateQueries({ queryKey: keys.rules });
    onClose();
  };
  const failed = (error: Error) => toast(error.message, "warn");
  const save = useMutation({
    mutationFn: () => {
      const written = { list, text: text.trim(), why, agent: agent.trim() || null };
      // One request, and only what was changed: everything else about the rule stays as it is.
      return known
        ? patch<Rule>(`rules/${known.id}`, changesOf(known, written))
        : post<Rule>("rules", written);
    },
    onSuccess: () => done(say("saved")),
    onError: failed,
  });
  const end = useMutation({
    mutationFn: () => remove(`rules/${known?.id}`),
    onSuccess: () => done(say("revoked")),
    onError: failed,
  });
  return (
    <form
      className="box grid gap-3.5 p-4"
      aria-label={say("editRule")}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <header className="flex items-center gap-2">
        <h2 className="grow">{say(known ? "editRule" : "newRule")}</h2>
        <Button look="quiet" icon="close" aria-label={say("close")} onClick={onClose} />
      </header>
      <TextField
        label={say("ruleLabel")}
        mono
        placeholder="terminal.exec(npm run *)"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="grid grid-cols-2 gap-3">
        <SelectField label={say("verdict")} value={list} onChange={(value) => setList(value as RuleList)}>
          {(["deny", "ask", "allow"] as const).map((one) => (
            <option key={one} value={one}>
              {say(`list.${one}`)}
            </option>
          ))}
        </SelectField>
        <TextField
          label={say("countsFor")}
          placeholder={say("anyAgent")}
          value={agent}
          onChange={(event) => setAgent(event.target.value)}
        />
      </div>
      <TextField
        label={say("why")}
        value={why}
        maxLength={500}
        onChange={(event) => setWhy(event.target.value)}
      />
      {(known?.user || known?.conversation) && (
        <p className="meta">
          {say("onlyFor")}{" "}
          <VisibleText text={[known.user, known.conversation?.slice(0, 8)].filter(Boolean).join(", ")} />
        </p>
      )}
      {text.trim() && list === "allow" && <RulePreview rules={[text.trim()]} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="go" disabled={!text.trim() || save.isPending}>
          {say("saveRule")}
        </Button>
        <Button onClick={onClose}>{say("cancel")}</Button>
        <span className="grow" />
        {known && (
          <Button look="stop" disabled={end.isPending} onClick={() => end.mutate()}>
            {say("revoke")}
          </Button>
        )}
      </div>
    </form>
  );
}
