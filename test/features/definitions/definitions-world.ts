import type { Page } from "playwright-core";
import { z } from "zod";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { handMade } from "../console/console-world.ts";

const answered = z.record(z.string(), z.unknown());

/** A request that the page could have made, made by hand; answers its status and what came back. */
export async function ask(page: Page, path: string, asked?: object) {
  const { status, body } = await handMade(page, `/features/definitions${path}`, asked);
  return { status, body: answered.parse(JSON.parse(body)) };
}

/** What a model was told by the request of a message that says so: its system prompt, tools and messages. */
export function toldOn(at: SlackOffice, words: string): string {
  return JSON.stringify(at.requestsAbout(words).at(-1)?.body ?? null);
}
