/** Tokens: what agents, services and people prove themselves with. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post, remove } from "@/api/http";
import { client } from "@/api/queries";
import type { CredentialShown, TokenMade } from "@/api/types";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { SelectField, TextField } from "@/ui/Field";
import { VisibleText } from "@/ui/VisibleText";
import { clock } from "@/words/time";
import { useWords } from "@/words/words";
import { Secret } from "./Secret";
import { Section } from "./Settings";

const KEY = ["tokens"];
const KINDS = ["agent", "service", "person"] as const;
const refresh = () => client.invalidateQueries({ queryKey: KEY });
const failed = (error: Error) => toast(error.message, "warn");

export function Tokens() {
  const { say, language } = useWords();
  const [kind, setKind] = useState<string>("agent");
  const [name, setName] = useState("");
  const { data = [] } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await get<{ items: CredentialShown[] }>("tokens")).items,
  });
  const make = useMutation({
    mutationFn: () => post<TokenMade>("tokens", { kind, name: name.trim() }),
    onError: failed,
    onSettled: refresh,
  });
  const end = useMutation({
    mutationFn: (id: string) => remove(`tokens/${id}`),
    onError: failed,
    onSettled: refresh,
  });
  return (
    <Section title={say("tokens")}>
      <ul className="grid gap-1.5">
        {data.map((token) => (
          <li key={token.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <b className="font-medium">
              <VisibleText text={token.principal_id} />
            </b>
            <span className="meta grow">
              {token.kind} {token.label && <VisibleText text={`· ${token.label}`} />} ·{" "}
              {token.made_at && clock(token.made_at, language)} · {say("expires").toLowerCase()}{" "}
              {token.expires_at ? clock(token.expires_at, language) : say("never")}
            </span>
            <Button small look="stop" disabled={end.isPending} onClick={() => end.mutate(token.id)}>
              {say("revoke")}
            </Button>
          </li>
        ))}
      </ul>
      {make.data && (
        <Secret
          title={say("tokenFor", { who: make.data.principal_id })}
          value={make.data.secret}
          onClose={make.reset}
        />
      )}
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <SelectField label={say("kind")} value={kind} onChange={setKind}>
          {KINDS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
        <TextField label={say("name")} value={name} onChange={(event) => setName(event.target.value)} />
        <Button type="submit" icon="plus" disabled={!name.trim() || make.isPending}>
          {say("newToken")}
        </Button>
      </form>
    </Section>
  );
}
