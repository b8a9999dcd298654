import type { Locator, Page } from "playwright-core";
import type { ThreadRef } from "../../../../src/core/protocol/platform.ts";
import type { Inbox } from "../../../contracts/inbox.ts";

/** What a test of the page does again and again. */

export function composerOf(page: Page): Locator {
  return page.getByRole("textbox", { name: "Message to Deckhand" });
}

export function messagesOf(page: Page): Locator {
  return page.getByRole("list", { name: "Messages" });
}

/** Sends a message from the page; returns the thread in which it has arrived. */
export async function sayOn(page: Page, inbox: Inbox, text: string): Promise<ThreadRef> {
  await composerOf(page).fill(text);
  await composerOf(page).press("Enter");
  return (await inbox.nextMessage()).thread;
}

/** Drops files and folders of this machine on the page, as from a file manager. */
export async function dropFromDisk(page: Page, files: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const at = { x: 600, y: 400, data: { items: [], files, dragOperationsMask: 1 } };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", { type, ...at });
  }
  await session.detach();
}
