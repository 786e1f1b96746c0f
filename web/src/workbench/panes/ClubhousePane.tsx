/** The clubhouse: whether the account is connected, and the rooms that are live. */
import { useAgentContext } from "assent-sdk/react";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";
import { useTranslate } from "@/words/words";
import { clubhouse, useClubhouse } from "./clubhouse";

export function ClubhousePane() {
  const t = useTranslate();
  const { connected, rooms } = useClubhouse();
  useAgentContext(() => clubhouse.current);
  return (
    <div className="scroll grow p-3">
      <p className={`flex items-center gap-2 ${connected ? "text-run" : "text-ink-3"}`}>
        <Icon name={connected ? "run" : "offline"} size="small" />
        <b className="grow font-semibold">{t(connected ? "connected" : "disconnected")}</b>
        {connected ? (
          <Button small onClick={clubhouse.disconnect}>
            {t("disconnect")}
          </Button>
        ) : (
          <Button small onClick={clubhouse.connect}>
            {t("connect")}
          </Button>
        )}
      </p>
      <ul className="mt-2 grid gap-1">
        {rooms.map((room) => (
          <li key={room.id} className="flex gap-2 py-0.5">
            <span className="grow truncate">{room.topic}</span>
            <span className="meta">{t("nPeople", { count: room.people })}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
