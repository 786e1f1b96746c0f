/** The icons, each on a 16 by 16 grid; an icon always has a text beside it. */

const ICON_PATHS = {
  agents:
    "M4 5.5h8a1.5 1.5 0 0 1 1.5 1.5v4.5A1.5 1.5 0 0 1 12 13H4a1.5 1.5 0 0 1-1.5-1.5V7A1.5 1.5 0 0 1 4 5.5ZM8 5.5V3M6 9v.5M10 9v.5M1 8.5v2M15 8.5v2",
  ask: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM6.3 6.4a1.75 1.75 0 1 1 2.5 1.6c-.5.25-.8.6-.8 1.1M8 11.2v.1",
  back: "M10 3.5 5.5 8l4.5 4.5",
  bolt: "M9 1.8 3.5 9H8l-1 5.2L12.5 7H8Z",
  chat: "M3.8 2.5h8.4A1.8 1.8 0 0 1 14 4.3v5.4a1.8 1.8 0 0 1-1.8 1.8H7.2l-3.4 2.6v-2.6A1.8 1.8 0 0 1 2 9.7V4.3a1.8 1.8 0 0 1 1.8-1.8Z",
  check: "m3.5 8.5 3 3 6-7",
  clock: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM8 4.7V8l2.2 1.4",
  close: "m4 4 8 8M12 4l-8 8",
  copy: "M6.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1ZM10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2",
  deny: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM3.9 3.9l8.2 8.2",
  destructive: "M5.5 1.8h5l3.7 3.7v5l-3.7 3.7h-5l-3.7-3.7v-5ZM8 4.8v4M8 11.1v.1",
  down: "m3.8 6 4.2 4.2L12.2 6",
  edit: "M10.8 2.7 13.3 5.2 5.5 13l-3 .5.5-3ZM9.3 4.2l2.5 2.5",
  execute:
    "M3.5 2.5h9a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-9a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2ZM4.5 6l2 2-2 2M8.5 10.5h3",
  export: "M8 2.5v7M5 7l3 3 3-3M3 13.2h10",
  external:
    "M6.5 3H4a1.5 1.5 0 0 0-1.5 1.5V12A1.5 1.5 0 0 0 4 13.5h7.5A1.5 1.5 0 0 0 13 12V9.5M9.5 2.5h4v4M13.3 2.7 7.5 8.5",
  file: "M4 1.8h5.2L12.5 5v8a1.2 1.2 0 0 1-1.2 1.2H4.7A1.2 1.2 0 0 1 3.5 13V2.8M9 2v3.2h3.3",
  folder:
    "M1.8 4.4A1.4 1.4 0 0 1 3.2 3h2.9l1.6 1.9h5.1a1.4 1.4 0 0 1 1.4 1.4v5.3a1.4 1.4 0 0 1-1.4 1.4H3.2a1.4 1.4 0 0 1-1.4-1.4Z",
  history: "M2.4 8A5.6 5.6 0 1 0 4.2 3.9L2.4 5.5M2.4 2.6v2.9h2.9M8 5v3.2l2.1 1.2",
  inbox:
    "m2 9.2 1.8-5.6a1.3 1.3 0 0 1 1.2-.9h6a1.3 1.3 0 0 1 1.2.9L14 9.2v2.7a1.4 1.4 0 0 1-1.4 1.4H3.4A1.4 1.4 0 0 1 2 11.9ZM2 9.2h3.4l1 1.8h3.2l1-1.8H14",
  keys: "M3 4h10a1.5 1.5 0 0 1 1.5 1.5V11A1.5 1.5 0 0 1 13 12.5H3A1.5 1.5 0 0 1 1.5 11V5.5A1.5 1.5 0 0 1 3 4ZM4.3 7h.1M7 7h.1M9.7 7h.1M12 7h.1M5 9.8h6",
  later: "M13.2 9.7A5.6 5.6 0 1 1 6.3 2.8a4.6 4.6 0 0 0 6.9 6.9Z",
  lock: "M4.5 7h7A1.5 1.5 0 0 1 13 8.5v4a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 3 12.5v-4A1.5 1.5 0 0 1 4.5 7ZM5.2 7V5a2.8 2.8 0 0 1 5.6 0v2",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  next: "M6 3.5 10.5 8 6 12.5",
  offline:
    "M2 2l12 12M3 6.5a8 8 0 0 1 2.5-1.6M8 4.2a8 8 0 0 1 5 2.3M5 9a4.6 4.6 0 0 1 2-1.1M11 9a4.6 4.6 0 0 0-.7-.5M8 12v.1",
  pause: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM6.5 6v4M9.5 6v4",
  person: "M10.6 5.3a2.6 2.6 0 1 1-5.2 0 2.6 2.6 0 0 1 5.2 0ZM2.8 13.6c.6-2.6 2.7-4 5.2-4s4.6 1.4 5.2 4",
  play: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM6.7 5.6v4.8L10.6 8Z",
  plus: "M8 3v10M3 8h10",
  read: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM10 8a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z",
  rules: "M6.5 4h7M6.5 8h7M6.5 12h7M2.2 4l.9.9 1.5-1.7M2.4 8h2M2.6 11.2l1.6 1.6M4.2 11.2l-1.6 1.6",
  run: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM5.4 8.2l1.8 1.8 3.4-3.8",
  search: "M11.3 7A4.3 4.3 0 1 1 2.7 7a4.3 4.3 0 0 1 8.6 0ZM10.3 10.3l3.2 3.2",
  send: "M8 13V3.5M4 7.2l4-4 4 4",
  settings:
    "M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M12.1 4.5a1.6 1.6 0 1 1-3.2 0 1.6 1.6 0 0 1 3.2 0ZM7.1 11.5a1.6 1.6 0 1 1-3.2 0 1.6 1.6 0 0 1 3.2 0Z",
  stop: "M5 4h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Z",
  theme: "M13.6 8A5.6 5.6 0 1 1 2.4 8a5.6 5.6 0 0 1 11.2 0ZM8 2.4v11.2M9.6 3v10M11.2 3.9v8.2M12.6 5.3v5.4",
  under: "M4 2.5v5A2.5 2.5 0 0 0 6.5 10H13M10 7l3 3-3 3",
  up: "m3.8 10 4.2-4.2 4.2 4.2",
  undo: "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5l3-3M3 6.5l3 3",
  warn: "M8 2.2 14.4 13.3H1.6ZM8 6.4v3.2M8 11.4v.1",
  workbench:
    "M3 2.5h10A1.5 1.5 0 0 1 14.5 4v8a1.5 1.5 0 0 1-1.5 1.5H3A1.5 1.5 0 0 1 1.5 12V4A1.5 1.5 0 0 1 3 2.5ZM6 2.5v11M6 8.5h8.5",
  write:
    "M13 3.8c0 1.1-2.2 2-5 2s-5-.9-5-2 2.2-2 5-2 5 .9 5 2ZM3 3.8v8.4c0 1.1 2.2 2 5 2s5-.9 5-2V3.8M3 8c0 1.1 2.2 2 5 2s5-.9 5-2",
} as const;

export type IconName = keyof typeof ICON_PATHS;

const ICON_SIZE_CLASSES = { small: "icon icon-small", normal: "icon", large: "icon icon-large" };

export function Icon({
  name,
  size = "normal",
  className = "",
}: {
  name: IconName;
  size?: keyof typeof ICON_SIZE_CLASSES;
  className?: string;
}) {
  return (
    <svg className={`${ICON_SIZE_CLASSES[size]} ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}

/** The logo of Assent: a door with a check mark. */
export function Logo() {
  return (
    <svg className="size-5" viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="5.5" fill="var(--ink)" />
      <path
        d="M4.8 15.2V8.6a5.2 5.2 0 0 1 10.4 0v6.6M7.3 10.6l2 2 3.6-4.1"
        fill="none"
        stroke="var(--on-ink)"
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
