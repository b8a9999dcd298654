import { ConfigError } from "../../core/protocol/errors.ts";
import { type Clock, sleepUnlessAborted } from "../../core/protocol/runtime.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { type SiteServer, type SiteServerOptions, startSiteServer } from "./server.ts";

/** How often a port held by another process is tried again, in milliseconds. */
const TRY_EVERY_MS = 2_000;

interface Serving extends SiteServerOptions {
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** Other processes serve the same sites, perhaps on this machine. */
  readonly isShared: boolean;
}

/**
 * Serves sites. If another process on this machine has the port, that process serves all sites, and this one takes over
 * when it ends. Rejects with ConfigError if it cannot listen.
 */
export async function serveSites(serving: Serving): Promise<SiteServer> {
  const { host, port, isShared, log } = serving;
  try {
    return await startSiteServer(serving);
  } catch (error) {
    if (!isShared || !isTaken(error)) throw listenError(error, serving);
  }
  log.info({ host, port }, "sites_served_by_another_process");
  const stopping = new AbortController();
  const waiting = whenFree(serving, stopping.signal);
  return {
    port,
    close: async () => {
      stopping.abort();
      await (await waiting)?.close();
    },
  };
}

/** Null if stopped before, or if listening fails for another reason. */
async function whenFree(serving: Serving, signal: AbortSignal): Promise<SiteServer | null> {
  const { host, port, clock, log } = serving;
  while (await sleepUnlessAborted(clock, TRY_EVERY_MS, signal)) {
    try {
      const server = await startSiteServer(serving);
      log.info({ host, port }, "sites_served");
      return server;
    } catch (error) {
      if (isTaken(error)) continue;
      log.error({ err: listenError(error, serving) }, "sites_not_served");
      return null;
    }
  }
  return null;
}

function isTaken(error: unknown): boolean {
  return systemCode(error) === "EADDRINUSE";
}

function listenError(error: unknown, { host, port }: SiteServerOptions): unknown {
  const code = systemCode(error);
  if (code === "EADDRINUSE") return new ConfigError([`Port ${port} is in use. Set \`sites.port\` to a free one.`]);
  if (code === undefined) return error;
  return new ConfigError([
    `The sites' server cannot listen on ${host}:${port} (${code}). Set \`sites.host\` and \`sites.port\`.`,
  ]);
}
