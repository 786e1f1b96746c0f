/** Words in the person's language; what is stored is never translated. */
import { createContext, type ReactNode, use, useMemo, useState } from "react";
import { type Catalogue, en, type Key } from "./en";
import { es } from "./es";

export const LANGUAGES = { en: "English", es: "Español" } as const;
export type Language = keyof typeof LANGUAGES;
type Values = Readonly<Record<string, string | number>>;
export type Say = (key: Key, values?: Values) => string;

const CATALOGUES: Record<Language, Catalogue> = { en, es };
const KEPT = "assent.language";

export function sayIn(language: Language): Say {
  const catalogue = CATALOGUES[language];
  const plural = new Intl.PluralRules(language);
  const number = new Intl.NumberFormat(language);
  return (key, values = {}) => {
    const entry = catalogue[key];
    const one = typeof entry !== "string" && plural.select(Number(values["count"])) === "one";
    const text = typeof entry === "string" ? entry : one ? entry.one : entry.other;
    return text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name] ?? "";
      return typeof value === "number" ? number.format(value) : value;
    });
  };
}

type Words = { language: Language; speak: (language: Language) => void; say: Say };
const Context = createContext<Words>({ language: "en", speak: () => {}, say: sayIn("en") });

export function WordsProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(preferred);
  const words = useMemo(() => ({ language, say: sayIn(language), speak: keep(setLanguage) }), [language]);
  return <Context value={words}>{children}</Context>;
}

export const useWords = () => use(Context);
export const useSay = () => use(Context).say;

function preferred(): Language {
  const kept = localStorage.getItem(KEPT) ?? navigator.language.slice(0, 2);
  const language = kept === "es" ? "es" : "en";
  document.documentElement.lang = language;
  return language;
}

const keep = (set: (language: Language) => void) => (language: Language) => {
  localStorage.setItem(KEPT, language);
  document.documentElement.lang = language;
  set(language);
};
