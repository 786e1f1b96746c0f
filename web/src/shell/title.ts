/** The number of pending questions in the title and the icon of the browser tab. */
import { useEffect } from "react";

export function usePageTitleAndIcon(page: string, waiting: number) {
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${page} · Assent`;
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (link) link.href = faviconWithCount(waiting);
  }, [page, waiting]);
}

const FAVICON_SHAPE =
  '<rect width="20" height="20" rx="5.5" fill="#12181a"/><path d="M4.8 15.2V8.6a5.2 5.2 0 0 1 10.4 0v6.6M7.3 10.6l2 2 3.6-4.1" fill="none" stroke="#fff" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>';

function faviconWithCount(waiting: number): string {
  const count = waiting > 99 ? "99" : String(waiting);
  const badge = `<circle cx="14" cy="6" r="6" fill="#b0211b"/><text x="14" y="8.9" font-family="sans-serif" font-size="${count.length > 1 ? 7 : 8.5}" font-weight="700" fill="#fff" text-anchor="middle">${count}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">${FAVICON_SHAPE}${waiting > 0 ? badge : ""}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
