/** Tokens: credentials of agents, services and people. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { deleteJson, getJson, postJson } from "@/api/http";
import { refetchQueries } from "@/api/queries";
import type { CredentialJson, TokenMade } from "@/api/types";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { VisibleText } from "@/ui/VisibleText";
import { formatDayAndTime } from "@/words/time";
import { useLanguage } from "@/words/words";
import { SecretDialog } from "./SecretDialog";
import { SettingsSection } from "./SettingsSection";

const TOKENS_KEY = ["tokens"];
const TOKEN_KINDS = ["agent", "service", "person"] as const;
const refreshTokens = () => refetchQueries(TOKENS_KEY);
const showError = (error: Error) => showToast(error.message, "warn");

export function TokenList() {
  const { t, language } = useLanguage();
  const [kind, setKind] = useState<string>("agent");
  const [name, setName] = useState("");
  const { data = [] } = useQuery({
    queryKey: TOKENS_KEY,
    queryFn: async () => (await getJson<{ items: CredentialJson[] }>("tokens")).items,
  });
  const create = useMutation({
    mutationFn: () => postJson<TokenMade>("tokens", { kind, name: name.trim() }),
    onError: showError,
    onSettled: refreshTokens,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => deleteJson(`tokens/${id}`),
    onError: showError,
    onSettled: refreshTokens,
  });
  return (
    <SettingsSection title={t("tokens")}>
      <ul className="grid gap-1.5">
        {data.map((token) => (
          <li key={token.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <b className="font-medium">
              <VisibleText text={token.principal_id} />
            </b>
            <span className="meta grow">
              {token.kind} {token.label && <VisibleText text={`· ${token.label}`} />} ·{" "}
              {token.made_at && formatDayAndTime(token.made_at, language)} · {t("expires").toLowerCase()}{" "}
              {token.expires_at ? formatDayAndTime(token.expires_at, language) : t("never")}
            </span>
            <Button small look="stop" disabled={revoke.isPending} onClick={() => revoke.mutate(token.id)}>
              {t("revoke")}
            </Button>
          </li>
        ))}
      </ul>
      {create.data && (
        <SecretDialog
          title={t("tokenFor", { who: create.data.principal_id })}
          value={create.data.secret}
          onClose={create.reset}
        />
      )}
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <SelectField label={t("kind")} value={kind} onChange={setKind}>
          {TOKEN_KINDS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
        <TextField label={t("name")} value={name} onChange={(event) => setName(event.target.value)} />
        <Button type="submit" icon="plus" disabled={!name.trim() || create.isPending}>
          {t("newToken")}
        </Button>
      </form>
    </SettingsSection>
  );
}
