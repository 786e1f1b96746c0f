/** Coming in: by the link that the server printed, once. */
import { useEffect, useRef, useState } from "react";
import { post } from "@/api/http";
import { client } from "@/api/queries";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { Mark } from "@/ui/Icon";
import { Sentence } from "@/ui/VisibleText";
import { useSay } from "@/words/words";
import { slip, useRoute } from "./route";

export function Login() {
  const say = useSay();
  const { page, id } = useRoute();
  const [text, setText] = useState("");
  const [state, setState] = useState<"idle" | "busy" | "refused">("idle");
  const tried = useRef("");

  const enter = async (link: string) => {
    setState("busy");
    try {
      await post("login", { link: secretIn(link) });
      slip("inbox");
      await client.resetQueries();
    } catch {
      setState("refused");
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is followed once
  useEffect(() => {
    if (page !== "login" || !id || tried.current === id) return;
    tried.current = id;
    // The link is spent now: it should not stay in the address or the history.
    slip("login");
    void enter(id);
  }, [page, id]);

  return (
    <main className="grid min-h-dvh place-items-center bg-canvas p-4">
      <form
        className="box grid w-full max-w-sm gap-4 p-6 shadow-card"
        onSubmit={(event) => {
          event.preventDefault();
          void enter(text);
        }}
      >
        <h1 className="flex items-center gap-2.5">
          <Mark /> {say("signIn")}
        </h1>
        <p className="text-ink-2">
          <Sentence text={say("signInMore")} />
        </p>
        <TextField
          label={say("signInLink")}
          mono
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {state === "refused" && (
          <p role="alert" className="text-deny">
            {say("badLink")}
          </p>
        )}
        <Button type="submit" look="go" className="min-h-10" disabled={state === "busy" || !text.trim()}>
          {say(state === "busy" ? "signingIn" : "signIn")}
        </Button>
      </form>
    </main>
  );
}

/** The secret itself, whether somebody pasted it alone or as a whole link. */
export const secretIn = (text: string) => text.trim().split(/[/#=]/).at(-1) ?? "";
