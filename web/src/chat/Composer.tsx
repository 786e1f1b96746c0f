/** The message field with the choice of mode and model. Typing here never answers a card. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useRef } from "react";
import { getJson } from "@/api/http";
import { useModeDescription, useModes } from "@/api/presets";
import { Button, KeyCap } from "@/ui/Button";
import { type Mode, ModeDot } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { RadioMenu } from "@/ui/Menu";
import { useTranslate } from "@/words/words";

type ComposerProps = {
  label: string;
  text: string;
  onText: (text: string) => void;
  field?: RefObject<HTMLTextAreaElement | null>;
  mode: Mode;
  /** The chosen mode that the server has not stored yet. */
  pendingMode?: Mode;
  /** The preset whose modes are offered. */
  preset?: string;
  onMode: (mode: Mode) => void;
  model: string;
  onModel: (model: string) => void;
  busy: boolean;
  /** The message is being sent; its text stays here until the server has stored it. */
  sending: boolean;
  onSend: (text: string) => void;
  children?: ReactNode;
};

export function Composer({
  label,
  text,
  onText,
  field: given,
  mode,
  pendingMode,
  preset,
  onMode,
  model,
  onModel,
  busy,
  sending,
  onSend,
  children,
}: ComposerProps) {
  const t = useTranslate();
  const own = useRef<HTMLTextAreaElement>(null);
  const field = given ?? own;
  const send = () => {
    if (!text.trim() || busy || sending) return;
    onSend(text);
    field.current?.focus();
  };
  return (
    <form
      className="px-3 pb-3 phone:px-5"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="mx-auto max-w-[736px] rounded-[12px] border border-control bg-raised focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-(--ring)">
        <textarea
          ref={field}
          aria-label={label}
          placeholder={label}
          rows={Math.min(8, text.split("\n").length + 1)}
          className="block w-full resize-none bg-transparent px-3.5 pt-3 text-body outline-0 placeholder:text-ink-3"
          value={text}
          readOnly={sending}
          aria-busy={sending}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.repeat)
              return;
            event.preventDefault();
            send();
          }}
        />
        <div className="flex flex-wrap items-center gap-1.5 px-2 pb-2">
          <ModeMenu
            mode={mode}
            {...(pendingMode ? { pendingMode } : {})}
            {...(preset ? { preset } : {})}
            onMode={onMode}
          />
          <ModelMenu model={model} onModel={onModel} />
          {children}
          <span className="ml-auto inline-flex items-center gap-1.5">
            {sending ? (
              <span className="meta" role="status">
                {t("sending")}
              </span>
            ) : (
              <span className="composer-hint meta hidden items-center gap-1.5 lg:inline-flex">
                {t("typingNever")} <KeyCap>↵</KeyCap> {t("sends")}
              </span>
            )}
            <Button
              type="submit"
              look="go"
              icon="send"
              aria-label={t("send")}
              disabled={busy || sending || !text.trim()}
            />
          </span>
        </div>
      </div>
    </form>
  );
}

type ModeMenuProps = { mode: Mode; pendingMode?: Mode; preset?: string; onMode: (mode: Mode) => void };

/** The menu for the mode of a conversation. */
function ModeMenu({ mode, pendingMode, preset, onMode }: ModeMenuProps) {
  const t = useTranslate();
  const modes = useModes(preset);
  const meaning = useModeDescription();
  return (
    <RadioMenu
      label={t("mode")}
      value={mode}
      choices={modes.map((one) => ({
        value: one.mode,
        label: t(`mode.${one.mode}`),
        note: meaning(one),
        mark: <ModeDot mode={one.mode} />,
      }))}
      note={t("mode.note")}
      onChoose={onMode}
      trigger={
        <Button aria-busy={pendingMode !== undefined}>
          <ModeDot mode={mode} />
          <span className="sr-only">{t("mode")}: </span>
          {t(`mode.${mode}`)}
          {pendingMode && (
            <span className="text-ink-3">{t("mode.changing", { mode: t(`mode.${pendingMode}`) })}</span>
          )}
          <Icon name="down" size="small" />
        </Button>
      }
    />
  );
}

type ModelOption = { name: string; model: string; rehearsal?: boolean };

const useModels = () =>
  useQuery({
    queryKey: ["models"],
    queryFn: async () => (await getJson<{ items: ModelOption[] }>("models")).items,
    retry: false,
    staleTime: 300_000,
  });

/** Whether no model is configured and the server makes exactly the calls that a person types. */
export const useIsRehearsal = () => useModels().data?.[0]?.rehearsal ?? false;

function ModelMenu({ model, onModel }: { model: string; onModel: (model: string) => void }) {
  const t = useTranslate();
  const { data } = useModels();
  const chosen = data?.find((one) => one.name === model) ?? data?.[0];
  if (!data || !chosen) return null;
  return (
    <RadioMenu
      label={t("model")}
      value={chosen.name}
      choices={data.map((one) => ({
        value: one.name,
        label: one.name,
        ...(one.model === one.name ? {} : { note: one.model }),
      }))}
      onChoose={onModel}
      trigger={
        <Button look="quiet">
          <span className="sr-only">{t("model")}: </span>
          {chosen.name}
          <Icon name="down" size="small" />
        </Button>
      }
    />
  );
}
