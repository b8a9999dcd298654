import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Backend, Backends, NotLetIn } from "./pooler-backends.ts";
import { fatal, message, openingOf, stringsIn, typeOf, wholeMessages } from "./pooler-wire.ts";

/**
 * A pooler in transaction mode like PgBouncer: a server connection serves a client until its transaction ends, and the
 * next transaction may get another one. State of a server connection, such as a session's locks and prepared
 * statements, then belongs to somebody else.
 */
export interface Pooler extends AsyncDisposable {
  /** The same address through the pooler. */
  readonly urlOf: (url: string) => string;
  /** Statements from clients whose effect is meant to outlast their transaction. */
  readonly sessionState: readonly string[];
  /** Number of transactions carried. */
  readonly transactions: () => number;
  /** Number of server connections. */
  readonly backends: () => number;
  readonly clients: () => number;
}

const POOL_SIZE = 20;

export interface PoolerSettings {
  /** Maximum server connections for each user and database; further clients wait. */
  readonly poolSize?: number;
  /** In session mode, a client keeps its connection for as long as it is connected. */
  readonly mode?: "transaction" | "session";
}

/** Listens on a free port of loopback for clients of a URL's server, which must not require a password. */
export async function startPooler(target: string, settings: PoolerSettings = {}): Promise<Pooler> {
  const { poolSize = POOL_SIZE, mode = "transaction" } = settings;
  const { hostname: host, port } = new URL(target);
  const place = { host, port: Number(port) };
  const hall = new Hall(mode, (user, database) => new Backends({ ...place, user, database }, poolSize));
  const server = createServer({ noDelay: true }, (socket) => hall.enter(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server of TCP that listens has a port
  const own = (server.address() as AddressInfo).port;
  return {
    urlOf: (url) => {
      const changed = new URL(url);
      changed.host = `127.0.0.1:${own}`;
      return changed.href;
    },
    sessionState: hall.sessionState,
    transactions: () => hall.transactions,
    backends: () => hall.backends().length,
    clients: () => hall.clients.size,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const client of hall.clients) client.socket.destroy();
      for (const backend of hall.backends()) backend.destroy();
      await closed;
    },
  };
}

/** All connected clients. */
class Hall {
  readonly mode: "transaction" | "session";
  readonly clients = new Set<PooledClient>();
  readonly sessionState: string[] = [];
  transactions = 0;
  readonly #pools = new Map<string, Backends>();
  readonly #createPool: (user: string, database: string) => Backends;

  constructor(mode: "transaction" | "session", createPool: (user: string, database: string) => Backends) {
    this.mode = mode;
    this.#createPool = createPool;
  }

  enter(socket: Socket): void {
    const client = new PooledClient(socket, this);
    this.clients.add(client);
    socket.once("close", () => this.clients.delete(client));
  }

  pool(user: string, database: string): Backends {
    const key = JSON.stringify([user, database]);
    const pool = this.#pools.get(key) ?? this.#createPool(user, database);
    this.#pools.set(key, pool);
    return pool;
  }

  backends(): Backend[] {
    return [...this.#pools.values()].flatMap(({ all }) => [...all]);
  }
}

/**
 * Opening parameters that PgBouncer knows or is told to ignore; it rejects others. Source: PgBouncer's documentation.
 */
const PARAMETERS = new Set([
  "user",
  "database",
  "application_name",
  "client_encoding",
  "datestyle",
  "intervalstyle",
  "standard_conforming_strings",
  "timezone",
]);

/** Messages that the server answers with readiness: a query, a call, the end of a pipeline. */
const ANSWERED = /[QFS]/u;

/** Messages that are followed by others of the same pipeline. */
const UNFINISHED = /[PBEDCH]/u;

class PooledClient {
  readonly socket: Socket;
  readonly #hall: Hall;
  readonly #left = new AbortController();
  #pool: Backends | null = null;
  #backend: Backend | null = null;
  #lastBackend: Backend | null = null;
  /** Messages waiting for a server connection. */
  #unsent: Buffer[] = [];
  /** Number of readiness messages that the server still owes. */
  #owed = 0;
  #isUnfinished = false;

  constructor(socket: Socket, hall: Hall) {
    this.socket = socket;
    this.#hall = hall;
    socket.on(
      "data",
      wholeMessages(
        () => this.#pool !== null,
        (whole) => this.#take(whole),
      ),
    );
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#left.abort();
      // A transaction that its client leaves open ends with the server connection, as with PgBouncer.
      this.#backend?.destroy();
    });
  }

  #take(whole: Buffer): void {
    if (this.#pool === null) return this.#open(whole);
    const type = typeOf(whole);
    if (type === "X") return this.#refuse(Buffer.alloc(0));
    this.#hall.sessionState.push(...stateIn(whole));
    if (ANSWERED.test(type)) this.#owed += 1;
    if (type === "S") this.#isUnfinished = false;
    else if (UNFINISHED.test(type)) this.#isUnfinished = true;
    if (this.#backend !== null) return this.#backend.write(whole);
    this.#unsent.push(whole);
    if (this.#unsent.length === 1) this.#begin(this.#pool);
  }

  #open(whole: Buffer): void {
    const asked = openingOf(whole);
    if (asked === "encryption") return void this.socket.write("N");
    if (asked !== "startup") return this.#refuse(Buffer.alloc(0));
    const words = stringsIn(whole, 8);
    const parameters = new Map<string, string>();
    for (let index = 0; words[index] !== ""; index += 2) parameters.set(words[index] ?? "", words[index + 1] ?? "");
    const unknown = [...parameters.keys()].find((name) => !PARAMETERS.has(name.toLowerCase()));
    if (unknown !== undefined) return this.#refuse(fatal("08P01", `unsupported startup parameter: ${unknown}`));
    const user = parameters.get("user") ?? "";
    this.#pool = this.#hall.pool(user, parameters.get("database") ?? user);
    this.#welcome(this.#pool).catch((error: unknown) => this.#fail(error));
  }

  async #welcome(pool: Backends): Promise<void> {
    const backend = await pool.take(null, this.#left.signal);
    pool.giveBack(backend);
    this.socket.write(Buffer.concat([message("R", Buffer.alloc(4)), ...backend.parameters]));
    this.socket.write(Buffer.concat([message("K", randomBytes(8)), message("Z", "I")]));
  }

  #begin(pool: Backends): void {
    const begin = async () => {
      const backend = await pool.take(this.#lastBackend, this.#left.signal);
      if (this.#left.signal.aborted) return pool.giveBack(backend);
      backend.user = { hear: (whole) => this.#hear(whole), lose: () => this.#fail(null) };
      this.#backend = backend;
      this.#lastBackend = backend;
      backend.write(Buffer.concat(this.#unsent));
      this.#unsent = [];
    };
    begin().catch((error: unknown) => this.#fail(error));
  }

  #hear(whole: Buffer): void {
    this.socket.write(whole);
    if (typeOf(whole) !== "Z") return;
    this.#owed -= 1;
    const isIdle = whole.toString("latin1", 5) === "I";
    if (!isIdle || this.#owed > 0 || this.#isUnfinished || this.#backend === null) return;
    this.#hall.transactions += 1;
    if (this.#hall.mode === "session") return;
    this.#pool?.giveBack(this.#backend);
    this.#backend = null;
  }

  #fail(error: unknown): void {
    if (this.#left.signal.aborted) return;
    this.#backend = null;
    this.#refuse(error instanceof NotLetIn ? error.said : fatal("08P01", "server conn crashed?"));
  }

  #refuse(said: Buffer): void {
    this.socket.end(said);
  }
}

/** Statements that change the session, start something that outlasts a transaction, or take a session lock. */
const SESSION_STATE = [
  /^\s*(?:LISTEN|UNLISTEN|PREPARE|DISCARD|RESET|LOAD)\b/iu,
  /^\s*SET\s+(?!LOCAL\b|TRANSACTION\b|CONSTRAINTS\b)/iu,
  /^\s*CREATE\s+(?:GLOBAL\s+|LOCAL\s+)?TEMP/iu,
  /^\s*DECLARE\b.*\bWITH\s+HOLD\b/isu,
  /\bpg_(?:try_)?advisory_(?:lock|unlock)/iu,
  /\bset_config\s*\([^)]*,\s*false\s*\)/iu,
];

function stateIn(whole: Buffer): string[] {
  const [first = "", second = ""] = stringsIn(whole, 5);
  const type = typeOf(whole);
  if (type !== "Q" && type !== "P") return [];
  const text = type === "Q" ? first : second;
  const named = type === "P" && first !== "" ? [`statement ${first}: ${text}`] : [];
  const lasting = text.split(";").filter((statement) => SESSION_STATE.some((pattern) => pattern.test(statement)));
  return [...named, ...lasting.map((statement) => statement.trim())];
}
