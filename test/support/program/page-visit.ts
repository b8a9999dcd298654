import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { Bot } from "./bot.ts";
import { emptyWindow, openWindow } from "./window.ts";

/** A person on the web page, in a browser window of their own. */
export interface PageVisit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors reported by the browser, from scripts and the console. */
  readonly complaints: readonly string[];
  /** Messages of the open thread. */
  readonly messages: Locator;
  say(words: string): Promise<void>;
}

/** The address with its key, as the bot printed it at its last start. */
export function printedUrl(bot: Bot): string {
  const url = [...bot.output().matchAll(/Web page: (http:\S+)/g)].at(-1)?.[1];
  if (url === undefined) throw new Error(`the bot printed no address:\n${bot.output()}`);
  return url;
}

/** What a browser stores after using the printed address, which is valid once. */
export type BrowserProfile = Awaited<ReturnType<BrowserContext["storageState"]>>;

export async function profileOf(bot: Bot, browser: Browser): Promise<BrowserProfile> {
  const context = await browser.newContext();
  await context.request.get(printedUrl(bot));
  const profile = await context.storageState();
  await context.close();
  return profile;
}

/** Windows left by earlier visits, by browser profile. */
const left = new WeakMap<BrowserProfile, Page[]>();

/** Opens the page in a window of its own, in a browser that has already received the key. */
export async function visitAgain(bot: Bot, browser: Browser, storageState: BrowserProfile): Promise<PageVisit> {
  const windows = left.get(storageState) ?? [];
  left.set(storageState, windows);
  const page = windows.pop() ?? (await openWindow(browser, { storageState }));
  const visit = await visitIn(page, new URL("/", printedUrl(bot)).href);
  const leave = async () => {
    await emptyWindow(page);
    windows.push(page);
  };
  return { ...visit, [Symbol.asyncDispose]: leave };
}

/** Opens the printed address. */
export function visitPage(bot: Bot, browser: Browser, options?: BrowserContextOptions): Promise<PageVisit> {
  return visitAddress(printedUrl(bot), browser, options);
}

/** Opens an address of the page with its key. */
export async function visitAddress(
  address: string,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<PageVisit> {
  return visitIn(await openWindow(browser, options), address);
}

/** Opens the address in an existing window. */
export async function visitIn(page: Page, address: string): Promise<PageVisit> {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(address);
  const composer = page.getByRole("textbox", { name: "Message to Deckhand" });
  await composer.waitFor();
  const context = page.context();
  return {
    page,
    context,
    complaints,
    messages: page.getByRole("list", { name: "Messages" }),
    async say(words) {
      await composer.fill(words);
      await composer.press("Enter");
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
