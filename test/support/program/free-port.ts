import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to whoever asks for any: what has been free stays so until it is listened on. */
const FIRST = 20_000;
const LAST = 32_000;
/** That so many ports are taken one after the other is no chance. */
const ATTEMPTS = 50;

/** A port of 127.0.0.1 for a program that is started later, perhaps again and again. */
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
