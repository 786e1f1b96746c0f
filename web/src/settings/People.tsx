/** People: who may come in, and a link for the first time they do. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "@/api/http";
import { client, useMe } from "@/api/queries";
import type { PersonShown } from "@/api/types";
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import type { Key } from "@/words/en";
import { useWords } from "@/words/words";
import { Secret } from "./Secret";
import { Section } from "./Settings";

const KEY = ["people"];
const refresh = () => client.invalidateQueries({ queryKey: KEY });
const failed = (error: Error) => toast(error.message, "warn");

/** What a person is, in words: a colour or a line through a name says nothing to those who do not see it. */
const marksOf = (person: PersonShown): Key[] => [
  ...(person.administrator ? (["administrator"] as const) : []),
  ...(person.disabled_at ? (["disabled"] as const) : []),
];

export function People() {
  const { say } = useWords();
  const [name, setName] = useState("");
  const me = useMe().data?.id;
  const [link, setLink] = useState({ person: "", address: "" });
  const { data = [] } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await get<{ items: PersonShown[] }>("people")).items,
  });
  const invite = useMutation({
    mutationFn: async (id: string) =>
      (await post<{ link: string }>(`people/${encodeURIComponent(id)}/link`)).link,
    onSuccess: (secret, person) =>
      setLink({ person, address: new URL(`./login#${secret}`, document.baseURI).href }),
    onError: failed,
  });
  const add = useMutation({
    mutationFn: () => post<PersonShown>("people", { id: name.trim() }),
    onSuccess: (person) => {
      setName("");
      invite.mutate(person.id);
    },
    onError: failed,
    onSettled: refresh,
  });
  const disable = useMutation({
    mutationFn: (id: string) => post(`people/${encodeURIComponent(id)}/disable`),
    onError: failed,
    onSettled: refresh,
  });
  const enable = useMutation({
    mutationFn: (id: string) => post(`people/${encodeURIComponent(id)}/enable`),
    // What ended stays ended: they need a link to come in again.
    onSuccess: (_, id) => invite.mutate(id),
    onError: failed,
    onSettled: refresh,
  });
  return (
    <Section title={say("people")}>
      <ul className="grid gap-1.5">
        {data.map((person) => (
          <li key={person.id} className="flex flex-wrap items-center gap-2.5">
            <b className={`grow font-medium ${person.disabled_at ? "text-ink-3" : ""}`}>
              {person.id}{" "}
              <span className="meta">
                {marksOf(person)
                  .map((mark) => say(mark))
                  .join(", ")}
              </span>
            </b>
            {person.disabled_at ? (
              <Button small disabled={enable.isPending} onClick={() => enable.mutate(person.id)}>
                {say("enable")}
              </Button>
            ) : (
              <>
                <Button small onClick={() => invite.mutate(person.id)}>
                  {say("newLink")}
                </Button>
                {person.id !== me && (
                  <Button small look="stop" onClick={() => disable.mutate(person.id)}>
                    {say("disable")}
                  </Button>
                )}
              </>
            )}
          </li>
        ))}
      </ul>
      {link.address && (
        <Secret
          title={say("linkFor", { person: link.person })}
          value={link.address}
          onClose={() => setLink({ person: "", address: "" })}
        />
      )}
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <TextField label={say("name")} value={name} onChange={(event) => setName(event.target.value)} />
        <Button type="submit" icon="plus" disabled={!name.trim() || add.isPending}>
          {say("addPerson")}
        </Button>
      </form>
    </Section>
  );
}
