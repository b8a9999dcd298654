import { readFile } from "node:fs/promises";
import { Socket } from "node:net";

/**
 * After this long without a byte either way, the socket is checked for unacknowledged data, and checked again after as
 * long. Milliseconds.
 */
const SILENT_MS = 8_000;

/**
 * Options for pg, so that a connection ends when the machine at the other end, such as a pooler's, has vanished without
 * a word. Keep-alive covers the wait for an answer. Unacknowledged requests, for which the system allows a quarter of
 * an hour, are covered by the socket's own check.
 */
export const NOTICES_VANISHED = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  stream: () => watchedSocket(SILENT_MS),
};

/**
 * A socket that ends only if the other machine acknowledges nothing; a statement may be silent for as long as it takes.
 * So that data in transit for a moment ends nothing, two checks must find no byte read or written in between.
 */
export function watchedSocket(silentMs: number): Socket {
  const socket = new Socket();
  const moved = () => socket.bytesRead + socket.bytesWritten;
  let movedBefore = -1;
  const look = async () => {
    const movedNow = moved();
    const isLost = movedNow === movedBefore && (await isUnacknowledged(socket)) && moved() === movedNow;
    movedBefore = movedNow;
    if (isLost) socket.destroy(new Error("the other end acknowledges nothing"));
    else socket.setTimeout(silentMs);
  };
  socket.setTimeout(silentMs);
  socket.on("timeout", () => {
    look().catch(() => socket.destroy()); // The state can no longer be determined.
  });
  return socket;
}

/** The system's tables of TCP connections. Source: proc(5), /proc/net/tcp. */
const LISTS = ["/proc/net/tcp", "/proc/net/tcp6"];

/** An established connection: both ports and the number of sent bytes not yet acknowledged, in hexadecimal. */
const ESTABLISHED = /^ *\d+: \w+:(?<local>\w{4}) \w+:(?<remote>\w{4}) 01 (?<sent>\w{8}):/u;

/** Whether sent bytes await acknowledgement. False if unknown, as for Unix sockets and outside Linux. */
async function isUnacknowledged({ localPort, remotePort }: Socket): Promise<boolean> {
  for (const list of LISTS) {
    const lines = (await readFile(list, "latin1").catch(() => "")).split("\n");
    for (const line of lines) {
      const { local = "", remote = "", sent = "" } = ESTABLISHED.exec(line)?.groups ?? {};
      if (Number.parseInt(local, 16) !== localPort || Number.parseInt(remote, 16) !== remotePort) continue;
      return Number.parseInt(sent, 16) > 0;
    }
  }
  return false;
}
