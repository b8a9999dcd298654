import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterEach, beforeEach } from "vitest";
import type { WebPlatform } from "../../../../src/adapters/web/adapter.ts";
import type { ThreadRef } from "../../../../src/core/platform/thread.ts";
import { Inbox } from "../../../contracts/inbox.ts";
import { MemoryThreadStore } from "../../../support/database/memory-thread-store.ts";
import { type PageVisit, visitIn } from "../../../support/program/page-visit.ts";
import { useWindow } from "../../../support/program/window.ts";
import { entryUrl, openPlatform } from "../web-setup.ts";

/** What a test opens the platform with, beside its store and port. */
type Given = Omit<Parameters<typeof openPlatform>[0], "store" | "port">;

/** The page, opened anew for each of the enclosing tests, and the platform that serves it. */
export interface PageUnderTest {
  readonly page: Page;
  readonly platform: WebPlatform;
  readonly store: MemoryThreadStore;
  readonly inbox: Inbox;
  /** Errors of scripts and on the console; ordinary use causes none. */
  readonly complaints: readonly string[];
  readonly composer: () => Locator;
  readonly messages: () => Locator;
  /** Sends a message from the page; returns the thread in which it has arrived. */
  readonly say: (text: string) => Promise<ThreadRef>;
  /** Opens another platform, with the same store and port, in the place of the stopped one. */
  readonly reopen: (given?: Given) => void;
  /** The same, and starts it. */
  readonly restart: (given?: Given) => Promise<void>;
}

export function usePage(given: () => Given = () => ({}), look: BrowserContextOptions = {}): PageUnderTest {
  const window = useWindow(look);
  let store: MemoryThreadStore;
  let inbox: Inbox;
  let platform: WebPlatform;
  let visit: PageVisit;
  const reopen = (other: Given = {}): void => {
    platform = openPlatform({ ...given(), ...other, store, port: window.port() });
  };
  const restart = (other?: Given): Promise<void> => {
    reopen(other);
    return platform.start(inbox.receive, new AbortController().signal);
  };

  beforeEach(async () => {
    store = new MemoryThreadStore();
    inbox = new Inbox();
    await restart();
    visit = await visitIn(await window.open(), entryUrl(platform));
  });
  afterEach(async () => {
    await window.leave();
    await platform.stop();
  });

  return {
    get page() {
      return visit.page;
    },
    get platform() {
      return platform;
    },
    get store() {
      return store;
    },
    get inbox() {
      return inbox;
    },
    get complaints() {
      return visit.complaints;
    },
    composer: () => visit.page.getByRole("textbox", { name: "Message to Deckhand" }),
    messages: () => visit.messages,
    say: async (text) => {
      await visit.say(text);
      return (await inbox.nextMessage()).thread;
    },
    reopen,
    restart,
  };
}
