/** Edit one rule: preview it on recent questions, save it or revoke it. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { deleteJson, patchJson, postJson } from "@/api/http";
import { queryKeys, refetchQueries } from "@/api/queries";
import type { Rule, RuleList } from "@/api/types";
import { RulePreview } from "@/inbox/RulePreview";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";

type RuleEditorProps = {
  chosen: Rule | RuleList;
  /** The text of a new rule that another page suggests. */
  proposed: string;
  onClose: () => void;
};

type RuleFields = Pick<Rule, "list" | "text" | "why" | "agent">;

/** Only the fields that the person changed. */
export const changedRuleFields = (known: Rule, written: RuleFields): Partial<RuleFields> =>
  Object.fromEntries(
    (["list", "text", "why", "agent"] as const)
      .filter((name) => written[name] !== known[name])
      .map((name) => [name, written[name]]),
  );

export function RuleEditor({ chosen, proposed, onClose }: RuleEditorProps) {
  const t = useTranslate();
  const known = typeof chosen === "string" ? null : chosen;
  const [list, setList] = useState<RuleList>(known?.list ?? (chosen as RuleList));
  const [text, setText] = useState(known?.text ?? proposed);
  const [agent, setAgent] = useState(known?.agent ?? "");
  const [why, setWhy] = useState(known?.why ?? "");
  const finish = (word: string) => {
    showToast(word);
    void refetchQueries(queryKeys.rules);
    onClose();
  };
  const showError = (error: Error) => showToast(error.message, "warn");
  const save = useMutation({
    mutationFn: () => {
      const written = { list, text: text.trim(), why, agent: agent.trim() || null };
      // One request with only the changed fields; the other fields of the rule stay.
      return known
        ? patchJson<Rule>(`rules/${known.id}`, changedRuleFields(known, written))
        : postJson<Rule>("rules", written);
    },
    onSuccess: () => finish(t("saved")),
    onError: showError,
  });
  const revoke = useMutation({
    mutationFn: () => deleteJson(`rules/${known?.id}`),
    onSuccess: () => finish(t("revoked")),
    onError: showError,
  });
  return (
    <form
      className="box grid gap-3.5 p-4"
      aria-label={t("editRule")}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <header className="flex items-center gap-2">
        <h2 className="grow">{t(known ? "editRule" : "newRule")}</h2>
        <Button look="quiet" icon="close" aria-label={t("close")} onClick={onClose} />
      </header>
      <TextField
        label={t("ruleLabel")}
        mono
        placeholder="terminal.exec(npm run *)"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="grid grid-cols-2 gap-3">
        <SelectField label={t("verdict")} value={list} onChange={(value) => setList(value as RuleList)}>
          {(["deny", "ask", "allow"] as const).map((one) => (
            <option key={one} value={one}>
              {t(`list.${one}`)}
            </option>
          ))}
        </SelectField>
        <TextField
          label={t("countsFor")}
          placeholder={t("anyAgent")}
          value={agent}
          onChange={(event) => setAgent(event.target.value)}
        />
      </div>
      <TextField
        label={t("why")}
        value={why}
        maxLength={500}
        onChange={(event) => setWhy(event.target.value)}
      />
      {(known?.user || known?.conversation) && (
        <p className="meta">
          {t("onlyFor")}{" "}
          <VisibleText text={[known.user, known.conversation?.slice(0, 8)].filter(Boolean).join(", ")} />
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="go" disabled={!text.trim() || save.isPending}>
          {t("saveRule")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
        <span className="grow" />
        {known && (
          <Button look="stop" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
            {t("revoke")}
          </Button>
        )}
      </div>
      {/* Below the buttons, so that no button moves under the pointer when the preview arrives. */}
      {text.trim() && list === "allow" && <RulePreview rules={[text.trim()]} />}
    </form>
  );
}
