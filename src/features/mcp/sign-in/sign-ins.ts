import { followChanges } from "../../../core/change-notices.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { changeSignal } from "../../../tools/secrets/change-signal.ts";
import type { McpServer } from "../server-settings.ts";
import { Access, type AccessScope } from "./access.ts";
import { hasOwnCredential } from "./authorized-fetch.ts";
import { readRows, type Vault } from "./signed-in.ts";
import type { SignInRow } from "./store.ts";

/** How often to check for changes by other processes in case a notice was lost, in milliseconds. */
const LOOK_MS = 10_000;

/** From the command line, after a sign-in or sign-out. */
export const SIGN_INS_CHANGED = changeSignal("mcp-changed");

type Shared = Omit<AccessScope, "server" | "title" | "settings" | "firstRows">;

/** Gives each server that may want a sign-in its access. */
export type AccessTo = (server: string, settings: McpServer, log: Shared["log"]) => Access | null;

export function createAccessTo(shared: Omit<Shared, "log">): AccessTo {
  const { vault } = shared;
  let reading: Promise<readonly SignInRow[]> | null = null;
  const firstRows = (): Promise<readonly SignInRow[]> => {
    reading ??= (vault === null ? Promise.resolve([]) : readRows(vault)).catch((error: unknown) => {
      reading = null;
      throw error;
    });
    return reading;
  };
  return (server, settings, log) => {
    if ("command" in settings || hasOwnCredential(settings)) return null;
    return new Access({ ...shared, firstRows, log, server, settings, title: settings.title ?? server });
  };
}

interface Taking extends Pick<FeatureHost, "log"> {
  readonly vault: Vault;
  readonly connections: readonly {
    readonly name: string;
    readonly access: Access | null;
    reconnect(): Promise<void>;
  }[];
}

interface Following extends Taking, Pick<FeatureHost, "cluster" | "home"> {
  readonly clock: Shared["clock"];
}

/** Reconnects servers to which somebody has signed in, or out of which; `reconnected` resolves when that was tried. */
export async function takeChanges({
  vault,
  connections,
  log,
}: Taking): Promise<{ readonly reconnected: Promise<unknown> }> {
  const rows = await readRows(vault);
  const changed = connections.filter(({ name, access }) => access?.take(rows.find(({ server }) => server === name)));
  const reconnecting = changed.map(async (connection) =>
    connection.reconnect().catch((error: unknown) => {
      log.warn({ err: error, server: connection.name }, "mcp_not_reconnected");
    }),
  );
  return { reconnected: Promise.all(reconnecting) };
}

/** Takes changes by other processes until the signal aborts. */
export function followSignIns(scope: Following, signal: AbortSignal): void {
  const { log, connections, home } = scope;
  if (connections.every(({ access }) => access === null)) return;
  const look = async (): Promise<void> => {
    await takeChanges(scope);
  };
  const failed = (error: unknown) => log.warn({ err: error }, "mcp_sign_ins_not_read");
  followChanges({ ...scope, topic: "servers", everyMs: LOOK_MS, signal }, look);
  SIGN_INS_CHANGED.watch(home, () => void look().catch(failed), signal);
  // Catches changes made since the servers began to connect.
  look().catch(failed);
}
