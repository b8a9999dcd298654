import type { Page } from "playwright-core";
import { z } from "zod";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";

const answer = z.object({ status: z.number(), body: z.record(z.string(), z.unknown()) });
type Answer = z.infer<typeof answer>;

/** A request that the page could have made, made by hand; answers its status and what came back. */
export async function ask(page: Page, path: string, body?: object): Promise<Answer> {
  const token = body === undefined ? "" : await changeToken(page);
  const json = body === undefined ? "" : JSON.stringify(body);
  return answer.parse(await page.evaluate(fetching, { path: `/features/definitions${path}`, json, token }));
}

async function changeToken(page: Page): Promise<string> {
  const frame = page.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived"));
  await page.reload();
  return /"changeToken":"([^"]+)"/u.exec(String((await frame).payload))?.[1] ?? "";
}

async function fetching({ path, json, token }: { path: string; json: string; token: string }) {
  const headers = { "content-type": "application/json", "x-deckhand-change": token };
  const response = await fetch(path, json === "" ? {} : { method: "POST", headers, body: json });
  const body: unknown = await response.json();
  return { status: response.status, body };
}

/** What a model was told by the request of a message that says so: its system prompt, tools and messages. */
export function toldOn(at: SlackOffice, words: string): string {
  return JSON.stringify(at.requestsAbout(words).at(-1)?.body ?? null);
}
