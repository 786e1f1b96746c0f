/** How a page shows the questions and the tools of a conversation; the workbench has its own places for both. */
import type { ToolGroup } from "assent-sdk";
import { type ComponentType, createContext } from "react";
import { QuestionCard, type QuestionCardProps } from "@/inbox/QuestionCard";
import type { ExampleMessage } from "./ExampleMessages";

export type ConversationDisplay = {
  Question: ComponentType<QuestionCardProps>;
  /** Fetches all tools by group; null on a page whose agent has a plain list. */
  listTools: (() => Promise<ToolGroup[]>) | null;
  /** Whether the page already shows the title of the conversation. */
  compact: boolean;
  /** Whether each turn ends in a line with the number of its calls, and the calls of earlier turns are hidden. */
  turnLog: boolean;
  /** What a person can try in an empty conversation; null for no examples. */
  examples: readonly ExampleMessage[] | null;
};

export const ConversationDisplayContext = createContext<ConversationDisplay>({
  Question: QuestionCard,
  listTools: null,
  compact: false,
  turnLog: false,
  examples: null,
});
