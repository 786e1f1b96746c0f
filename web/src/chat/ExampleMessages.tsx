/** Example messages in an empty chat; a click puts one into the composer without sending it. */
import { Icon, type IconName } from "@/ui/Icon";
import { useTranslate } from "@/words/words";
import { useIsRehearsal } from "./Composer";

/** An example: its title, what a person would say, and the call that the rehearsal model understands. */
export type ExampleMessage = { word: string; icon: IconName; title: string; say: string; call: string };

const EXAMPLE_MESSAGES = [
  { word: "read", icon: "read", call: '/call run_command {"command": "ls -la"}' },
  { word: "write", icon: "edit", call: '/call write_file {"path": "hello.txt", "content": "Hello!\\n"}' },
  {
    word: "subtask",
    icon: "agents",
    call: '/call run_subtask {"name": "scout", "task": "/call run_command {\\"command\\": \\"ls\\"}"}',
  },
] as const satisfies ReadonlyArray<{ word: string; icon: IconName; call: string }>;

type ExampleMessagesProps = {
  /** By default those of the tools of the chat. */
  examples?: readonly ExampleMessage[];
  onTry: (text: string) => void;
};

export function ExampleMessages({ examples, onTry }: ExampleMessagesProps) {
  const t = useTranslate();
  const rehearses = useIsRehearsal();
  const shown =
    examples ??
    EXAMPLE_MESSAGES.map((one) => ({
      ...one,
      title: t(`example.${one.word}`),
      say: t(`example.${one.word}.say`),
    }));
  return (
    <div className="scroll grid grow content-end justify-items-center px-3 py-5 phone:content-center phone:px-5">
      <div className="grid w-full max-w-[560px] gap-4">
        <div className="grid justify-items-center gap-1.5 text-center">
          <Icon name="chat" size="large" className="text-ink-3 max-phone:!hidden" />
          <h2 className="max-phone:hidden">{t("newChat")}</h2>
          <p className="max-w-[46ch] text-balance text-ink-2">
            {t(rehearses ? "rehearses" : "chatEmptyMore")}
          </p>
        </div>
        <ul className="box divide-y divide-line-soft" aria-label={t("tryThese")}>
          {shown.map(({ word, icon, title, say, call }) => {
            const text = rehearses ? call : say;
            return (
              <li key={word}>
                <button
                  type="button"
                  onClick={() => onTry(text)}
                  className="grid w-full grid-cols-[20px_minmax(0,1fr)] items-center gap-x-2.5 gap-y-0.5 px-3.5 py-2.5 text-left hover:bg-hover"
                >
                  <Icon name={icon} className="text-ink-3" />
                  <span className="font-medium">{title}</span>
                  {rehearses ? (
                    <code className="col-start-2 truncate text-ink-3">{text}</code>
                  ) : (
                    <span className="col-start-2 text-ink-3">{text}</span>
                  )}
                </button>
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}
