/** Signing in with the one-time link that the server printed. */
import { useEffect, useRef, useState } from "react";
import { postJson } from "@/api/http";
import { queryClient } from "@/api/queries";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Logo } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import { useTranslate } from "@/words/words";
import { replaceRoute, useRoute } from "./route";

export function Login() {
  const t = useTranslate();
  const { page, id } = useRoute();
  const [text, setText] = useState("");
  const [state, setState] = useState<"idle" | "busy" | "refused">("idle");
  const linkUsed = useRef("");

  const signIn = async (link: string) => {
    setState("busy");
    try {
      await postJson("login", { link: extractSecret(link) });
      replaceRoute("inbox");
      await queryClient.resetQueries();
    } catch {
      setState("refused");
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is followed once
  useEffect(() => {
    if (page !== "login" || !id || linkUsed.current === id) return;
    linkUsed.current = id;
    // The link has been used: remove it from the address and the browser history.
    replaceRoute("login");
    void signIn(id);
  }, [page, id]);

  return (
    <main className="grid min-h-dvh place-items-center bg-canvas p-4">
      <form
        className="box grid w-full max-w-sm gap-4 p-6 shadow-card"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(text);
        }}
      >
        <h1 className="flex items-center gap-2.5">
          <Logo /> {t("signIn")}
        </h1>
        <p className="text-ink-2">
          <Sentence text={t("signInMore")} />
        </p>
        <TextField
          label={t("signInLink")}
          mono
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {state === "refused" && (
          <p role="alert" className="text-deny">
            {t("badLink")}
          </p>
        )}
        <Button type="submit" look="go" className="min-h-10" disabled={state === "busy" || !text.trim()}>
          {t(state === "busy" ? "signingIn" : "signIn")}
        </Button>
      </form>
    </main>
  );
}

/** The secret in a pasted link or token. */
export const extractSecret = (text: string) => text.trim().split(/[/#=]/).at(-1) ?? "";
