/** The pane of the stub; `useAgentContext` lets an agent read what it shows. */
import { useAgentContext } from "assent-sdk/react";
import { useStubValue } from "./stub";

export default function StubPane() {
  const value = useStubValue();
  useAgentContext(() => ({ value }));
  return (
    <p className="p-3">
      <code>{value}</code>
    </p>
  );
}
