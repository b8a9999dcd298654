import type { Runtime } from "../protocol/runtime.ts";
import type { Store, StoreTransaction } from "./store.ts";

/** Thrown to roll the transaction back. */
class Over extends Error {}

/**
 * Does to the store what a person's first message does, up to the model's answer, and rolls it back. Prisma plans each
 * shape of query when it first sees it, with code that is also compiled then. Otherwise the first message would wait a
 * quarter of a second for that.
 */
export async function prewarmStore(store: Store, runtime: Pick<Runtime, "clock" | "ids">): Promise<void> {
  try {
    await store.transaction(async (tx) => {
      await firstMessage(tx, runtime);
      throw new Over();
    });
  } catch (error) {
    if (!(error instanceof Over)) throw error;
  }
}

async function firstMessage(tx: StoreTransaction, { clock, ids }: Pick<Runtime, "clock" | "ids">): Promise<void> {
  const at = clock.now();
  const sessionId = ids.next("ses");
  const runId = ids.next("run");
  const key = `pre-warming:${sessionId}`;
  const person = { id: key, name: "pre-warming" };
  const thread = { platform: "prewarming", workspaceId: key, channelId: key, threadId: key } as const;

  await tx.sessions.byKey(key);
  await tx.posts.get(key);
  const session = await tx.sessions.create({
    id: sessionId,
    key,
    thread,
    workspaceName: key,
    channel: { name: key, kind: "channel" },
    agent: "build",
    createdBy: person.id,
    at,
  });
  const message = { text: key, quoted: [], attachments: [], thread, messageId: key, at };
  const body = { kind: "message" as const, author: person, ...message, addressed: true, joinsThread: false };
  await tx.inbox.has(key);
  const event = await tx.inbox.insert({ sessionId, event: { key, body }, wakes: true, resumes: false, dueAt: at, at });

  await tx.sessions.get(session.id);
  await tx.runs.open(sessionId);
  await tx.inbox.nextWaking(sessionId, at);
  const { epoch } = await tx.sessions.raiseEpoch(sessionId);
  await tx.inbox.take([event.seq], runId);
  await tx.runs.begin({ id: runId, sessionId, eventSeq: event.seq, at });
  await tx.runs.get(runId);

  await tx.journal.get(runId, key);
  await tx.sessions.fence(sessionId, epoch, at);
  await tx.journal.put(runId, key, { value: null, at });
  await tx.inbox.waiting(sessionId, at);
  const content = [{ type: "text" as const, text: key }];
  await tx.messages.append(sessionId, runId, { id: key, role: "user", content, createdAt: at });
  await loaded(tx, { sessionId, runId });
}

/** Reads what a run loads of its session when it begins. */
async function loaded(tx: StoreTransaction, { sessionId, runId }: Record<"sessionId" | "runId", string>) {
  await tx.messages.list(sessionId);
  await tx.toolCalls.ofRun(runId);
  await tx.usage.ofRun(runId);
  await tx.toolCalls.filesBefore(sessionId, runId);
  await tx.compactions.newestOf(sessionId);
  await tx.usage.newestTurn(sessionId);
  await tx.plans.of(sessionId);
  await tx.runs.since(sessionId, 0);
}
