import { hash } from "node:crypto";
import { stat, unlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import { systemCode } from "../../core/protocol/system-code.ts";
import { notListening, TAKEN, TOO_LONG } from "./errors.ts";
import { CONNECTIONS, SOCKET_PATH_BYTES } from "./limits.ts";

/**
 * Path of the socket on which a home directory's program listens. `isReplica`: the home directory may be shared by
 * several machines, each with its own socket.
 */
export function socketPath(home: string, isReplica = false): string {
  const machine = hash("sha256", hostname()).slice(0, MACHINE_CHARS);
  return path.join(home, isReplica ? `chat-${machine}.sock` : "chat.sock");
}

/** Short, since paths of sockets are limited. */
const MACHINE_CHARS = 8;

export type ListenResult =
  | { readonly type: "listening"; readonly server: Server }
  | { readonly type: "not"; readonly why: string };

/**
 * Listens for the owner alone. Replaces the socket of a dead process, but not one with a listener, unless it `isOurs`
 * by agreement: then the previous holder has lost it, perhaps without knowing yet.
 */
export async function listenAt(
  file: string,
  connected: (socket: Socket) => void,
  isOurs = false,
): Promise<ListenResult> {
  if (Buffer.byteLength(file) > SOCKET_PATH_BYTES) return { type: "not", why: notListening(file, TOO_LONG) };
  const first = await tryListen(file, connected);
  if (typeof first !== "string") return { type: "listening", server: first };
  if (first !== "EADDRINUSE") return { type: "not", why: notListening(file, first) };
  if (!isOurs && (await isAlive(file))) return { type: "not", why: notListening(file, TAKEN) };
  await unlink(file).catch(() => {}); // The next attempt reports what is in the way.
  const second = await tryListen(file, connected);
  return typeof second === "string"
    ? { type: "not", why: notListening(file, second) }
    : { type: "listening", server: second };
}

/** The server, or an error code. */
function tryListen(file: string, connected: (socket: Socket) => void): Promise<Server | string> {
  const server = createServer(connected);
  server.maxConnections = CONNECTIONS;
  const { promise, resolve } = Promise.withResolvers<Server | string>();
  server.once("error", (error) => resolve(systemCode(error) ?? error.message));
  server.once("listening", () => resolve(server));
  // The socket gets its mode from the umask when it is bound, which `listen` does before it returns.
  const mask = process.umask(0o177);
  try {
    server.listen({ path: file });
  } finally {
    process.umask(mask);
  }
  return promise;
}

/** The inode of a file; null if there is none. */
export async function fileNumber(file: string): Promise<number | null> {
  return stat(file).then(
    ({ ino }) => ino,
    () => null,
  );
}

export async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await promise;
}

async function isAlive(file: string): Promise<boolean> {
  const socket = await openSocket(file);
  socket?.destroy();
  return socket !== null;
}

/** Connects to the listener; null if there is none. */
export function openSocket(file: string): Promise<Socket | null> {
  const { promise, resolve } = Promise.withResolvers<Socket | null>();
  const socket = connect({ path: file });
  socket.once("connect", () => {
    socket.removeAllListeners("error");
    resolve(socket);
  });
  socket.once("error", () => resolve(null));
  return promise;
}
