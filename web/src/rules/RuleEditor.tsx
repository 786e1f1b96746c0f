/** One rule: written, tried on what was asked of late, saved or revoked. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { post, remove } from "@/api/http";
import { client, keys } from "@/api/queries";
import type { Rule, RuleList } from "@/api/types";
import { RulePreview } from "@/inbox/RulePreview";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { useSay } from "@/words/words";

type Props = {
  chosen: Rule | RuleList;
  /** The text of a new rule that another page proposes. */
  proposed: string;
  onClose: () => void;
};

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
    mutationFn: async () => {
      // A rule is never changed in place: decisions of the past name the one that held then.
      await post<Rule>("rules", {
        list,
        text: text.trim(),
        why,
        ...(agent.trim() ? { agent: agent.trim() } : {}),
      });
      if (known) await remove(`rules/${known.id}`);
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
