import { writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import type { Cluster } from "../../../../src/core/cluster.ts";
import { openStore, type Store } from "../../../../src/core/store/store.ts";
import type { McpServer } from "../../../../src/features/mcp/server-settings.ts";
import { signInRoutes } from "../../../../src/features/mcp/sign-in/routes.ts";
import { createAccessTo, followSignIns } from "../../../../src/features/mcp/sign-in/sign-ins.ts";
import { signInReads } from "../../../../src/features/mcp/sign-in/store.ts";
import { onlyProcess } from "../../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { createSystemResolve } from "../../../../src/tools/network/resolve.ts";
import { openFileStore } from "../../../support/database/empty-database.ts";
import { type CliResult, runCli } from "../../../support/program/cli.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";
import { begin, type Connected, type World } from "../connected.ts";
import { inBrowser } from "./authority.ts";

/** The command line and running connections over one database. */
export interface Place {
  readonly home: string;
  readonly store: Store;
  /** Runs `deckhand mcp …` to its end. */
  mcp(...args: string[]): Promise<CliResult>;
  doctor(): Promise<CliResult>;
  /** Begins `deckhand mcp sign-in web`, and returns once it shows an address. */
  signIn(): Promise<SigningIn>;
  /** Connections as a running program has them. */
  program(world?: ProgramWorld): Program;
  /** Writes other settings of the server. */
  set(settings: McpServer): void;
}

interface ProgramWorld extends World {
  /** The processes that share the database; one alone if absent. */
  readonly cluster?: Cluster;
}

interface Program extends Connected {
  /** What an admin's page asks for under `/features/mcp/`. */
  readonly page: (path: string, body: object, who?: { by?: string; origin?: string }) => Promise<PageAnswer>;
}

interface PageAnswer {
  readonly status: number;
  readonly body: z.infer<typeof answerSchema>;
}

const answerSchema = z.looseObject({
  error: z.string().optional(),
  address: z.string().optional(),
  begun: z.string().optional(),
  notes: z.array(z.string()).optional(),
});

export const ORIGIN = "http://127.0.0.1:3000";

export interface SigningIn {
  /** The address that people open. */
  readonly address: string;
  readonly paste: (line: string) => void;
  readonly ended: Promise<CliResult>;
}

const ADDRESS = /^http\S+\/auth\S*$/mu;

export async function place(settings: McpServer, database?: string, home = tempDirectory()): Promise<Place> {
  const runtime = systemRuntime();
  const store = await (database === undefined
    ? openFileStore(path.join(home, "data/deckhand.db"), runtime)
    : openStore(database, runtime));
  onTestFinished(() => store.close());
  let current = settings;
  const set = (to: McpServer) => {
    current = to;
    writeFileSync(path.join(home, "deckhand.config.json"), JSON.stringify({ mcpServers: { web: to } }));
  };
  set(settings);
  const given = { cwd: home, env: database === undefined ? {} : { DATABASE_URL: database } };
  return {
    home,
    store,
    set,
    doctor: () => runCli(["doctor"], given),
    mcp: (...args) => runCli(["mcp", ...args], given),
    async signIn() {
      const stdin = new PassThrough();
      const shown = Promise.withResolvers<string>();
      const said = (line: string) => {
        const [address] = ADDRESS.exec(line) ?? [];
        if (address !== undefined) shown.resolve(address);
      };
      const ended = runCli(["mcp", "sign-in", "web"], { ...given, stdin, said });
      const early = ended.then(({ error, out }) => {
        throw new Error(`it ended at once: ${out}${error}`);
      });
      early.catch(() => {});
      const address = await Promise.race([shown.promise, early]);
      return { address, paste: (line) => void stdin.write(`${line}\n`), ended };
    },
    program(world = {}) {
      const vault = { store, home: path.join(home, "data"), given: null };
      const reach = { resolve: createSystemResolve() };
      const { clock } = { ...runtime, ...world };
      const shared = { vault, reach, clock: clock ?? runtime.clock, replaceSecrets: () => {} };
      const connected = begin({ web: current }, { accessTo: createAccessTo(shared), ...world });
      const stopping = new AbortController();
      onTestFinished(() => stopping.abort());
      const alone = onlyProcess({ clock: shared.clock, log: silentLog });
      const scope = { ...shared, cluster: world.cluster ?? alone, log: silentLog, home: vault.home };
      followSignIns({ ...scope, ...connected.mcp }, stopping.signal);
      const host = { audit: () => Promise.resolve(), hideIn: <T>(value: T) => value };
      const routes = signInRoutes({ ...scope, ...host, servers: connected.mcp });
      const page: Program["page"] = async (where, body, { by = "ana", origin = ORIGIN } = {}) => {
        const viewer = { kind: "operator" } as const;
        const asked = { viewer, role: "admin", by, origin, query: new URLSearchParams(), body } as const;
        const answer = await routes.find((route) => route.path === where)?.handle(asked);
        return { status: answer?.status ?? 0, body: answerSchema.parse(answer?.body) };
      };
      return { ...connected, page };
    },
  };
}

export const WANTS =
  "web is not connected: it requires a sign-in; an admin must sign in on the web page, or run `deckhand mcp sign-in web`.";

/** Signs in to `web` with a browser of this machine. */
export async function signedIn({ signIn }: Pick<Place, "signIn">): Promise<void> {
  const { address, ended } = await signIn();
  await fetch(await inBrowser(address));
  expect(await ended).toMatchObject({ failed: false });
}

export const rowsOf = ({ store }: Pick<Place, "store">) => store.tables(signInReads).all();

export async function connected(at: Place, world: World = {}): Promise<Program> {
  const program = at.program(world);
  await program.mcp.settled();
  expect(program.mcp.problems()).toEqual([]);
  return program;
}
