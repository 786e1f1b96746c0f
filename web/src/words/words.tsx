/** Translation of the app's texts; stored data is never translated. */
import { createContext, type ReactNode, use, useMemo, useState } from "react";
import { type Catalogue, en, type TextKey } from "./en";
import { es } from "./es";

export const LANGUAGES = { en: "English", es: "Español" } as const;
export type Language = keyof typeof LANGUAGES;
type TextValues = Readonly<Record<string, string | number>>;
export type Translate = (key: TextKey, values?: TextValues) => string;

const TEXT_CATALOGUES: Record<Language, Catalogue> = { en, es };
const STORAGE_KEY = "assent.language";

export function makeTranslate(language: Language): Translate {
  const catalogue = TEXT_CATALOGUES[language];
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

type LanguageContext = { language: Language; setLanguage: (language: Language) => void; t: Translate };
const CurrentLanguage = createContext<LanguageContext>({
  language: "en",
  setLanguage: () => {},
  t: makeTranslate("en"),
});

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setState] = useState<Language>(preferredLanguage);
  const words = useMemo(
    () => ({ language, t: makeTranslate(language), setLanguage: makeLanguageSetter(setState) }),
    [language],
  );
  return <CurrentLanguage value={words}>{children}</CurrentLanguage>;
}

export const useLanguage = () => use(CurrentLanguage);
export const useTranslate = () => use(CurrentLanguage).t;

function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY) ?? navigator.language.slice(0, 2);
  const language = stored === "es" ? "es" : "en";
  document.documentElement.lang = language;
  return language;
}

const makeLanguageSetter = (set: (language: Language) => void) => (language: Language) => {
  localStorage.setItem(STORAGE_KEY, language);
  document.documentElement.lang = language;
  set(language);
};
