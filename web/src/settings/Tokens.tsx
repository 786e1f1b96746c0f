/** Tokens: credentials of agents, services and people. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post, remove } from "@/api/http";
import { queryClient } from "@/api/queries";
import type { CredentialShown, TokenMade } from "@/api/types";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { VisibleText } from "@/ui/VisibleText";
import { formatClock } from "@/words/time";
import { useLanguage } from "@/words/words";
import { Secret } from "./Secret";
import { Section } from "./Settings";

const TOKENS_KEY = ["tokens"];
const TOKEN_KINDS = ["agent", "service", "person"] as const;
const refreshTokens = () => queryClient.invalidateQueries({ queryKey: TOKENS_KEY });
const showError = (error: Error) => toast(error.message, "warn");

export function Tokens() {
  const { t, language } = useLanguage();
  const [kind, setKind] = useState<string>("agent");
  const [name, setName] = useState("");
  const { data = [] } = useQuery({
    queryKey: TOKENS_KEY,
    queryFn: async () => (await get<{ items: CredentialShown[] }>("tokens")).items,
  });
  const create = useMutation({
    mutationFn: () => post<TokenMade>("tokens", { kind, name: name.trim() }),
    onError: showError,
    onSettled: refreshTokens,
  });
  const revoke = useMutation({
    mutationFn: (id: string) => remove(`tokens/${id}`),
    onError: showError,
    onSettled: refreshTokens,
  });
  return (
    <Section title={t("tokens")}>
      <ul className="grid gap-1.5">
        {data.map((token) => (
          <li key={token.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <b className="font-medium">
              <VisibleText text={token.principal_id} />
            </b>
            <span className="meta grow">
              {token.kind} {token.label && <VisibleText text={`· ${token.label}`} />} ·{" "}
              {token.made_at && formatClock(token.made_at, language)} · {t("expires").toLowerCase()}{" "}
              {token.expires_at ? formatClock(token.expires_at, language) : t("never")}
            </span>
            <Button small look="stop" disabled={revoke.isPending} onClick={() => revoke.mutate(token.id)}>
              {t("revoke")}
            </Button>
          </li>
        ))}
      </ul>
      {create.data && (
        <Secret
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
    </Section>
  );
}
