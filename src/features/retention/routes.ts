import { z } from "zod";
import { cancelledByPerson } from "../../core/protocol/cancel-cause.ts";
import { type FeatureRequest, type FeatureRoute, getRoute, postRoute, type SessionToDelete } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { type Deleted, type DeletionScope, deleteSessions, memorySourcesOf } from "./delete-sessions.ts";
import { memoryDeletion } from "./memories/store.ts";
import { deletionReads } from "./store.ts";

type Host = DeletionScope & Pick<FeatureHost, "engine" | "audit" | "showsSession">;

const idSchema = z.string().regex(/^ses_\w{1,100}$/u);
const deleteSchema = z.strictObject({ id: idSchema, stop: z.boolean().default(false) });

/** How long to wait for stopped runs to end, and how often to check, in milliseconds. */
const STOPPING = { mostMs: 10_000, everyMs: 100 };

const NONE = { status: 404, body: { error: "There is no such session here." } };
const NOT_YOURS = {
  status: 403,
  body: { error: "Others have written in this session, too, so only an admin can delete it." },
};
const LIVE = { status: 409, body: { error: "A run of this session is in progress. Stop it first." } };

/** Routes for deleting on the page: what would be deleted, and the deletion. */
export function retentionRoutes(host: Host, signal: AbortSignal): readonly FeatureRoute[] {
  return [
    getRoute("/session", async (request) => {
      const id = idSchema.safeParse(request.query.get("id"));
      if (!id.success || !(await host.showsSession(request.viewer, id.data))) return NONE;
      return { status: 200, body: await deletionPreview(request, id.data, host) };
    }),
    postRoute("/delete", (request) => deleteFor(request, host, signal)),
  ];
}

async function deletionPreview(request: FeatureRequest, id: string, host: Host): Promise<SessionToDelete> {
  const { store, runtime } = host;
  const reads = store.tables(deletionReads);
  const family = await reads.family([id]);
  const [isLive, messages, runIds, places] = await Promise.all([
    reads.isLive(family, runtime.clock.now()),
    reads.countMessages(family),
    reads.runIdsOf(family),
    memorySourcesOf([id], host),
  ]);
  const memories = await store.tables(memoryDeletion).count(runIds, places);
  const mayDelete = await isAllowed(request, id, host);
  return { mayDelete, isLive, messages, agents: family.length - 1, memories };
}

/**
 * Whether the viewer may delete the session: admins may, and whoever is the only one who has written there, since
 * nobody may take a shared session from the others.
 */
async function isAllowed({ viewer, role }: FeatureRequest, id: string, { store }: Host): Promise<boolean> {
  if (role === "admin" || viewer.kind === "operator") return true;
  if (role === "viewer") return false;
  const { person } = viewer.account;
  const own = [person.id, ...person.roles];
  const [session, authors] = await Promise.all([store.sessions.get(id), store.messages.authorsOf(id)]);
  return [...session.people, ...authors.map((author) => author.id)].every((one) => own.includes(one));
}

async function deleteFor(request: FeatureRequest, host: Host, signal: AbortSignal): ReturnType<FeatureRoute["handle"]> {
  const { viewer, body, by } = request;
  const asked = deleteSchema.safeParse(body);
  if (!asked.success || !(await host.showsSession(viewer, asked.data.id))) return NONE;
  const { id, stop } = asked.data;
  if (!(await isAllowed(request, id, host))) return NOT_YOURS;
  if (stop) await stopRuns({ id, by }, host, signal);
  const outcome: Deleted = (await deleteSessions({ why: "session", roots: [id] }, host, signal)).get(id) ?? "missing";
  if (outcome !== "deleted") return outcome === "live" ? LIVE : NONE;
  await host.audit({ by, act: "session.deleted", about: id });
  return { status: 200, body: {} };
}

/** Stops the session's runs, including sub-agents'; resolves when they have ended or after a time limit. */
async function stopRuns(
  { id, by }: { readonly id: string; readonly by: string },
  host: Host,
  signal: AbortSignal,
): Promise<void> {
  const { store, engine, runtime } = host;
  const reads = store.tables(deletionReads);
  const stopped = new Set<string>();
  const until = runtime.clock.now() + STOPPING.mostMs;
  for (;;) {
    const family = await reads.family([id]);
    if (runtime.clock.now() >= until || !(await reads.isLive(family, runtime.clock.now()))) return;
    // Messages that waited for a stopped run begin another one.
    for (const run of (await reads.openRuns(family)).filter((one) => !stopped.has(one.id))) {
      stopped.add(run.id);
      await engine.cancel(run.sessionId, run.id, cancelledByPerson({ name: by }));
    }
    await runtime.clock.sleep(STOPPING.everyMs, signal);
  }
}
