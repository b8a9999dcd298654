import { once } from "node:events";
import type { Socket } from "node:net";
import { systemCode } from "../../core/protocol/system-code.ts";
import { NetworkRefusal } from "./refusal.ts";

/** A connection over which a URL can be requested. */
export interface Connection {
  readonly socket: Socket;
  /** Request target in the form that the other end of the connection expects. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Establishing {
  readonly signal: AbortSignal;
  /** Sentence about a failure, by the code of its cause. */
  readonly failure?: (code: string) => string;
}

/**
 * Resolves to the socket once it is connected, and destroys it if it fails. Throws NetworkRefusal, or the signal's
 * reason.
 */
export async function waitForConnection(
  socket: Socket,
  event: "connect" | "secureConnect",
  { signal, failure = connectionFailure }: Establishing,
): Promise<Socket> {
  socket.on("error", () => {}); // whoever waits for the connection or uses it gets the error too
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    throw new NetworkRefusal(failure(systemCode(cause) ?? "no code"), cause);
  }
}

/** Error codes of OpenSSL and Node for an invalid certificate. */
const CERTIFICATE = /CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO_VERIFY|SIGNATURE/;

function connectionFailure(code: string): string {
  if (CERTIFICATE.test(code)) return `The server's certificate is not valid (${code}); nothing was sent to it.`;
  return `The server cannot be reached (${code}).`;
}
