import { once } from "node:events";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { systemCode } from "../../core/protocol/system-code.ts";
import { portOf } from "../../core/trust/host-patterns.ts";
import { unlessAborted } from "../../core/unless-aborted.ts";
import { type IsForbiddenAddress, literalAddress } from "./addresses.ts";
import { NetworkRefusal } from "./refusal.ts";
import type { Resolve } from "./resolve.ts";
import { privateAddress } from "./target.ts";

export interface ConnectOptions {
  readonly resolve: Resolve;
  readonly isForbiddenAddress: IsForbiddenAddress;
  /** Certificates to trust in place of the system's, in PEM. */
  readonly ca?: string;
}

/**
 * Connects to a URL's host. The name is resolved once, every address is checked, the connection goes to
 * a checked one and is checked again before a byte is sent: no answer that DNS gives later can lead
 * elsewhere. Throws NetworkRefusal, or the signal's reason.
 */
export async function connect(url: URL, options: ConnectOptions, signal: AbortSignal): Promise<Socket> {
  const addresses = await checkedAddresses(url.hostname, options, signal);
  const host = literalAddress(url.hostname) ?? url.hostname;
  const socket = connectTcp({ host, port: Number(portOf(url)), lookup: always(addresses) });
  const connection = await established(socket, "connect", signal);
  if (options.isForbiddenAddress(connection.remoteAddress ?? "")) {
    connection.destroy();
    throw privateAddress(url.hostname);
  }
  if (url.protocol === "http:") return connection;
  const secured = connectTls({
    socket: connection,
    host, // whom the certificate must be for
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  return established(secured, "secureConnect", signal);
}

async function checkedAddresses(
  hostname: string,
  { resolve, isForbiddenAddress }: ConnectOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const literal = literalAddress(hostname);
  const addresses = literal === null ? await unlessAborted(named(hostname, resolve, signal), signal) : [literal];
  if (addresses.some((address) => isForbiddenAddress(address))) throw privateAddress(hostname);
  return addresses;
}

async function named(hostname: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  const addresses = await resolve(hostname, signal).catch((cause: unknown) => {
    throw new NetworkRefusal(`The name ${hostname} cannot be resolved. Check the spelling.`, cause);
  });
  if (addresses.length === 0) throw new NetworkRefusal(`The name ${hostname} has no address. Check the spelling.`);
  return addresses;
}

/** A resolver that knows one answer; the runtime tries its addresses in turn. */
function always(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    const first = found[0] ?? { address: "", family: 0 };
    if (all === true) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

async function established(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  socket.on("error", () => {}); // who waits for the connection or uses it hears of it, too
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    throw new NetworkRefusal(connectionFailure(cause), cause);
  }
}

/** OpenSSL's and Node's codes of a certificate that does not hold. */
const CERTIFICATE = /CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO_VERIFY|SIGNATURE/;

function connectionFailure(cause: unknown): string {
  const code = systemCode(cause) ?? "no code";
  if (CERTIFICATE.test(code)) return `The server's certificate does not hold (${code}); nothing was sent to it.`;
  return `The server cannot be reached (${code}).`;
}
