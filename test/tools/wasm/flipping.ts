import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { FileSession } from "../file-session.ts";

/** A directory of the root that another process keeps swapping with a link to the outside. */
export async function flipping(session: FileSession, secret: string): Promise<{ outside: string; stop: () => void }> {
  const outside = path.join(path.dirname(session.root), "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "f.txt"), secret);
  session.put("flip/f.txt", "inside");
  symlinkSync(outside, path.join(session.root, "link"));
  const flipper = fork(fileURLToPath(new URL("./flip.mjs", import.meta.url)), [session.root]);
  await once(flipper, "message");
  return { outside, stop: () => flipper.kill("SIGKILL") };
}

/** Returns whether to keep trying: for at least a second, then until all has been seen, but at most a minute. */
export function trying(): (isAllSeen: boolean) => boolean {
  const begun = performance.now();
  return (isAllSeen) => performance.now() - begun < (isAllSeen ? 1_000 : 60_000);
}
