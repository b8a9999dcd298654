import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ephemeral range of systems, so that a free port stays free until it is used. */
const FIRST = 20_000;
const LAST = 32_000;
/** If so many ports in a row are taken, it is no coincidence. */
const ATTEMPTS = 50;

/** A free port of 127.0.0.1 for a program that is started later, possibly several times. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
