import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { portOf } from "../../core/trust/host-patterns.ts";
import { unlessAborted } from "../../core/unless-aborted.ts";
import { type IsForbiddenAddress, literalAddress } from "./addresses.ts";
import { connectForwarding, tunnel } from "./by-proxy.ts";
import { type Connection, waitForConnection } from "./established.ts";
import { NetworkDenial, NetworkRefusal } from "./refusal.ts";
import type { Resolve } from "./resolve.ts";
import { privateAddress } from "./target.ts";

export interface ConnectOptions {
  readonly resolve: Resolve;
  readonly isForbiddenAddress: IsForbiddenAddress;
  /** The proxy for a URL, null for none. If absent, no proxy is used. */
  readonly proxyFor?: ((url: URL) => URL | null) | undefined;
  /** Certificates in PEM that are trusted in place of the system's. */
  readonly ca?: string;
}

/**
 * Connects to a URL's host. The name is resolved once, every address is checked, and the address of the open connection
 * is checked again before a byte is sent, so no later DNS answer can lead elsewhere. With a proxy, which resolves names
 * itself, only what this machine can resolve is checked.
 * Throws NetworkRefusal, or the signal's reason.
 */
export async function connect(url: URL, options: ConnectOptions, signal: AbortSignal): Promise<Connection> {
  const proxy = options.proxyFor?.(url) ?? null;
  const origin = { target: `${url.pathname}${url.search}`, headers: {} };
  if (proxy !== null) {
    await checkKnown(url.hostname, options, signal);
    if (url.protocol === "http:") return connectForwarding(proxy, url, signal);
    return { ...origin, socket: await secured(await tunnel(proxy, url, signal), url, { options, signal }) };
  }
  const addresses = await checkedAddresses(url.hostname, options, signal);
  const host = literalAddress(url.hostname) ?? url.hostname;
  const socket = connectTcp({ host, port: Number(portOf(url)), lookup: always(addresses) });
  const connection = await waitForConnection(socket, "connect", { signal });
  if (options.isForbiddenAddress(connection.remoteAddress ?? "")) {
    connection.destroy();
    throw privateAddress(url.hostname);
  }
  if (url.protocol === "http:") return { ...origin, socket: connection };
  return { ...origin, socket: await secured(connection, url, { options, signal }) };
}

function secured(
  socket: Socket,
  url: URL,
  { options: { ca }, signal }: { readonly options: ConnectOptions; readonly signal: AbortSignal },
): Promise<Socket> {
  const host = literalAddress(url.hostname) ?? url.hostname;
  const encrypted = connectTls({
    socket,
    host, // the host the certificate must be for
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true, // even if NODE_TLS_REJECT_UNAUTHORIZED says otherwise
    ...(ca === undefined ? {} : { ca }),
  });
  return waitForConnection(encrypted, "secureConnect", { signal });
}

/**
 * Names that have a meaning only within one network. Source: RFC 6762, RFC 8375; ICANN, “.INTERNAL”; names that routers
 * and directories assign.
 */
const LOCAL_NAME = /^[^.]+$|\.(?:local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/iu;

/**
 * Refuses known private hosts. A machine behind a proxy may be unable to resolve public names, so a failed look-up
 * passes.
 */
async function checkKnown(hostname: string, options: ConnectOptions, signal: AbortSignal): Promise<void> {
  try {
    await checkedAddresses(hostname, options, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NetworkDenial) throw error;
    if (LOCAL_NAME.test(hostname)) throw privateAddress(hostname);
  }
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

/** A resolver with one fixed answer; the runtime tries its addresses in turn. */
function always(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    const first = found[0] ?? { address: "", family: 0 };
    if (all === true) callback(null, found);
    else callback(null, first.address, first.family);
  };
}
