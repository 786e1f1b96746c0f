/** Try a call: decided by the same function as real calls, but nothing runs. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { postJson } from "@/api/http";
import type { CallArguments, Decision } from "@/api/types";
import { MODES, type Mode, ModeDot, verdictIcon, verdictTone } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { ReasonSentence, reasonText } from "@/ui/reason";
import { stageWord } from "@/ui/stage";
import { useDelayedValue } from "@/ui/useDelayedValue";
import { useLanguage, useTranslate } from "@/words/words";

const KNOWN_TOOLS = [
  "terminal.exec",
  "files.read",
  "files.write",
  "files.delete",
  "Bash",
  "Read",
  "Edit",
  "Write",
  "WebFetch",
];

export function TryCallForm() {
  const t = useTranslate();
  const [tool, setTool] = useState("terminal.exec");
  const [text, setText] = useState("npm run build && git push origin main");
  const [mode, setMode] = useState<Mode>("default");
  const delayedText = useDelayedValue({ tool: tool.trim(), text, mode }, 200);
  const args = parseTypedArgs(delayedText.tool, delayedText.text);
  const { data, error } = useQuery({
    queryKey: ["decide", delayedText],
    queryFn: ({ signal }) =>
      postJson<Decision>("decide", { tool: delayedText.tool, args, mode: delayedText.mode }, signal),
    enabled: delayedText.tool !== "" && args !== null && delayedText.text.trim() !== "",
    retry: false,
    placeholderData: (before) => before,
  });
  return (
    <section className="box" aria-label={t("tryACall")}>
      <div className="grid gap-2 border-b border-line bg-sunken p-3 phone:grid-cols-[150px_minmax(0,1fr)_160px]">
        <span className="field">
          <input
            aria-label={t("tool")}
            list="known-tools"
            className="mono"
            spellCheck={false}
            value={tool}
            onChange={(event) => setTool(event.target.value)}
          />
          <datalist id="known-tools">
            {KNOWN_TOOLS.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </span>
        <span className="field">
          <textarea
            aria-label={t("call")}
            rows={1}
            className="mono max-h-40 !py-1.5 [field-sizing:content]"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </span>
        <span className="field">
          <ModeDot mode={mode} />
          <select
            aria-label={t("mode")}
            value={mode}
            onChange={(event) => setMode(event.target.value as Mode)}
          >
            {MODES.map((one) => (
              <option key={one} value={one}>
                {t(`mode.${one}`)}
              </option>
            ))}
          </select>
        </span>
      </div>
      <div className="min-h-[68px] p-3.5" role="status">
        {args === null ? (
          <p className="text-deny">{t("notJson")}</p>
        ) : error ? (
          <p className="text-deny">{error.message}</p>
        ) : data ? (
          <TriedCallOutcome decision={data} />
        ) : null}
      </div>
    </section>
  );
}

function TriedCallOutcome({ decision }: { decision: Decision }) {
  const { t, language } = useLanguage();
  const words = { run: t("ran"), ask: t("asks"), deny: t("denied"), absent: t("absent") };
  return (
    <div
      className={`${verdictTone(decision.verdict)} grid gap-x-4 gap-y-2 phone:grid-cols-[max-content_minmax(0,1fr)]`}
    >
      <b className="tinted inline-flex items-center gap-2 self-start text-title font-semibold">
        <Icon name={verdictIcon(decision.verdict)} />
        {words[decision.verdict]}
      </b>
      <p className="self-center text-why">
        <ReasonSentence reason={{ sentence: decision.because, ...decision.reason }} />
      </p>
      <ol className="flex flex-wrap gap-1.5 phone:col-start-2">
        {decision.steps.map((step, at) => (
          <li
            key={at}
            className={`chip ${verdictTone(step.verdict)} ${step.stage === decision.stage ? "outline outline-1" : "!bg-transparent"}`}
            title={`${step.stage}: ${reasonText({ ...step, sentence: step.reason }, language)}`}
          >
            <Icon name={verdictIcon(step.verdict)} size="small" />
            {step.stage === decision.stage
              ? t("decides", { stage: stageWord(step.stage, t) })
              : stageWord(step.stage, t)}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Parse the typed arguments: JSON as it is, other text as the tool's main argument. */
export function parseTypedArgs(tool: string, text: string): CallArguments | null {
  if (text.trim().startsWith("{")) {
    try {
      return JSON.parse(text) as CallArguments;
    } catch {
      return null;
    }
  }
  if (/^(Read|Write|Edit|MultiEdit)$/.test(tool)) return { file_path: text };
  if (/^(files|editor)\.|_file$|^(LS|Glob|Grep)$/.test(tool)) return { path: text };
  if (tool === "WebFetch" || tool === "browser") return { url: text };
  return { command: text };
}
