/** Replaces a failed part of the page with a message and a retry button. */
import { Component, type ComponentType, lazy, type ReactNode, useState } from "react";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { useTranslate } from "@/words/words";
import { findNewerBuild, reloadOnce } from "./build";

type ErrorBoundaryProps = { children: ReactNode; onRetry?: () => void };

export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | null }> {
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
    return <ErrorMessage error={error} onRetry={retry} />;
  }
}

function ErrorMessage({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useTranslate();
  return (
    <div className="state" role="alert">
      <Icon name="warn" size="large" className="text-ink-3" />
      <h1 className="text-why font-semibold">{t("pageBroken")}</h1>
      <p>{t("pageBrokenMore")}</p>
      <p className="meta">{error.message}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button onClick={onRetry}>{t("tryAgain")}</Button>
        <Button onClick={() => location.reload()}>{t("loadAnew")}</Button>
      </div>
    </div>
  );
}

type LoadPageModule = () => Promise<{ default: ComponentType }>;

/** A page whose code is loaded when it is first shown; a failed load can be repeated. */
export function lazyPage(load: LoadPageModule): ComponentType {
  const attempt = () => lazy(() => load().catch(reloadIfUpgraded));
  let Page = attempt();
  return function Loaded() {
    const [, setTries] = useState(0);
    const again = () => {
      Page = attempt();
      setTries((tries) => tries + 1);
    };
    return (
      <ErrorBoundary onRetry={again}>
        <Page />
      </ErrorBoundary>
    );
  };
}

/** After an upgrade of the server the old files are gone: reload the page once. */
async function reloadIfUpgraded(failure: unknown): Promise<never> {
  const build = await findNewerBuild();
  // Never resolves: the page is reloading.
  if (build && reloadOnce(build)) return new Promise<never>(() => {});
  throw failure;
}
