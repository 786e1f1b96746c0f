/** The terminal emulator. Its style sheets are adopted, because the content security policy forbids inline ones. */
import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";

/** A document whose style elements are adopted sheets, and whose elements get styles without the attribute. */
function documentWithAdoptedStyles(): Document {
  return new Proxy(document, {
    get: (target, key) => {
      if (key === "createElement") return createElement;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function createElement(name: string, options?: ElementCreationOptions): HTMLElement {
  if (name === "style") return createAdoptedStyle();
  return withStyleSetter(Document.prototype.createElement.call(document, name, options));
}

/** Open the terminal; a part of it makes its style element with the page's own document. */
function openWithAdoptedStyles(terminal: Terminal, parent: HTMLElement) {
  document.createElement = createElement as typeof document.createElement;
  try {
    terminal.open(parent);
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
}

/** An invisible element whose text is the text of an adopted sheet. */
function createAdoptedStyle(): HTMLElement {
  const element = Document.prototype.createElement.call(document, "link");
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, "textContent", { set: (text: string) => sheet.replaceSync(text) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

function withStyleSetter<T extends HTMLElement>(element: T): T {
  element.setAttribute = (name, value) => {
    if (name === "style") element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
  return element;
}

export type Emulator = { terminal: Terminal; fit: FitAddon; dispose: () => void };

export function createEmulator(parent: HTMLElement, label: string): Emulator {
  const style = getComputedStyle(parent);
  const terminal = new Terminal({
    documentOverride: documentWithAdoptedStyles(),
    fontFamily: style.getPropertyValue("--mono") || "monospace",
    fontSize: 13,
    screenReaderMode: true,
    theme: themeOf(parent),
    scrollback: 5_000,
    allowProposedApi: false,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  openWithAdoptedStyles(terminal, parent);
  terminal.textarea?.setAttribute("aria-label", label);
  // Tab moves on after Escape, so that the keyboard is not caught here.
  let leaving = false;
  terminal.attachCustomKeyEventHandler((event) => {
    const leaves = leaving && event.key === "Tab";
    leaving = event.type === "keydown" ? event.key === "Escape" : leaving;
    return !leaves;
  });
  const follow = () => {
    terminal.options.theme = themeOf(parent);
  };
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", follow);
  const observer = new MutationObserver(follow);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return {
    terminal,
    fit,
    dispose: () => {
      scheme.removeEventListener("change", follow);
      observer.disconnect();
      terminal.dispose();
    },
  };
}

/** The page's colours; a probe resolves what a variable means in the current theme. */
function themeOf(parent: HTMLElement): ITheme {
  const probe = document.createElement("span");
  parent.append(probe);
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const theme = {
    background: colour("surface"),
    foreground: colour("ink"),
    cursor: colour("ink"),
    selectionBackground: colour("accent-soft"),
    black: colour("ink-2"),
    red: colour("deny"),
    green: colour("run"),
    yellow: colour("ask"),
    blue: colour("edit"),
    magenta: colour("write"),
    cyan: colour("external"),
    white: colour("ink-2"),
    brightBlack: colour("ink-3"),
    brightRed: colour("deny"),
    brightGreen: colour("run"),
    brightYellow: colour("ask"),
    brightBlue: colour("edit"),
    brightMagenta: colour("write"),
    brightCyan: colour("external"),
    brightWhite: colour("ink"),
  };
  probe.remove();
  return theme;
}
