/** The stub: the smallest use of the whole surface, to copy for a new module. Development builds only. */
import type { WidgetDecl } from "assent-sdk";
import { useSyncExternalStore } from "react";

let value = "1";
const listeners = new Set<() => void>();

export function setValue(next: string) {
  value = next;
  for (const listener of listeners) listener();
}

export const useStubValue = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => value,
  );

export const STUB_WIDGET: WidgetDecl = {
  id: "stub",
  title: "Stub",
  agentTools: [
    // A tool that only reads: no `sideEffect`.
    {
      name: "stub.getValue",
      description: "Returns the value of the stub.",
      handler: () => ({ value }),
    },
    // A tool that changes something: gated, and matched by rules such as `stub.setValue(a*)`.
    {
      name: "stub.setValue",
      description: "Sets the value of the stub.",
      params: {
        type: "object",
        properties: { value: { type: "string", description: "The new value." } },
        required: ["value"],
        additionalProperties: false,
      },
      sideEffect: true,
      specifierTemplate: "{value}",
      handler: ({ value: next }) => {
        setValue(String(next));
        return { value };
      },
    },
  ],
};
