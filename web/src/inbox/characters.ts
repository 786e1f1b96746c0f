/** Slice a text by code points, as the server counts them; JavaScript counts UTF-16 units. */
export function characterSlicer(text: string): (from: number, to?: number) => string {
  if (!/[\ud800-\udbff]/.test(text)) return (from, to) => text.slice(from, to);
  const characters = [...text];
  return (from, to) => characters.slice(from, to).join("");
}
