import { once } from "node:events";
import { request } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { WebPlatform } from "../../../src/adapters/web/adapter.ts";
import type { FeatureRoutes } from "../../../src/adapters/web/server/feature-routes.ts";
import type { ClientFrame, ServerFrame } from "../../../src/adapters/web/wire.ts";
import type { Receive } from "../../../src/core/platform/inbound.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { passwordHashing } from "../../../src/core/text/password-hash.ts";
import { createLogins, type LoginSettings } from "../../../src/features/accounts/accounts.ts";
import { changeAccounts } from "../../../src/features/accounts/command-line.ts";
import { createAudit } from "../../../src/features/audit/audit.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { entryUrl, openPlatform } from "../../adapters/web/web-setup.ts";
import { MemoryThreadStore } from "../../support/database/memory-thread-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { freePort } from "../../support/program/free-port.ts";
import { silentLog } from "../../support/silent-log.ts";

export const PASSWORD = "heron on the long pier";
/** Real hashes at a thousandth of the cost, because few tests are about the cost of a guess. */
export const HASHING = passwordHashing({ memory: 8, passes: 1 });
export const LIMITS = { idleMs: 3_600_000, longestMs: 36_000_000 };

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** A page with accounts, on a real database and its own port. */
export interface LoginWorld {
  readonly platform: WebPlatform;
  readonly store: Store;
  readonly threads: MemoryThreadStore;
  readonly clock: ManualClock;
  readonly port: number;
  /** Value of the Host header; `origin` is that of the Origin header. */
  readonly host: string;
  readonly origin: string;
  readonly addAccount: (name: string, role?: string) => Promise<void>;
  readonly browser: () => Browser;
  /** Path of the page with the link's secret, as it is printed. */
  readonly link: () => string;
}

export interface LoginWorldOptions {
  readonly store: Store;
  readonly url?: string;
  readonly trustProxy?: readonly string[];
  readonly receive?: Receive;
  /** Routes of features. */
  readonly routes?: FeatureRoutes;
  readonly settings?: Partial<LoginSettings>;
  readonly port?: number;
}

export async function loginWorld(options: LoginWorldOptions): Promise<LoginWorld> {
  const { store, url, trustProxy, receive, routes, settings } = options;
  const port = options.port ?? (await freePort());
  const clock = new ManualClock();
  const threads = new MemoryThreadStore();
  const cluster = onlyProcess({ clock, log: silentLog });
  const written = { store, runtime: { ...systemRuntime(), clock }, log: silentLog, cluster };
  const logins = createLogins(
    { ...written, audit: createAudit(written) },
    { ...LIMITS, hashing: HASHING, ...settings },
  );
  const platform = openPlatform({
    store: threads,
    logins,
    clock,
    host: "0.0.0.0",
    port,
    ...(url === undefined ? {} : { url }),
    ...(routes === undefined ? {} : { routes }),
    ...(trustProxy === undefined ? {} : { trustProxy }),
  });
  await platform.start(receive ?? (() => Promise.resolve({ type: "accepted" })), AbortSignal.any([]));
  onTestFinished(() => platform.stop());
  const host = url === undefined ? `127.0.0.1:${port}` : new URL(url).host;
  const origin = url === undefined ? `http://${host}` : new URL(url).origin;
  return {
    platform,
    store,
    threads,
    clock,
    port,
    host,
    origin,
    addAccount: async (name, role = "operator") => {
      const password = () => Promise.resolve(PASSWORD);
      const { ok, lines } = await changeAccounts(
        { type: "add", name, role },
        { store, clock, password, hashing: HASHING },
      );
      if (!ok) throw new Error(lines.join("\n"));
    },
    browser: () => new Browser({ port, host, origin }),
    link: () => {
      const { pathname, search } = new URL(entryUrl(platform));
      return `${pathname}${search}`;
    },
  };
}

interface Place {
  readonly port: number;
  readonly host: string;
  readonly origin: string;
}

/** A minimal browser with cookies, whose headers the test controls. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask("GET", path, { headers });
  }

  /** Posts a form as a browser does. */
  post(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
    const type = { "content-type": "application/x-www-form-urlencoded", origin: this.#place.origin };
    return this.ask("POST", path, { headers: { ...type, ...headers }, body: new URLSearchParams(fields).toString() });
  }

  async ask(
    method: string,
    path: string,
    { headers = {}, body = "" }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Answer> {
    const { port, host } = this.#place;
    const sent = { host, ...(this.cookies.size === 0 ? {} : { cookie: this.cookie }), ...headers };
    const asked = request({ host: "127.0.0.1", port, path, method, headers: sent });
    asked.end(body);
    const [response] = await once(asked, "response");
    let text = "";
    for await (const chunk of response) text += String(chunk);
    for (const line of response.headers["set-cookie"] ?? []) this.#keep(String(line));
    return { status: response.statusCode, headers: response.headers, body: text };
  }

  /** Loads a page and submits its form. */
  async submit(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
    const page = await this.get(path, headers);
    const token = /name="token" value="([^"]+)"/u.exec(page.body)?.[1];
    if (token === undefined) throw new Error(`no form at ${path}: ${page.status} ${page.body}`);
    return this.post(path, { token, ...fields }, headers);
  }

  signIn(name: string, password = PASSWORD, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.submit("/login", { name, password }, headers);
  }

  /** Opens the socket; returns the HTTP status if the upgrade is refused. */
  async open(headers: Readonly<Record<string, string>> = {}): Promise<Socket | number> {
    const { port, host, origin } = this.#place;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/live`, {
      headers: { host, origin, cookie: this.cookie, ...headers },
    });
    const frames: ServerFrame[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(Buffer.isBuffer(data) ? data.toString() : "null")));
    socket.on("error", () => {});
    onTestFinished(() => socket.terminate());
    const refused = new Promise<number>((resolve) => {
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    });
    const opened = once(socket, "open").then(() => new Socket(socket, frames));
    return Promise.race([opened, refused]);
  }

  #keep(line: string): void {
    const [name = "", value = ""] = line.split(";", 1)[0]?.split("=", 2) ?? [];
    if (/Max-Age=0(?:;|$)/u.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The page's end of the socket. */
export class Socket {
  readonly frames: readonly ServerFrame[];
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, frames: readonly ServerFrame[]) {
    this.#socket = socket;
    this.frames = frames;
  }

  say(frame: ClientFrame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** Waits for the first matching frame. */
  async next<T extends ServerFrame["type"]>(
    type: T,
    fits: (frame: Extract<ServerFrame, { type: T }>) => boolean = () => true,
  ): Promise<Extract<ServerFrame, { type: T }>> {
    const isOne = (frame: ServerFrame): frame is Extract<ServerFrame, { type: T }> => frame.type === type;
    for (;;) {
      const found = this.frames.filter(isOne).find(fits);
      if (found !== undefined) return found;
      if (this.#socket.readyState >= WebSocket.CLOSING) throw new Error(`closed before a ${type} frame came`);
      await Promise.race([once(this.#socket, "message"), once(this.#socket, "close")]);
    }
  }

  /** Resolves to the code the socket was closed with. */
  async closed(): Promise<number> {
    const [code] = await once(this.#socket, "close");
    return Number(code);
  }
}
