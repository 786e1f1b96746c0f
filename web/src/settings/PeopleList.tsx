/** People: who may sign in, and a sign-in link for a new person. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { getJson, postJson } from "@/api/http";
import { refetchQueries, useMe } from "@/api/queries";
import type { PersonJson } from "@/api/types";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import type { TextKey } from "@/words/en";
import { useLanguage } from "@/words/words";
import { SecretDialog } from "./SecretDialog";
import { SettingsSection } from "./SettingsSection";

const PEOPLE_KEY = ["people"];
const refreshPeople = () => refetchQueries(PEOPLE_KEY);
const showError = (error: Error) => showToast(error.message, "warn");

/** The status of a person as words, because colours alone are not accessible. */
const personLabels = (person: PersonJson): TextKey[] => [
  ...(person.administrator ? (["administrator"] as const) : []),
  ...(person.disabled_at ? (["disabled"] as const) : []),
];

export function PeopleList() {
  const { t } = useLanguage();
  const [name, setName] = useState("");
  const me = useMe().data?.id;
  const [link, setLink] = useState({ person: "", address: "" });
  const { data = [] } = useQuery({
    queryKey: PEOPLE_KEY,
    queryFn: async () => (await getJson<{ items: PersonJson[] }>("people")).items,
  });
  const invite = useMutation({
    mutationFn: async (id: string) =>
      (await postJson<{ link: string }>(`people/${encodeURIComponent(id)}/link`)).link,
    onSuccess: (secret, person) =>
      setLink({ person, address: new URL(`./login#${secret}`, document.baseURI).href }),
    onError: showError,
  });
  const add = useMutation({
    mutationFn: () => postJson<PersonJson>("people", { id: name.trim() }),
    onSuccess: (person) => {
      setName("");
      invite.mutate(person.id);
    },
    onError: showError,
    onSettled: refreshPeople,
  });
  const disable = useMutation({
    mutationFn: (id: string) => postJson(`people/${encodeURIComponent(id)}/disable`),
    onError: showError,
    onSettled: refreshPeople,
  });
  const enable = useMutation({
    mutationFn: (id: string) => postJson(`people/${encodeURIComponent(id)}/enable`),
    // Enabling a person does not restore sessions; they need a new link to sign in.
    onSuccess: (_, id) => invite.mutate(id),
    onError: showError,
    onSettled: refreshPeople,
  });
  return (
    <SettingsSection title={t("people")}>
      <ul className="grid gap-1.5">
        {data.map((person) => (
          <li key={person.id} className="flex flex-wrap items-center gap-2.5">
            <b className={`grow font-medium ${person.disabled_at ? "text-ink-3" : ""}`}>
              {person.id}{" "}
              <span className="meta">
                {personLabels(person)
                  .map((mark) => t(mark))
                  .join(", ")}
              </span>
            </b>
            {person.disabled_at ? (
              <Button small disabled={enable.isPending} onClick={() => enable.mutate(person.id)}>
                {t("enable")}
              </Button>
            ) : (
              <>
                <Button small onClick={() => invite.mutate(person.id)}>
                  {t("newLink")}
                </Button>
                {person.id !== me && (
                  <Button small look="stop" onClick={() => disable.mutate(person.id)}>
                    {t("disable")}
                  </Button>
                )}
              </>
            )}
          </li>
        ))}
      </ul>
      {link.address && (
        <SecretDialog
          title={t("linkFor", { person: link.person })}
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
        <TextField label={t("name")} value={name} onChange={(event) => setName(event.target.value)} />
        <Button type="submit" icon="plus" disabled={!name.trim() || add.isPending}>
          {t("addPerson")}
        </Button>
      </form>
    </SettingsSection>
  );
}
