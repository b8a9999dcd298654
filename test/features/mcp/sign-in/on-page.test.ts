import { expect, test } from "vitest";
import type { Cluster } from "../../../../src/core/cluster.ts";
import { onlyProcess } from "../../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { textIn } from "../connected.ts";
import { guardedServer, inBrowser, STATIC } from "./authority.ts";
import { ORIGIN, type Place, place, rowsOf, WANTS } from "./command.ts";
import { service } from "./service.ts";

/** Signing in on the web page, as its server sees it. */

type Program = ReturnType<Place["program"]>;
const HOME = `${ORIGIN}/`;
const AGAIN =
  "This sign-in was not started here, has expired, or the server's settings have changed since. Sign in again.";

/** Begins on the page, goes to the service, and comes back with its answer. */
async function goAndReturn({ page }: Program, what: "sign in" | "decline" = "sign in") {
  const { status, body } = await page("/sign-in", { name: "web" });
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
  const back = new URL(await inBrowser(body.address ?? "", what));
  expect(back.href).toContain(`${HOME}?`);
  return { name: "web", begun: body.begun ?? "", answer: back.search };
}

/** Processes that tell each other of changes. */
function clusters(count: number): readonly Cluster[] {
  const hearing: { readonly by: number; readonly hear: () => void }[] = [];
  const { clock } = systemRuntime();
  return Array.from({ length: count }, (_, by) => ({
    ...onlyProcess({ clock, log: silentLog }),
    isShared: true,
    size: () => count,
    publish: async () => {
      for (const other of hearing) if (other.by !== by) other.hear();
    },
    subscribe: (_topic: string, hear: (about: string) => void) => {
      hearing.push({ by, hear: () => hear("") });
      return () => {};
    },
  }));
}

test("a sign-in that starts in one process and ends in another connects the server in both", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  const [one, other] = clusters(2).map((cluster) => at.program({ cluster }));
  if (one === undefined || other === undefined) throw new Error("there are two");
  await Promise.all([one.mcp.settled(), other.mcp.settled()]);
  expect(one.mcp.describe()).toMatchObject([{ signIn: { isWanted: true, account: null } }]);

  const returned = await goAndReturn(one);
  expect(await other.page("/signed-in", returned)).toMatchObject({
    status: 200,
    body: { server: { state: "connected", signIn: { isWanted: false, account: { by: "ana" } } }, notes: [] },
  });
  await expect.poll(() => one.mcp.problems()).toEqual([]);
  expect(textIn(await one.call("mcp__web__go"))).toBe("done");
  expect((await at.mcp("list")).out).toMatch(/^web · signed in by ana \d{4}-/u);
  expect(JSON.stringify(returned)).not.toContain(server.tokens[0]);

  expect(await one.page("/sign-out", { name: "web" })).toMatchObject({ status: 200, body: { notes: [] } });
  await expect.poll(() => other.mcp.problems()).toEqual([WANTS]);
  expect(await rowsOf(at)).toEqual([]);
});

test("an answer is accepted only for its own sign-in, from the account that started it, within ten minutes, and once", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  const { clock } = systemRuntime();
  let aheadMs = 0;
  const program = at.program({ clock: { ...clock, now: () => clock.now() + aheadMs } });
  const first = await goAndReturn(program);
  const second = await goAndReturn(program);
  const refused = { status: 409, body: { error: AGAIN } };
  expect(await program.page("/signed-in", { ...first, answer: second.answer })).toEqual(refused);
  expect(await program.page("/signed-in", { ...first, begun: "" })).toEqual(refused);
  expect(await program.page("/signed-in", first, { by: "bob" })).toEqual(refused);
  aheadMs = 600_000;
  expect(await program.page("/signed-in", first)).toEqual(refused);
  aheadMs = 0;
  expect(await rowsOf(at)).toEqual([]);
  expect(server.authority.codes()).toBe(0);
  expect((await program.page("/signed-in", first)).status).toBe(200);
  const { body } = await program.page("/signed-in", first);
  expect(body.error).toMatch(/^localhost:\d+ answers: invalid_grant/u);
  expect((await program.page("/sign-in", { name: "other" })).status).toBe(404);
});

test("a sign-in that is declined at the service says so and changes nothing", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  const program = at.program();
  const returned = await goAndReturn(program, "decline");
  const { status, body } = await program.page("/signed-in", returned);
  expect({ status, error: body.error }).toEqual({
    status: 409,
    error: expect.stringMatching(/^localhost:\d+ says that the sign-in was denied\.$/u),
  });
  expect(await rowsOf(at)).toEqual([]);
});

test("a page that no service redirects back to says what to do", async () => {
  const server = await guardedServer();
  const at = await place(server.settings);
  const refusal = async (origin: string) => {
    const { status, body } = await at.program().page("/sign-in", { name: "web" }, { origin });
    return `${status} ${body.error ?? ""}`;
  };
  expect(await refusal("http://192.0.2.7:3000")).toBe(
    "409 Services do not redirect to http://192.0.2.7:3000, because it is not encrypted. Open this page by an https:// address (`web.url`), or run `deckhand mcp sign-in web` on the machine of the bot.",
  );
  const oauth = { ...server.settings.oauth, clientId: STATIC.id, clientSecret: STATIC.secret };
  at.set({ ...server.settings, oauth });
  expect(await refusal("https://deckhand.example.com")).toBe(
    "409 Its client was registered by hand. Register the redirect address https://deckhand.example.com/ for it and put that into `oauth.redirectUri`, or run `deckhand mcp sign-in web` on the machine of the bot.",
  );
  const closed = await guardedServer({ registers: false });
  at.set(closed.settings);
  expect(await refusal("https://deckhand.example.com")).toContain(
    'with the redirect address https://deckhand.example.com/, and put `oauth: { "clientId": "…", "redirectUri": "https://deckhand.example.com/" }` into',
  );
});

test("a page at a public address registers as a web client, one on this machine as a native client", async () => {
  const registered: unknown[] = [];
  const { settings } = await service({
    registered: (asked) => {
      registered.push([asked["application_type"], asked["redirect_uris"]]);
      return { client_id: "c", ...asked };
    },
  });
  const { page } = (await place(settings)).program();
  for (const origin of ["https://deckhand.example.com", "http://[::1]:3000"]) {
    const { body } = await page("/sign-in", { name: "web" }, { origin });
    expect(new URL(body.address ?? "").searchParams.get("redirect_uri")).toBe(`${origin}/`);
  }
  expect(registered).toEqual([
    ["web", ["https://deckhand.example.com/"]],
    ["native", ["http://[::1]:3000/"]],
  ]);
});
