import { followChanges } from "../../../core/change-notices.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { changeSignal } from "../../../tools/secrets/change-signal.ts";
import type { McpServer } from "../server-settings.ts";
import { Access, type AccessScope } from "./access.ts";
import { hasOwnCredential } from "./authorized-fetch.ts";
import { readRows, type Vault } from "./signed-in.ts";

/** How often to check for changes by other processes in case a notice was lost, in milliseconds. */
const LOOK_MS = 10_000;

/** From the command line, after a sign-in or sign-out. */
export const SIGN_INS_CHANGED = changeSignal("mcp-changed");

type Shared = Omit<AccessScope, "server" | "title" | "settings">;

/** Gives each server that may want a sign-in its access. */
export type AccessTo = (server: string, settings: McpServer, log: Shared["log"]) => Access | null;

export function createAccessTo(shared: Omit<Shared, "log">): AccessTo {
  return (server, settings, log) => {
    if ("command" in settings || hasOwnCredential(settings)) return null;
    return new Access({ ...shared, log, server, settings, title: settings.title ?? server });
  };
}

interface Following extends Pick<FeatureHost, "cluster" | "log" | "home"> {
  readonly vault: Vault;
  readonly clock: Shared["clock"];
  readonly connections: readonly {
    readonly name: string;
    readonly access: Access | null;
    reconnect(): Promise<void>;
  }[];
}

/** Reconnects servers to which somebody has signed in, or out of which, until the signal aborts. */
export function followSignIns({ vault, home, connections, ...scope }: Following, signal: AbortSignal): void {
  const { log } = scope;
  if (connections.every(({ access }) => access === null)) return;
  const look = async (): Promise<void> => {
    const rows = await readRows(vault);
    for (const connection of connections) {
      const isOther = connection.access?.take(rows.find(({ server }) => server === connection.name)) ?? false;
      const failed = (error: unknown) => log.warn({ err: error, server: connection.name }, "mcp_not_reconnected");
      if (isOther) connection.reconnect().catch(failed);
    }
  };
  const failed = (error: unknown) => log.warn({ err: error }, "mcp_sign_ins_not_read");
  followChanges({ ...scope, topic: "servers", everyMs: LOOK_MS, signal }, look);
  SIGN_INS_CHANGED.watch(home, () => void look().catch(failed), signal);
  // Catches changes made since the servers began to connect.
  look().catch(failed);
}
