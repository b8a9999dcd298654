import type { PlatformHealth } from "../../core/platform/chat-platform.ts";
import { TRANSIENT_PLATFORM_ERRORS } from "../../core/protocol/error-groups.ts";
import { type ErrorCode, toAppError } from "../../core/protocol/errors.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { causeChain, proxyFailure, systemCode } from "../../core/protocol/system-code.ts";

/** Explanations of the error codes of failed connections. Source: Node docs, “Errors”; undici docs. */
const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name was not found",
  EAI_AGAIN: "its name can't be looked up",
  ECONNREFUSED: "it refuses the connection",
  ECONNRESET: "it closed the connection",
  UND_ERR_SOCKET: "it closed the connection",
  ECONNABORTED: "it is not responding",
  ETIMEDOUT: "it is not responding",
  UND_ERR_CONNECT_TIMEOUT: "it is not responding",
  UND_ERR_HEADERS_TIMEOUT: "it is not responding",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted here",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is not trusted here",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

/** The health until the first success or failure. `address`: a URL or a host. */
export function stillConnecting(address: string): PlatformHealth {
  return { connected: false, detail: `signing in at ${hostOf(address)}, which has not answered yet` };
}

interface ConnectScope {
  readonly address: string;
  /** Called before each wait for another attempt. */
  readonly onHealth: (health: PlatformHealth) => void;
  /** Name of the log event for a failure. */
  readonly event: string;
  /** Whether a failure is retried; by default, if it is transient. */
  readonly isTransient?: (code: ErrorCode) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Waits between attempts; the last one repeats. In milliseconds. */
const RETRY_PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

/** Retries until `connect` succeeds. Rejects with a permanent failure, or with the signal's reason. */
export async function connectWithRetries<T>(
  connect: () => Promise<T>,
  { address, onHealth, event, isTransient = (code) => TRANSIENT_PLATFORM_ERRORS.has(code), clock, log }: ConnectScope,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await connect();
    } catch (error) {
      signal.throwIfAborted();
      const { code, message, retryAfterMs } = toAppError(error);
      if (!isTransient(code)) throw error;
      const waitMs = retryAfterMs ?? RETRY_PAUSES_MS[Math.min(tries, RETRY_PAUSES_MS.length) - 1] ?? 0;
      onHealth(notReached(address, error, clock.now() + waitMs));
      log.warn({ code, message, tries, waitMs }, event);
      await clock.sleep(waitMs, signal);
    }
  }
}

/** Why the platform is not connected, and when the next attempt is. `nextTryAt`: milliseconds since the epoch. */
function notReached(address: string, error: unknown, nextTryAt: number): PlatformHealth {
  const code = innermostCode(error);
  const proxy = proxyFailure(error);
  if (proxy !== null) return { connected: false, detail: `cannot sign in at ${hostOf(address)}: ${proxy}`, nextTryAt };
  const why = code === null ? ` (${toAppError(error).message})` : `, ${WORDS[code] ?? ""} (${code})`;
  return { connected: false, detail: `cannot sign in at ${hostOf(address)}${why}`, nextTryAt };
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** The code of the innermost error that has an explanation. */
function innermostCode(error: unknown): string | null {
  const codes = causeChain(error).map(systemCode);
  return codes.findLast((code) => code !== undefined && code in WORDS) ?? null;
}
