import { once } from "node:events";
import type { Socket } from "node:net";
import { systemCode } from "../../core/protocol/system-code.ts";
import { NetworkRefusal } from "./refusal.ts";

/** A connection on which a URL can be asked for. */
export interface Connection {
  readonly socket: Socket;
  /** What a request names, as it takes it who is at the other end of the connection. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Establishing {
  readonly signal: AbortSignal;
  /** A sentence about a failure, by the code of its cause. */
  readonly failure?: (code: string) => string;
}

/** The socket once it is connected; destroyed where it is not. Throws NetworkRefusal, or the signal's reason. */
export async function established(
  socket: Socket,
  event: "connect" | "secureConnect",
  { signal, failure = connectionFailure }: Establishing,
): Promise<Socket> {
  socket.on("error", () => {}); // who waits for the connection or uses it hears of it, too
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    throw new NetworkRefusal(failure(systemCode(cause) ?? "no code"), cause);
  }
}

/** OpenSSL's and Node's codes of a certificate that does not hold. */
const CERTIFICATE = /CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO_VERIFY|SIGNATURE/;

function connectionFailure(code: string): string {
  if (CERTIFICATE.test(code)) return `The server's certificate does not hold (${code}); nothing was sent to it.`;
  return `The server cannot be reached (${code}).`;
}
