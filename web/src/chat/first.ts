/** The first message of a conversation, from the page that began it to the thread that sends it. */

export type First = { text: string; model: string };

const kept = new Map<string, First>();

export const keepFirst = (conversation: string, first: First) => kept.set(conversation, first);

/** The message that is still to be sent, once. */
export function takeFirst(conversation: string): First | undefined {
  const first = kept.get(conversation);
  kept.delete(conversation);
  return first;
}
