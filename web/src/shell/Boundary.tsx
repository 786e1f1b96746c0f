/** A part of the page that fails is replaced by words and a way on; a white page never stays. */
import { Component, type ComponentType, lazy, type ReactNode, useState } from "react";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { useSay } from "@/words/words";
import { newerBuild, reloadFor } from "./build";

type Props = { children: ReactNode; onRetry?: () => void };

export class Boundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    const retry = () => {
      this.props.onRetry?.();
      this.setState({ error: null });
    };
    return <Broken error={error} onRetry={retry} />;
  }
}

function Broken({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const say = useSay();
  return (
    <div className="state" role="alert">
      <Icon name="warn" size="large" className="text-ink-3" />
      <h1 className="text-why font-semibold">{say("pageBroken")}</h1>
      <p>{say("pageBrokenMore")}</p>
      <p className="meta">{error.message}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button onClick={onRetry}>{say("tryAgain")}</Button>
        <Button onClick={() => location.reload()}>{say("loadAnew")}</Button>
      </div>
    </div>
  );
}

type Load = () => Promise<{ default: ComponentType }>;

/** A page that loads when it is needed; one that failed to load can be loaded again. */
export function loaded(load: Load): ComponentType {
  const attempt = () => lazy(() => load().catch(recover));
  let Page = attempt();
  return function Loaded() {
    const [, setTries] = useState(0);
    const again = () => {
      Page = attempt();
      setTries((tries) => tries + 1);
    };
    return (
      <Boundary onRetry={again}>
        <Page />
      </Boundary>
    );
  };
}

/** After an upgrade of the server the files of this page are gone: the new page is loaded, once. */
async function recover(failure: unknown): Promise<never> {
  const build = await newerBuild();
  // While the page reloads, nothing is shown in its place.
  if (build && reloadFor(build)) return new Promise<never>(() => {});
  throw failure;
}
