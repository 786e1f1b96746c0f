/** The rules that apply to all: the three lists of `agent.permissions`, edited as texts. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { getJson, patchJson } from "@/api/http";
import { PERMISSIONS_KEY, useStoredPermissions } from "@/api/presets";
import { queryKeys, refetchQueries, storeQueryResult } from "@/api/queries";
import type { Permissions, RuleList } from "@/api/types";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { VisibleText } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { SettingsSection } from "./SettingsSection";

const LISTS: readonly RuleList[] = ["deny", "ask", "allow"];
type Change = { list: RuleList; add?: string; remove?: string };

export function PermissionLists() {
  const t = useTranslate();
  const { data, refetch, isFetching } = useStoredPermissions();
  const change = useMutation({
    scope: { id: "permission lists" },
    mutationFn: async ({ list, add, remove }: Change) => {
      // The server replaces the whole list, so start from the one that it has now.
      const now = (await getJson<Permissions>("settings/agent.permissions"))[list];
      const kept = now.filter((text) => text !== remove);
      const next = add === undefined || kept.includes(add) ? kept : [...kept, add];
      return patchJson<Permissions>("settings/agent.permissions", { [list]: next });
    },
    onSuccess: (now) => {
      void storeQueryResult(PERMISSIONS_KEY, now);
      void refetchQueries(queryKeys.rules);
    },
    onError: (error) => showToast(error.message, "warn"),
  });
  if (!data) return null;
  return (
    <SettingsSection title={t("permissionLists")}>
      <p className="meta flex items-center gap-2">
        <span className="grow">{t("permissionListsMore")}</span>
        <Button small look="quiet" disabled={isFetching} onClick={() => void refetch()}>
          {t("refresh")}
        </Button>
      </p>
      {LISTS.map((list) => (
        <ListEditor
          key={list}
          list={list}
          rules={data[list]}
          busy={change.isPending}
          onChange={(wanted, done) => change.mutate({ list, ...wanted }, { onSuccess: done })}
        />
      ))}
      {data.warnings.map((warning) => (
        <p key={warning} className="finding">
          <VisibleText text={warning} />
        </p>
      ))}
    </SettingsSection>
  );
}

type ListEditorProps = {
  list: RuleList;
  rules: readonly string[];
  busy: boolean;
  onChange: (change: Omit<Change, "list">, done: () => void) => void;
};

function ListEditor({ list, rules, busy, onChange }: ListEditorProps) {
  const t = useTranslate();
  const [text, setText] = useState("");
  const name = t(`list.${list}`);
  return (
    <section className={`tone-${list === "allow" ? "run" : list} grid gap-1.5`} aria-label={name}>
      <h3 className="tinted">{name}</h3>
      <ul className="grid gap-1">
        {rules.map((rule) => (
          <li key={rule} className="flex items-center gap-2">
            <code className="grow">
              <VisibleText text={rule} />
            </code>
            <Button
              small
              look="quiet"
              icon="close"
              disabled={busy}
              aria-label={t("removeRule", { rule })}
              onClick={() => onChange({ remove: rule }, () => {})}
            />
          </li>
        ))}
      </ul>
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) onChange({ add: text.trim() }, () => setText(""));
        }}
      >
        <span className="field grow">
          <input
            className="mono"
            aria-label={t("ruleFor", { list: name })}
            placeholder="terminal.exec(npm run *)"
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
        <Button type="submit" disabled={busy}>
          {t("add")}
        </Button>
      </form>
    </section>
  );
}
