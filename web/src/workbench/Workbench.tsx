/** The workbench: a conversation beside the panes that its agent can read and act on. */
import { useMutation } from "@tanstack/react-query";
import { PageConnection, ToolRegistry } from "assent-sdk";
import { PageTools, useConnectionState } from "assent-sdk/react";
import { DropdownMenu } from "radix-ui";
import { useEffect, useMemo, useState } from "react";
import { ProblemError, postJson } from "@/api/http";
import type { Conversation } from "@/api/types";
import { storeConversation, useConversation, useConversations } from "@/chat/conversations";
import { ConversationDisplayContext } from "@/chat/display";
import { Thread } from "@/chat/Thread";
import { PageBar } from "@/shell/PageBar";
import { linkTo, navigate, usePageId } from "@/shell/route";
import { showToast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { RadioMenu } from "@/ui/Menu";
import { useNow } from "@/ui/now";
import { Banner, EmptyState, LoadError, Skeleton } from "@/ui/states";
import { VisibleText } from "@/ui/VisibleText";
import { formatDuration, secondsSince } from "@/words/time";
import { useTranslate } from "@/words/words";
import type { Reach } from "./api";
import { Dock } from "./dock/Dock";
import { HeldRow } from "./dock/HeldRow";
import { DocumentStore } from "./editor/documents";
import { type PaneKind, panesInOrder, withoutKinds } from "./layout/arrangement";
import { LayoutStore, useArrangement, useWorkspaceName } from "./layout/layoutStore";
import { PaneHost, usePaneElements } from "./layout/PaneHost";
import { PaneDrawer, PaneTree } from "./layout/PaneLayout";
import { WORKSPACES } from "./layout/workspaces";
import { CallLog } from "./panes/callLog";
import { OFFERED_KINDS, PANE_ICONS } from "./panes/kinds";
import { useReach } from "./panes/StatusPane";
import { offerTools } from "./panes/workbenchTools";
import { useWorkbench, type Workbench, WorkbenchContext } from "./services";
import { useExamples } from "./useExamples";
import { useScreenWidth } from "./useScreenWidth";
import "./workbench.css";

const PRESET = "workbench";
/** On a narrow screen these panes open over the others. */
const DRAWER_KINDS: ReadonlySet<PaneKind> = new Set(["files", "calls", "status"]);

export default function WorkbenchPage() {
  const id = usePageId("workbench");
  const conversation = useConversation(id);
  const reach = useReach();
  if (!id) return <Start />;
  if (conversation.error instanceof ProblemError && conversation.error.status === 404) return <Start />;
  if (conversation.error) {
    return <LoadError error={conversation.error} onRetry={() => void conversation.refetch()} />;
  }
  if (!conversation.data || reach.isPending) return <Skeleton rows={6} />;
  return <Session key={id} conversation={conversation.data} reach={reach.data ?? NO_REACH} />;
}

const NO_REACH: Reach = { files: false, terminal: false, local_only: false, roots: [] };

/** Choose a conversation, or begin one. */
function Start() {
  const t = useTranslate();
  const now = useNow();
  const { data = [] } = useConversations();
  const known = data.filter((one) => one.preset === PRESET);
  const begin = useMutation({
    mutationFn: () => postJson<Conversation>("conversations", { title: t("workbench"), preset: PRESET }),
    onError: (error) => showToast(error.message, "warn"),
    onSuccess: async (made) => {
      await storeConversation(made);
      navigate("workbench", made.id);
    },
  });
  return (
    <>
      <PageBar title={t("workbench")} />
      <div className="scroll grow">
        <EmptyState icon="workbench" title={t("workbenchTitle")}>
          <p>{t("workbenchMore")}</p>
          <Button look="go" icon="plus" disabled={begin.isPending} onClick={() => begin.mutate()}>
            {t("startWorkbench")}
          </Button>
        </EmptyState>
        {known.length > 0 && (
          <ul className="mx-auto grid max-w-md gap-1 p-4" aria-label={t("earlier")}>
            {known.slice(0, 12).map((one) => (
              <li key={one.id}>
                <a
                  className="box flex gap-3 px-3 py-2 !text-ink !no-underline"
                  href={linkTo("workbench", one.id)}
                >
                  <span className="grow truncate font-medium">
                    <VisibleText text={one.title || t("conversation")} />
                  </span>
                  {one.at && <span className="meta">{formatDuration(secondsSince(one.at, now))}</span>}
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

/** The services of one conversation; they live as long as it is shown. */
function useServices(conversation: Conversation, reach: Reach): Workbench {
  const services = useMemo(() => {
    const registry = new ToolRegistry();
    return {
      registry,
      connection: new PageConnection({ conversation: conversation.id, registry }),
      layout: new LayoutStore(),
      documents: new DocumentStore(),
      calls: new CallLog(),
    };
  }, [conversation.id]);
  services.documents.root = (reach.roots.find((one) => one.own) ?? reach.roots[0])?.name ?? "";
  const { files, terminal } = reach;
  const names = JSON.stringify(reach.roots.map((one) => one.name));
  useEffect(
    () => offerTools({ ...services, reach: { files, terminal, roots: JSON.parse(names) as string[] } }),
    [services, files, terminal, names],
  );
  useEffect(() => {
    services.connection.start();
    return services.connection.stop;
  }, [services]);
  return useMemo(() => ({ ...services, conversation }), [services, conversation]);
}

function Session({ conversation, reach }: { conversation: Conversation; reach: Reach }) {
  const services = useServices(conversation, reach);
  const { connection, registry } = services;
  const examples = useExamples(services.layout, reach.files, services.documents.root);
  const display = useMemo(
    () => ({
      Question: HeldRow,
      listTools: () => connection.listTools(),
      compact: true,
      turnLog: true,
      examples,
    }),
    [connection, examples],
  );
  return (
    <WorkbenchContext value={services}>
      <PageTools registry={registry}>
        <ConversationDisplayContext value={display}>
          <SessionView />
        </ConversationDisplayContext>
      </PageTools>
    </WorkbenchContext>
  );
}

function SessionView() {
  const t = useTranslate();
  const { conversation, layout, connection } = useWorkbench();
  const now = useArrangement(layout);
  const elements = usePaneElements();
  const width = useScreenWidth();
  const [drawer, setDrawer] = useState("");
  const root = width === "wide" ? now.root : withoutKinds(now, DRAWER_KINDS);
  const inDrawers = width === "wide" ? [] : panesInOrder(now).filter((pane) => DRAWER_KINDS.has(pane.kind));
  // An agent that focuses a pane without room opens its drawer.
  const focusedDrawer = inDrawers.find((pane) => pane.id === now.focused)?.id ?? "";
  useEffect(() => {
    if (focusedDrawer) setDrawer(focusedDrawer);
  }, [focusedDrawer]);
  const open = inDrawers.find((pane) => pane.id === drawer);
  const chatIsDrawer = width === "narrow";
  const showsChat = !chatIsDrawer || drawer === "chat";
  const toggle = (id: string) => setDrawer(drawer === id ? "" : id);
  return (
    <div className="workbench" data-width={width}>
      <PageBar title={conversation.title || t("conversation")}>
        {(chatIsDrawer || inDrawers.length > 0) && (
          <fieldset className="drawer-buttons" aria-label={t("openPanes")}>
            {chatIsDrawer && (
              <button type="button" aria-pressed={drawer === "chat"} onClick={() => toggle("chat")}>
                {t("chat")}
              </button>
            )}
            {inDrawers.map((pane) => (
              <button
                key={pane.id}
                type="button"
                aria-pressed={drawer === pane.id}
                onClick={() => toggle(pane.id)}
              >
                {t(`pane.${pane.kind}`)}
              </button>
            ))}
          </fieldset>
        )}
        <WorkspaceMenu />
        <OpenPaneMenu />
      </PageBar>
      <ConnectionBanner connection={connection} />
      <div className="workbench-body">
        <section className="workbench-panes" aria-label={t("openPanes")}>
          {root ? (
            <PaneTree node={root} elements={elements} />
          ) : (
            <EmptyState icon="workbench" title={t("noPanes")}>
              <Button onClick={layout.reset}>{t("resetLayout")}</Button>
            </EmptyState>
          )}
          {open && <PaneDrawer key={open.id} pane={open} elements={elements} onClose={() => setDrawer("")} />}
        </section>
        <div className="workbench-side">
          <Dock />
          {showsChat && (
            <div className="workbench-chat">
              <Thread conversation={conversation} />
            </div>
          )}
        </div>
      </div>
      <PaneHost elements={elements} />
    </div>
  );
}

function ConnectionBanner({ connection }: { connection: PageConnection }) {
  const t = useTranslate();
  const { status, problem } = useConnectionState(connection);
  if (status !== "closed" || !problem) return null;
  return (
    <Banner tone="ask" icon="warn">
      <b>{t("pageClosed")}</b> <VisibleText text={problem} />{" "}
      <Button small onClick={() => location.reload()}>
        {t("loadAnew")}
      </Button>
    </Banner>
  );
}

function WorkspaceMenu() {
  const t = useTranslate();
  const { layout } = useWorkbench();
  const name = useWorkspaceName(layout);
  return (
    <RadioMenu
      label={t("layout")}
      value={name}
      choices={WORKSPACES.map((value) => ({ value, label: t(`workspace.${value}`) }))}
      onChoose={layout.switchTo}
      trigger={
        <Button icon="workbench" aria-label={`${t("layout")}: ${t(`workspace.${name}`)}`}>
          {t(`workspace.${name}`)}
        </Button>
      }
    />
  );
}

function OpenPaneMenu() {
  const t = useTranslate();
  const { layout, documents } = useWorkbench();
  const { data: reach } = useReach();
  const roots = reach?.terminal ? reach.roots.map((one) => one.name) : [];
  const otherRoots = roots.filter((root) => root !== documents.root);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button icon="plus" aria-label={t("openPane")} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6} collisionPadding={12}>
          {[...OFFERED_KINDS].map((kind) => (
            <DropdownMenu.Item key={kind} className="menu-item" onSelect={() => layout.open(kind)}>
              <Icon name={PANE_ICONS[kind]} size="small" />
              <span>{t(`pane.${kind}`)}</span>
              <span />
            </DropdownMenu.Item>
          ))}
          {otherRoots.map((root) => (
            <DropdownMenu.Item
              key={root}
              className="menu-item"
              onSelect={() => layout.open("terminal", root)}
            >
              <Icon name={PANE_ICONS.terminal} size="small" />
              <span>{t("terminalIn", { root })}</span>
              <span />
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Item className="menu-item" onSelect={layout.reset}>
            <Icon name="undo" size="small" />
            <span>{t("resetLayout")}</span>
            <span />
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
