import { openFilesystem } from "../workspace-files.ts";
import { latin1Of } from "./text-encoding.ts";

/** Digests, which the host computes, and random values that are not cryptographically secure (random.ts). */
const host = openFilesystem(String, () => {});

async function digest(algorithm: string | { readonly name: string }, data: Uint8Array): Promise<ArrayBuffer> {
  const name = typeof algorithm === "string" ? algorithm : algorithm.name;
  const hex = host.digest(name.toUpperCase(), latin1Of(new Uint8Array(data)));
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  return bytes.buffer;
}

function getRandomValues(bytes: Uint8Array): Uint8Array {
  for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(Math.random() * 256);
  return bytes;
}

Object.assign(globalThis, { crypto: { subtle: { digest }, getRandomValues } });
