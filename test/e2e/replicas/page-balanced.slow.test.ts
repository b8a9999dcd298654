import { expect, test } from "vitest";
import { Browser } from "../../features/accounts/login-world.ts";
import { type Balancer, startBalancer } from "../../support/program/balancer.ts";
import { pageLink, type Replicas, startReplicas } from "../../support/program/replicas.ts";
import { useShared } from "../../support/run/use-shared.ts";

/** The page behind a balancer that sends requests to the two replicas in turn. */

const PASSWORD = "heron on the long pier";

let balancer: Balancer;
let at: Replicas;
let ana: Browser;

useShared(
  async () => {
    balancer = await startBalancer();
    at = await startReplicas({ settings: { web: { url: `http://127.0.0.1:${balancer.port}` } } });
    balancer.lead([at.one.port, at.other.port]);
    ana = browser();
    await ana.get(link());
    const founded = await ana.submit("/setup", { name: "ana", password: PASSWORD, again: PASSWORD });
    expect(founded).toMatchObject({ status: 303, headers: { location: "/" } });
  },
  async () => {
    await at[Symbol.asyncDispose]();
    await balancer[Symbol.asyncDispose]();
  },
);

function browser(): Browser {
  const host = `127.0.0.1:${balancer.port}`;
  return new Browser({ port: balancer.port, host, origin: `http://${host}` });
}

function link(): string {
  const { pathname, search } = new URL(pageLink(at.one));
  return `${pathname}${search}`;
}

/** Sends requests as the page does, with the change token that its socket has received. */
async function page(who: Browser) {
  const socket = await who.open();
  if (typeof socket === "number") throw new Error(`refused with ${socket}`);
  const { changeToken } = await socket.next("you");
  const change = { origin: `http://127.0.0.1:${balancer.port}`, "x-deckhand-change": changeToken };
  return {
    socket,
    async get(path: string) {
      const { status, body } = await who.get(`/features/${path}`);
      expect(status, body).toBe(200);
      return JSON.parse(body);
    },
    async post(path: string, asked: object) {
      const headers = { ...change, "content-type": "application/json" };
      const { status, body } = await who.ask("POST", `/features/${path}`, { headers, body: JSON.stringify(asked) });
      expect(status, body).toBe(200);
      return JSON.parse(body);
    },
    logOut: () => who.ask("POST", "/logout", { headers: change }),
  };
}

/** Sends the request twice in a row, so that each replica answers one. */
async function fromBoth<T>(ask: () => Promise<T>): Promise<readonly T[]> {
  return [await ask(), await ask()];
}

test("a setup link admits one browser, whichever replicas serve the requests", async () => {
  const once = link();
  const [first, second] = [browser(), browser()];
  expect((await first.get(once)).headers["set-cookie"]).toBeDefined();
  expect((await second.get(once)).headers["set-cookie"]).toBeUndefined();
});

test("wrong passwords are counted across all replicas", async () => {
  const stranger = browser();
  const tries = [];
  for (let count = 0; count < 6; count += 1) tries.push((await stranger.signIn("bob", "not it at all")).status);
  expect(tries).toEqual([401, 401, 401, 401, 401, 429]);
});

test("signing out at one replica closes the pages at the other", async () => {
  const there = browser();
  await there.get(link());
  await there.signIn("ana", PASSWORD);
  const [one, other] = [await page(there), await page(there)];
  const closed = Promise.all([one.socket.closed(), other.socket.closed()]);
  expect((await one.logOut()).status).toBe(204);
  expect(await closed).toEqual([4401, 4401]);
});

test("settings, definitions and keys set at one replica apply at the other, and one of two concurrent changes is refused", async () => {
  const settings = await page(ana);
  /** The other replica learns of a change by a notification, which takes a moment. */
  const bothHave = (list: string, row: object) => {
    const rows = async () => (await fromBoth(() => settings.get(list))).map((answer) => answer.rows);
    const having = expect.arrayContaining([expect.objectContaining(row)]);
    return expect.poll(rows).toEqual([having, having]);
  };
  const change = (after: number, value: number) =>
    settings.post("configuration/save", { after, changes: [{ path: ["budgets", "runUsd"], value }] });
  expect(await change(0, 3)).toEqual({ type: "saved", number: 1 });
  for (const shown of await fromBoth(() => settings.get("configuration/settings"))) {
    expect(shown.number).toBe(1);
    expect(JSON.stringify(shown.settings)).toContain('"value":3');
  }
  const both = await Promise.all([change(1, 4), change(1, 5)]);
  expect(new Set(both.map(({ type }) => type))).toEqual(new Set(["conflict", "saved"]));

  const text = "---\ndescription: Looks at changes.\n---\nLook.\n";
  await settings.post("definitions/save", { kind: "skill", name: "look", text, after: 0, isNew: true });
  await bothHave("definitions/list?kind=skill", { name: "look" });
  await settings.post("providers/key", { id: "deepseek", key: "sk-of-the-operator-0123456789" });
  await bothHave("providers/list", { id: "deepseek", isConfigured: true });
});
