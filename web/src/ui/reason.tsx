/** The reason of a decision in the language of the reader, from its code and its values. */
import type { ReasonCode } from "@/api/types";
import { Sentence } from "@/ui/VisibleText";
import { reasonsInEnglish } from "@/words/reasons.en";
import { reasonsInSpanish } from "@/words/reasons.es";
import { type Language, useLanguage } from "@/words/words";

/** A reason as the server sends it; a reason without a code is a text of another program or version. */
export type Reason = {
  sentence: string;
  code?: ReasonCode | undefined;
  values?: Readonly<Record<string, string>> | undefined;
};

const SENTENCES: Record<Language, Record<ReasonCode, string>> = {
  en: reasonsInEnglish,
  es: reasonsInSpanish,
};

/** Values that are words of ours, and not texts of a call. */
const WORDS: Record<Language, Readonly<Record<string, string>>> = {
  en: {
    read: "reading",
    edit: "editing files",
    write: "changing data",
    execute: "running commands",
    external: "calling external tools",
    destructive: "destructive calls",
  },
  es: {
    read: "leer",
    edit: "editar archivos",
    write: "cambiar datos",
    execute: "ejecutar órdenes",
    external: "usar herramientas externas",
    destructive: "llamadas destructivas",
  },
};

/** The sentence of a reason, without a full stop; the server's English sentence if the code is not known. */
export function reasonText({ sentence, code, values = {} }: Reason, language: Language): string {
  const template = code && code !== "text" ? SENTENCES[language][code] : undefined;
  if (template === undefined) return sentence;
  return template
    .replace(/\[([^\]{]*\{(\w+)\}[^\]]*)\]/g, (_, piece: string, name: string) =>
      name in values ? piece : "",
    )
    .replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name] ?? "";
      if (name === "effect") return WORDS[language][value] ?? value;
      if (name === "cause")
        return reasonText({ sentence: value, code: value as ReasonCode, values }, language);
      return value;
    });
}

/** Whether a reason has a sentence in every language of the app. */
const isTranslated = ({ code }: Reason) => code !== undefined && code !== "text" && code in reasonsInEnglish;

/** A reason in the language of the reader, in which `backticks` quote texts of the call. */
export function ReasonSentence({ reason }: { reason: Reason }) {
  const { language } = useLanguage();
  return (
    <span lang={language === "en" || isTranslated(reason) ? undefined : "en"}>
      <Sentence text={reasonText(reason, language)} />
    </span>
  );
}
