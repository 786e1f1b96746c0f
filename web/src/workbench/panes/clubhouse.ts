/** A content widget with tools of its own: an account that is connected to rooms. */
import type { WidgetDecl } from "assent-sdk";
import { useSyncExternalStore } from "react";

export type Room = { id: string; topic: string; people: number };
export type ClubhouseState = { connected: boolean; rooms: readonly Room[] };

const ROOMS: readonly Room[] = [
  { id: "standup", topic: "Daily stand-up", people: 6 },
  { id: "release", topic: "Release 0.9", people: 3 },
];

export class Clubhouse {
  private state: ClubhouseState = { connected: true, rooms: ROOMS };
  private readonly listeners = new Set<() => void>();

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  };
  get current(): ClubhouseState {
    return this.state;
  }
  connect = () => this.set({ connected: true, rooms: ROOMS });
  disconnect = () => this.set({ connected: false, rooms: [] });

  private set(next: ClubhouseState) {
    this.state = next;
    for (const listener of this.listeners) listener();
  }
}

export const clubhouse = new Clubhouse();
export const useClubhouse = () => useSyncExternalStore(clubhouse.subscribe, () => clubhouse.current);

/** The widget: any widget gets tools of agents by declaring them here. */
export const CLUBHOUSE_WIDGET: WidgetDecl = {
  id: "clubhouse",
  title: "Clubhouse",
  agentTools: [
    {
      name: "clubhouse.status",
      description: "Returns whether the account is connected.",
      handler: () => ({ connected: clubhouse.current.connected }),
    },
    {
      name: "clubhouse.listRooms",
      description: "Lists the rooms that are live now, with their ids, topics and numbers of people.",
      handler: () => ({ rooms: clubhouse.current.rooms }),
    },
    {
      name: "clubhouse.disconnect",
      description:
        "Disconnects the account and leaves all rooms. Only a person can connect it again: use it only if asked.",
      sideEffect: true,
      handler: () => {
        clubhouse.disconnect();
        return { connected: false };
      },
    },
  ],
};
