import { mkdirSync } from "node:fs";
import { text, toolUse } from "../model/model-script.ts";
import type { Script } from "../model/model-server.ts";
import type { SeenMessage } from "../slack/slack-server.ts";
import type { SlackOffice, Talk } from "./slack-talk.ts";

/** Messages of a thread that wait for a decision. */
export function cards(talk: Talk): SeenMessage[] {
  return talk.live().filter(({ buttons }) => buttons.some(({ id }) => id.startsWith("approve:")));
}

/** Waits until so many cards ask for a decision. */
export function asks(at: SlackOffice, talk: Talk, count = 1): Promise<void> {
  return at.until(`card ${count}`, () => cards(talk).length >= count);
}

/** The sandbox root of a channel, created if missing. */
export function rootOf({ bot }: SlackOffice, channel: string): string {
  const folder = bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes the files, each in a turn of its own, then reports it. */
export const writeNote =
  (names: readonly string[]): Script =>
  (_request, index) => {
    const name = names[index];
    return name === undefined
      ? text(`Written or not: ${index}`)
      : toolUse("write", { path: name, content: `${name}\n` });
  };
