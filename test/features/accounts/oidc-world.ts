import type { Page } from "playwright-core";
import { beforeEach, onTestFinished } from "vitest";
import type { Store } from "../../../src/core/store/store.ts";
import { readOidc } from "../../../src/features/accounts/oidc/settings.ts";
import { accountReads } from "../../../src/features/accounts/store.ts";
import { CLIENT, type ProviderServer, startProvider } from "../../support/oidc/provider-server.ts";
import { sharedBrowser } from "../../support/program/browser.ts";
import { freePort } from "../../support/program/free-port.ts";
import { openWindow, useWindow } from "../../support/program/window.ts";
import { type LoginWorld, loginWorld } from "./login-world.ts";

/** A page whose users sign in at a real provider, in a real browser. */
export interface OidcWorld extends LoginWorld {
  readonly provider: ProviderServer;
  readonly page: () => Promise<Page>;
  /** Goes from the login page to the provider and signs in there. */
  readonly enter: (page: Page, person?: string) => Promise<void>;
  /** Like `enter`, but returns the address of the redirect back instead of following it. */
  readonly answered: (page: Page, change?: (there: URL) => void) => Promise<URL>;
  /** Accounts as subject and role. */
  readonly subjects: () => Promise<readonly unknown[]>;
}

export interface OidcOptions {
  /** Settings that differ from the default. */
  readonly written?: Partial<Parameters<typeof readOidc>[0]>;
  readonly passwords?: boolean;
  /** Provider options that differ from the default. */
  readonly changed?: Parameters<typeof startProvider>[1];
}

const GROUPS = { "deckhand-admins": "admin", "deckhand-people": "operator" } as const;
const BUTTON = "Sign in with Harbour <id>";

/** Creates worlds for the tests of a file. */
export function useOidcWorlds(emptied: () => Promise<Store>): (options?: OidcOptions) => Promise<OidcWorld> {
  const window = useWindow();
  // A test's first world and page are shared ones; further ones are opened beside them.
  const isFirst = { world: true, page: true };
  beforeEach(() => {
    isFirst.world = true;
    isFirst.page = true;
  });
  const page = async (): Promise<Page> => {
    if (isFirst.page) {
      isFirst.page = false;
      onTestFinished(() => window.leave());
      return window.open();
    }
    const opened = await openWindow(await sharedBrowser());
    onTestFinished(() => opened.context().close());
    return opened;
  };
  return async ({ written, passwords = true, changed } = {}) => {
    const port = isFirst.world ? window.port() : await freePort();
    isFirst.world = false;
    const provider = await startProvider(`http://127.0.0.1:${port}/login/oidc/callback`, changed);
    const { settings } = readOidc(
      {
        issuer: provider.issuer,
        clientId: CLIENT.id,
        clientSecret: "${TEST_SECRET}",
        groups: GROUPS,
        groupsClaim: "groups",
        scope: "openid profile",
        label: "Harbour <id>",
        ...written,
      },
      { TEST_SECRET: CLIENT.secret },
    );
    const login = { takesPasswords: passwords, oidc: settings };
    const world = await loginWorld({ store: await emptied(), port, settings: login });
    provider.people.set("u-1", { preferred_username: "Ana Maria", groups: ["deckhand-people", "others"] });
    const enter = async (at: Page, person = "u-1") => {
      await at.goto(`${world.origin}/login`);
      await at.getByRole("link", { name: BUTTON }).click();
      await sayWho(at, person);
    };
    return {
      ...world,
      provider,
      page,
      enter,
      answered: async (at, change = () => {}) => {
        const there = await next(at, `${world.origin}/login/oidc`);
        change(there);
        for (let hop = there; ; hop = await next(at, hop.href)) {
          if (hop.origin === world.origin) return hop;
          if (hop.pathname.startsWith("/sign-in/")) hop.searchParams.set("who", "u-1");
        }
      },
      subjects: async () =>
        (await world.store.tables(accountReads).all()).map(({ role, identity }) => [identity?.subject, role]),
    };
  };
}

/** Where an address leads the browser, with its cookies. */
async function next(page: Page, address: string): Promise<URL> {
  const answer = await page.context().request.get(address, { maxRedirects: 0 });
  const { location } = answer.headers();
  if (location === undefined) throw new Error(`${address} leads nowhere: ${answer.status()} ${await answer.text()}`);
  return new URL(location, address);
}

async function sayWho(page: Page, person: string): Promise<void> {
  await page.getByLabel("Who are you?").fill(person);
  await page.getByLabel("Who are you?").press("Enter");
}
