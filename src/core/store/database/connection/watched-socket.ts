import { readFile } from "node:fs/promises";
import { Socket } from "node:net";

/** After so long without a byte either way it is looked whether the other end is there, and again after as long. Milliseconds. */
const SILENT_MS = 8_000;

/**
 * What pg is told of each connection, so that it ends where the machine at the other end, a pooler's for one, has vanished
 * without a word: while an answer is waited for by the system's own questions, and where that machine has not even
 * acknowledged what was asked, for which the system gives it a quarter of an hour, by a look at what is on its way.
 */
export const NOTICES_VANISHED = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  stream: () => watchedSocket(SILENT_MS),
};

/**
 * A statement may be silent for as long as it takes: only a machine that acknowledges nothing ends the connection. So it
 * is looked twice, and nothing may have been read or written since; what is on its way for a moment ends nothing.
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
    look().catch(() => socket.destroy()); // nobody can tell any more
  });
  return socket;
}

/** The system's lists of connections. Source: proc(5), /proc/net/tcp. */
const LISTS = ["/proc/net/tcp", "/proc/net/tcp6"];

/** An established connection: both ports and, of what was sent, the bytes that are not acknowledged; hexadecimal. */
const ESTABLISHED = /^ *\d+: \w+:(?<local>\w{4}) \w+:(?<remote>\w{4}) 01 (?<sent>\w{8}):/u;

/** False where nobody can tell: on other systems than Linux, and where no machine lies between. */
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
