import { unlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { systemCode } from "../../core/protocol/system-code.ts";
import { notListening, TAKEN, TOO_LONG } from "./errors.ts";
import { CONNECTIONS, SOCKET_PATH_BYTES } from "./limits.ts";

/** Where the program of a home listens for terminals. */
export function socketPath(home: string): string {
  return path.join(home, "chat.sock");
}

export type ListenResult =
  | { readonly type: "listening"; readonly server: Server }
  | { readonly type: "not"; readonly why: string };

/** For the owner alone. A socket that a dead process has left is put out of the way; one that somebody listens at is left alone. */
export async function listenAt(file: string, connected: (socket: Socket) => void): Promise<ListenResult> {
  if (Buffer.byteLength(file) > SOCKET_PATH_BYTES) return { type: "not", why: notListening(file, TOO_LONG) };
  const first = await tryListen(file, connected);
  if (typeof first !== "string") return { type: "listening", server: first };
  if (first !== "EADDRINUSE") return { type: "not", why: notListening(file, first) };
  if (await isAlive(file)) return { type: "not", why: notListening(file, TAKEN) };
  await unlink(file).catch(() => {}); // What is in the way is told by the next try.
  const second = await tryListen(file, connected);
  return typeof second === "string"
    ? { type: "not", why: notListening(file, second) }
    : { type: "listening", server: second };
}

/** The server, or the code of what went wrong. */
function tryListen(file: string, connected: (socket: Socket) => void): Promise<Server | string> {
  const server = createServer(connected);
  server.maxConnections = CONNECTIONS;
  const { promise, resolve } = Promise.withResolvers<Server | string>();
  server.once("error", (error) => resolve(systemCode(error) ?? error.message));
  server.once("listening", () => resolve(server));
  // The socket's mode is what the mask leaves when it is bound, which `listen` does before it returns.
  const mask = process.umask(0o177);
  try {
    server.listen({ path: file });
  } finally {
    process.umask(mask);
  }
  return promise;
}

async function isAlive(file: string): Promise<boolean> {
  const socket = await openSocket(file);
  socket?.destroy();
  return socket !== null;
}

/** A connection to whoever listens there; null when nobody does. */
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
