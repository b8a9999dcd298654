import { mkdirSync } from "node:fs";
import type { SeenMessage } from "../slack/slack-server.ts";
import type { SlackOffice, Talk } from "./slack-talk.ts";

/** The messages of a thread that wait for a decision. */
export function cards(talk: Talk): SeenMessage[] {
  return talk.live().filter(({ buttons }) => buttons.some(({ id }) => id.startsWith("approve:")));
}

/** Waits until so many calls ask for a decision. */
export function asks(at: SlackOffice, talk: Talk, count = 1): Promise<void> {
  return at.until(`card ${count}`, () => cards(talk).length >= count);
}

/** The sandbox root of a channel, which is there from now on. */
export function rootOf({ bot }: SlackOffice, channel: string): string {
  const folder = bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}
