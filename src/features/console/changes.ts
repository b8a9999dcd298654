import { Buffer, isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import path from "node:path";
import { changesOfRuns, netChanges } from "../../core/history/run-changes.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import type { Store } from "../../core/store/store.ts";
import type { TeamSessions } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { secretKind } from "../../tools/secrets/secret-files.ts";
import { PathResolver, withFile } from "../../tools/wasm/workspace/path-resolver.ts";
import { hashOf, readWhole } from "../../tools/wasm/workspace/read-file.ts";
import { unlessRefused } from "../../tools/wasm/workspace/refusal.ts";
import type { ConsoleScope } from "./scope.ts";
import { consoleReads } from "./store.ts";
import type { Viewer } from "./visibility.ts";

type Change = NonNullable<Awaited<ReturnType<TeamSessions["change"]>>>;

/** Maximum size of a file that is compared line by line, in bytes. */
const SHOWN_BYTES = 262_144;

/** A file's content before a session's first change and after its last; null if unchanged or not for this viewer. */
export async function changeOf(
  viewer: Viewer,
  { sessionId, path: name }: { readonly sessionId: string; readonly path: string },
  { host, visibility }: ConsoleScope,
): Promise<Change | null> {
  const row = await host.store.tables(consoleReads).get(sessionId);
  if (row === null || !(await visibility.sees(viewer, row))) return null;
  const change = await netChange(host.store, sessionId, name);
  if (change === null) return null;
  const { before, after } = change;
  if (before === undefined) return notShown("Its earlier content was not kept.");
  const held = (sha256: string | null) =>
    sha256 === null ? Buffer.alloc(0) : contentOf({ name, sha256, thread: row.thread }, host);
  const [old, now] = [held(before), held(after)];
  if (old === null || now === null) return notShown("It is no longer stored, or somebody else has changed it since.");
  const contents = [old, now];
  const secret = contents.map((content) => secretKind(name, content)).find((kind) => kind !== null);
  if (secret !== undefined) return notShown(`It looks like ${secret}, so it is not shown.`);
  if (contents.some((content) => content.length > SHOWN_BYTES)) return notShown("It is too large to show here.");
  if (!contents.every((content) => isUtf8(content) && !content.includes(0))) return notShown("It is not text.");
  return { before: old.toString("utf8"), after: now.toString("utf8"), notShown: null };
}

function notShown(reason: string): Change {
  return { before: "", after: "", notShown: reason };
}

/** The net change between the first and the last one, including others' changes in between. */
async function netChange(store: Store, sessionId: string, name: string) {
  const runs = (await changesOfRuns(store, sessionId)).toReversed();
  const changes = runs.flatMap(({ files }) => files.filter((file) => file.path === name));
  const states = changes.map(({ path: file, before, after }) => ({
    path: file,
    sha256: after,
    action: "wrote" as const,
    ...(before === undefined ? {} : { before }),
  }));
  return netChanges(states)[0] ?? null;
}

/** A content by its hash, from the snapshots or else from the file itself; no other content is ever returned. */
function contentOf(
  { name, sha256, thread }: { readonly name: string; readonly sha256: string; readonly thread: ThreadRef },
  { snapshots, sandboxRootOf }: Pick<FeatureHost, "snapshots" | "sandboxRootOf">,
): Buffer | null {
  const content =
    unlessRefused(() => readFileSync(path.join(snapshots, path.basename(sha256)))) ??
    presentContent(name, sandboxRootOf(thread));
  return content !== null && hashOf(content) === sha256 ? content : null;
}

function presentContent(name: string, root: string): Buffer | null {
  using resolver = new PathResolver(root);
  return unlessRefused(() => {
    const place = resolver.find(name);
    if (place.stats === null || place.stats.size > SHOWN_BYTES) return null;
    return withFile(place, name, (fd) => readWhole(fd, name, SHOWN_BYTES));
  });
}
