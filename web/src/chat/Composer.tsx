/** The composer: what is said, in which mode and to which model. Typing here never answers a card. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useRef } from "react";
import { get } from "@/api/http";
import { useMeaning, useModes } from "@/api/presets";
import { Button, KeyCap } from "@/ui/Button";
import { type Mode, ModeDot } from "@/ui/effect";
import { Icon } from "@/ui/Icon";
import { RadioMenu } from "@/ui/Menu";
import { useSay } from "@/words/words";

type Props = {
  label: string;
  text: string;
  onText: (text: string) => void;
  field?: RefObject<HTMLTextAreaElement | null>;
  mode: Mode;
  /** The mode that was chosen and that the server has not stored yet. */
  wanted?: Mode;
  /** The preset whose modes are on offer. */
  preset?: string;
  onMode: (mode: Mode) => void;
  model: string;
  onModel: (model: string) => void;
  busy: boolean;
  /** What was typed is on its way: it stays here until the server has it. */
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
  wanted,
  preset,
  onMode,
  model,
  onModel,
  busy,
  sending,
  onSend,
  children,
}: Props) {
  const say = useSay();
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
            {...(wanted ? { wanted } : {})}
            {...(preset ? { preset } : {})}
            onMode={onMode}
          />
          <ModelMenu model={model} onModel={onModel} />
          {children}
          <span className="ml-auto inline-flex items-center gap-1.5">
            {sending ? (
              <span className="meta" role="status">
                {say("sending")}
              </span>
            ) : (
              <span className="meta hidden items-center gap-1.5 lg:inline-flex">
                {say("typingNever")} <KeyCap>↵</KeyCap> {say("sends")}
              </span>
            )}
            <Button
              type="submit"
              look="go"
              icon="send"
              aria-label={say("send")}
              disabled={busy || sending || !text.trim()}
            />
          </span>
        </div>
      </div>
    </form>
  );
}

type ModeMenuProps = { mode: Mode; wanted?: Mode; preset?: string; onMode: (mode: Mode) => void };

/** The one place where a person chooses how far a conversation is trusted. */
function ModeMenu({ mode, wanted, preset, onMode }: ModeMenuProps) {
  const say = useSay();
  const modes = useModes(preset);
  const meaning = useMeaning();
  return (
    <RadioMenu
      label={say("mode")}
      value={mode}
      choices={modes.map((one) => ({
        value: one.mode,
        label: say(`mode.${one.mode}`),
        note: meaning(one),
        mark: <ModeDot mode={one.mode} />,
      }))}
      note={say("mode.note")}
      onChoose={onMode}
      trigger={
        <Button aria-busy={wanted !== undefined}>
          <ModeDot mode={mode} />
          <span className="sr-only">{say("mode")}: </span>
          {say(`mode.${mode}`)}
          {wanted && (
            <span className="text-ink-3">{say("mode.changing", { mode: say(`mode.${wanted}`) })}</span>
          )}
          <Icon name="down" size="small" />
        </Button>
      }
    />
  );
}

type Offered = { name: string; model: string; rehearsal?: boolean };

const useModels = () =>
  useQuery({
    queryKey: ["models"],
    queryFn: async () => (await get<{ items: Offered[] }>("models")).items,
    retry: false,
    staleTime: 300_000,
  });

/** Whether no model answers, but exactly the calls that a person types are made. */
export const useRehearses = () => useModels().data?.[0]?.rehearsal ?? false;

function ModelMenu({ model, onModel }: { model: string; onModel: (model: string) => void }) {
  const say = useSay();
  const { data } = useModels();
  const chosen = data?.find((one) => one.name === model) ?? data?.[0];
  if (!data || !chosen) return null;
  return (
    <RadioMenu
      label={say("model")}
      value={chosen.name}
      choices={data.map((one) => ({
        value: one.name,
        label: one.name,
        ...(one.model === one.name ? {} : { note: one.model }),
      }))}
      onChoose={onModel}
      trigger={
        <Button look="quiet">
          <span className="sr-only">{say("model")}: </span>
          {chosen.name}
          <Icon name="down" size="small" />
        </Button>
      }
    />
  );
}
