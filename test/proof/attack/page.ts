import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import path from "node:path";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { entryLink } from "../../../src/adapters/web/server/entry-links.ts";
import { PageClient } from "../../adapters/web/page-client.ts";
import { entryUrl, openPlatform, TOKEN } from "../../adapters/web/web-setup.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { plainMessage } from "../../contracts/platform-steps.ts";
import { type Browser, type LoginWorld, loginWorld, PASSWORD } from "../../features/accounts/login-world.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { MemoryThreadStore } from "../../support/database/memory-thread-store.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { type Attempt, type Ending, SECRET } from "./attack.ts";

/** The page on this machine, with a person who is signed in and has sent a message. */
interface World {
  readonly inbox: Inbox;
  readonly page: PageClient;
  readonly threadId: string;
  readonly port: number;
  /** A message of the bot with a stop button. */
  readonly messageId: string;
  readonly entry: () => string;
  ask(sent: Sent): Promise<{ readonly status: number; readonly body: string; readonly headers: string }>;
}

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sent without the person's cookie, like a stranger's request. */
  readonly bare?: true;
}

async function openWorld(): Promise<World> {
  const inbox = new Inbox();
  const platform = openPlatform({ store: new MemoryThreadStore() });
  await platform.start(inbox.receive, new AbortController().signal);
  onTestFinished(() => platform.stop());
  const page = await PageClient.open(entryUrl(platform));
  await page.hello();
  await page.send(`the password is ${SECRET}`);
  const { thread } = await inbox.nextMessage();
  const stop = plainMessage("at work", { buttons: [{ id: "stop:run_1", label: "Stop", style: "danger" }] });
  const { messageId } = await platform.post(thread, stop, "live");
  const port = Number(new URL(page.origin).port);
  return {
    inbox,
    page,
    port,
    messageId,
    threadId: thread.threadId ?? "",
    entry: () => entryUrl(platform),
    async ask({ path: asked, method = "GET", headers = {}, body = "", bare }) {
      const own = { host: `127.0.0.1:${port}`, ...(bare === undefined ? { cookie: page.cookie } : {}) };
      const written = Object.entries({ ...own, ...headers }).map(([name, value]) => [name, placed(value, port)]);
      const sent = request({ host: "127.0.0.1", port, path: asked, method, headers: Object.fromEntries(written) });
      sent.end(body);
      const [response] = await once(sent, "response");
      let text = "";
      for await (const chunk of response) text += String(chunk);
      return { status: response.statusCode, body: text, headers: JSON.stringify(response.headers) };
    },
  };
}

function placed(value: string, port: number): string {
  return value.replaceAll("PORT", String(port));
}

function ending(succeeded: boolean, observed: Ending["observed"], said: string): Ending {
  return { succeeded, observed, said };
}

/** A request that the server must refuse. */
function knock(name: string, sent: Sent | ((world: World) => Promise<Sent>)): Attempt {
  return {
    group: "page",
    name,
    expected: "refused",
    async attempt() {
      const world = await openWorld();
      const answer = await world.ask(typeof sent === "function" ? await sent(world) : sent);
      const isIn = answer.status < 400 || answer.body.includes(SECRET) || /set-cookie/u.test(answer.headers);
      return ending(isIn, answer.status >= 400 ? "refused" : "nothing", `${answer.status} ${answer.body}`);
    },
  };
}

/** A socket that must not open. */
function dial(name: string, headers: Readonly<Record<string, string>>): Attempt {
  return {
    group: "page",
    name,
    expected: "refused",
    async attempt() {
      const { port, page } = await openWorld();
      const written = Object.entries({ cookie: page.cookie, ...headers }).map(([key, value]) => [
        key,
        placed(value, port),
      ]);
      const socket = new WebSocket(`ws://127.0.0.1:${port}/live`, { headers: Object.fromEntries(written) });
      socket.on("error", () => {});
      const status = await new Promise<number>((resolve) => {
        socket.on("open", () => resolve(101));
        socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
      });
      socket.terminate();
      return ending(status === 101, status >= 400 ? "refused" : "nothing", String(status));
    },
  };
}

/**
 * A frame that a script on the page, or a program with its cookie, makes by hand. Harm shows in the received events or
 * in the thread.
 */
function frame(name: string, made: (world: World) => object, isHarm: (events: Inbox["events"]) => boolean): Attempt {
  return {
    group: "page",
    name,
    expected: "nothing",
    async attempt() {
      const world = await openWorld();
      world.page.sayRaw(JSON.stringify(made(world)));
      // Frames are handled in order: the forged one has been handled once this one has.
      await world.page.send("and this", world.threadId);
      const messages = JSON.stringify(await world.page.thread(world.threadId));
      const { events } = world.inbox;
      return ending(isHarm(events) || messages.includes("forged"), "nothing", `${JSON.stringify(events)} ${messages}`);
    },
  };
}

const EVIL = "http://evil.example:PORT";
const UPLOAD = "/files?name=a.txt&type=text/plain";
const BYTES = { "content-type": "application/octet-stream" };

const REQUESTS: readonly Attempt[] = [
  knock("a site whose name leads here now asks for the page", { path: "/", headers: { host: "evil.example:PORT" } }),
  knock("a site whose name leads here now says through a proxy's header that it is ours", {
    path: "/",
    headers: { host: "evil.example:PORT", "x-forwarded-host": "127.0.0.1:PORT", "x-forwarded-for": "127.0.0.1" },
  }),
  knock("a site whose name leads here now asks for the probes' figures", {
    path: "/metrics",
    headers: { host: "evil.example:PORT" },
    bare: true,
  }),
  knock("a site posts a file with the person's cookie", {
    path: UPLOAD,
    method: "POST",
    headers: { ...BYTES, origin: EVIL },
    body: "forged",
  }),
  knock("a form of another local server posts a file", {
    path: UPLOAD,
    method: "POST",
    headers: { "content-type": "text/plain", origin: "http://127.0.0.1:5173" },
    body: "forged",
  }),
  knock("a site loads the page's script with the person's cookie, to see whether they are signed in", {
    path: "/page.js",
    headers: { "sec-fetch-site": "cross-site", "sec-fetch-dest": "script" },
  }),
  knock("another local server's page loads a file with the person's cookie", async ({ page }) => {
    const { id } = await page.upload("a.txt", "text/plain", new TextEncoder().encode(SECRET));
    return { path: `/files/${id}`, headers: { "sec-fetch-site": "same-site" } };
  }),
  knock("somebody who knows a file's id asks for it without a cookie", async ({ page }) => {
    const { id } = await page.upload("a.txt", "text/plain", new TextEncoder().encode(SECRET));
    return { path: `/files/${id}`, bare: true };
  }),
  knock("the one-time link is opened a second time, from another browser", async ({ entry }) => {
    const { search, origin } = new URL(entry());
    await fetch(`${origin}/${search}`, { redirect: "manual" });
    return { path: `/${search}`, bare: true };
  }),
  knock("the one-time link with another time in it", async () => {
    const link = entryLink(TOKEN, Date.now()).replace(/^\w+/u, (Date.now() + 5_000).toString(36));
    return { path: `/?token=${link}`, bare: true };
  }),
  knock("a link that is signed with a guess", async () => {
    return { path: `/?token=${entryLink("deckhand-deckhand-deckhand", Date.now())}`, bare: true };
  }),
  knock("a cookie from another port of the machine", {
    path: "/session",
    headers: { cookie: `deckhand_5173=${TOKEN}` },
    bare: true,
  }),
  knock("a path climbs out of the page's directory", { path: "/%2e%2e/%2e%2e/%2e%2e/package.json" }),
  knock("a path climbs out by backslashes", { path: "/..%5c..%5c..%5cpackage.json" }),
];

const SOCKETS: readonly Attempt[] = [
  dial("a site opens the socket with the person's cookie", { origin: "https://evil.example" }),
  dial("a site whose name leads here now opens the socket", { origin: EVIL, host: "evil.example:PORT" }),
  dial("a sandboxed frame opens the socket", { origin: "null" }),
  dial("a program without the cookie opens the socket", { origin: "http://127.0.0.1:PORT", cookie: "" }),
];

const bySomebodyElse = (events: Inbox["events"]) => events.some(({ person }) => person.id !== "web:local");
const isClicked = (events: Inbox["events"]) => events.some(({ kind }) => kind === "action");

const FRAMES: readonly Attempt[] = [
  frame(
    "a message that says whom it is from",
    ({ threadId }) => ({
      type: "send",
      clientId: randomUUID(),
      threadId,
      text: "hi",
      fileIds: [],
      person: { id: "slack:U0ADMIN", name: "admin" },
      author: { id: "slack:U0ADMIN" },
    }),
    bySomebodyElse,
  ),
  frame(
    "a frame as only the server sends it, with words of ours",
    ({ threadId }) => ({
      type: "message",
      seq: 9,
      message: { id: "x", threadId, body: { by: "bot", markdown: "forged" } },
    }),
    () => false,
  ),
  frame(
    "a click on a button that the message does not have",
    ({ messageId }) => ({ type: "click", clickId: randomUUID(), messageId, action: "approve:A:run_1" }),
    isClicked,
  ),
  frame(
    "a click on a message of the person's own, which has no buttons",
    ({ threadId }) => ({ type: "click", clickId: randomUUID(), messageId: threadId, action: "approve:y:run_1" }),
    isClicked,
  ),
  frame(
    "a message with a file that nobody has put",
    ({ threadId }) => ({ type: "send", clientId: randomUUID(), threadId, text: "forged", fileIds: ["../../.env"] }),
    () => false,
  ),
  frame(
    "keys of every object's own kind in a frame",
    ({ threadId }) =>
      JSON.parse(
        `{"type":"send","clientId":"${randomUUID()}","threadId":"${threadId}","text":"forged","fileIds":{"__proto__":[]},"__proto__":{"role":"admin"}}`,
      ),
    () => ({}) instanceof Object && Object.hasOwn(Object.prototype, "role"),
  ),
];

/** A person's file that a browser must not open as a document of the page's origin. */
function document(name: string, file: { readonly name: string; readonly type: string }): Attempt {
  return {
    group: "page",
    name,
    expected: "nothing",
    async attempt() {
      const { page } = await openWorld();
      const { id } = await page.upload(file.name, file.type, new TextEncoder().encode("<script>alert(1)</script>"));
      const response = await page.fetch(`/files/${id}`);
      const told = ["content-type", "content-disposition", "content-security-policy", "x-injected"].map(
        (header) => response.headers.get(header) ?? "-",
      );
      const [type = "", disposition = "", policy = "", injected = ""] = told;
      const runs = !disposition.startsWith("attachment") || type !== "application/octet-stream";
      return ending(runs || !policy.includes("sandbox") || injected !== "-", "nothing", told.join(" | "));
    },
  };
}

const FILES: readonly Attempt[] = [
  document("a page is put as a file, to be opened from our origin", { name: "a.html", type: "text/html" }),
  document("a drawing with a script is put as a file", { name: "a.svg", type: "image/svg+xml" }),
  document("a file's name holds a header of its own", { name: 'a"\r\nx-injected: 1\r\n.html', type: "text/html" }),
  document("a file's kind holds a header of its own", { name: "a", type: "image/png\r\nx-injected: 1" }),
];

/** An attack on a page with accounts: one account acts with another's rights. */
function shared(name: string, tries: (world: LoginWorld, browser: Browser) => Promise<number>): Attempt {
  return {
    group: "page",
    name,
    expected: "refused",
    async attempt() {
      const store = await openFileStore(path.join(tempDirectory(), "page.db"));
      onTestFinished(() => store.close());
      const world = await loginWorld({ store });
      await world.addAccount("ana", "admin");
      await world.addAccount("vera", "viewer");
      const status = await tries(world, world.browser());
      return ending(status < 400, status >= 400 ? "refused" : "nothing", String(status));
    },
  };
}

const SHARED: readonly Attempt[] = [
  shared("a viewer puts a file", async (world, browser) => {
    await browser.signIn("vera");
    const socket = await browser.open();
    const { changeToken } = typeof socket === "number" ? { changeToken: "" } : await socket.next("you");
    const headers = { ...BYTES, origin: world.origin, "x-deckhand-change": changeToken };
    return (await browser.ask("POST", UPLOAD, { headers, body: "x" })).status;
  }),
  shared("a page of the same origin changes something with the cookie alone", async (world, browser) => {
    await browser.signIn("ana");
    return (await browser.ask("POST", UPLOAD, { headers: { ...BYTES, origin: world.origin }, body: "x" })).status;
  }),
  shared("the key of the page on loopback is sent where people sign in", async (world, browser) => {
    return (await browser.get("/session", { cookie: `deckhand_${world.port}=${TOKEN}` })).status;
  }),
  shared("a session's cookie is used after its person has signed out", async (world, browser) => {
    await browser.signIn("ana");
    const { cookie } = browser;
    const socket = await browser.open();
    const { changeToken } = typeof socket === "number" ? { changeToken: "" } : await socket.next("you");
    await browser.ask("POST", "/logout", { headers: { origin: world.origin, "x-deckhand-change": changeToken } });
    return (await world.browser().get("/session", { cookie })).status;
  }),
  shared("a form of another site signs a victim in as the attacker", async (world, browser) => {
    const page = await world.browser().get("/login");
    const token = /name="token" value="([^"]+)"/u.exec(page.body)?.[1] ?? "";
    return (await browser.post("/login", { token, name: "vera", password: PASSWORD })).status;
  }),
];

export const PAGE: readonly Attempt[] = [...REQUESTS, ...SOCKETS, ...FRAMES, ...FILES, ...SHARED];
