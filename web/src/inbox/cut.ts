/** Cuts a text by characters, as the server counts them; JavaScript counts halves of some. */
export function cutter(text: string): (from: number, to?: number) => string {
  if (!/[\ud800-\udbff]/.test(text)) return (from, to) => text.slice(from, to);
  const characters = [...text];
  return (from, to) => characters.slice(from, to).join("");
}
