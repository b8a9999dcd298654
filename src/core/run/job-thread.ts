import { z } from "zod";
import type { TakeLock } from "../cluster.ts";
import type { TurnContext, Wake } from "../engine/engine.ts";
import { KeyedMutex } from "../keyed-mutex.ts";
import { AppError } from "../protocol/errors.ts";
import { UNWRITABLE } from "../protocol/failure-kinds.ts";
import type { Log } from "../protocol/log.ts";
import type { OutgoingMessage, PlatformDescriptor, PostedMessage, ThreadRef } from "../protocol/platform.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { jobOf } from "./run-config.ts";
import { toolPostKey } from "./tool-thread.ts";

interface Scope {
  readonly store: Store;
  /** Where the jobs report. */
  readonly platform: PlatformDescriptor;
  readonly context: TurnContext;
  readonly log: Log;
  /** Taken by whoever opens a job's thread: other processes may run its sub-agents. */
  readonly lock: TakeLock;
}

/** What a run posts, and what of it waits for the report. */
export interface RunPosts {
  readonly context: TurnContext;
  /** Posts what was kept for the report's thread, as far as that takes it; nothing where there is none. Safe to repeat. */
  readonly deliverKept: () => Promise<void>;
}

const KEPT = "kept:";
const keptSchema = z.object({
  markdown: z.string(),
  /** `data` is base64. */
  files: z.array(z.object({ name: z.string(), mediaType: z.string(), data: z.string() })),
});

/**
 * Threads of jobs. A job's session begins without one: the first message that people are to see, its report or a card that
 * asks for a decision, is posted in the channel and opens it, and all that follows goes there, or below it where there are
 * no threads. What tools post before waits: files come with the report, not before it.
 */
export class JobThreads {
  /** The last post of each job's session: of two at once the first opens the thread, and the second finds it. */
  readonly #posting = new KeyedMutex();

  postsOf(
    { session, event }: Pick<Wake, "session"> & { readonly event: Pick<Wake["event"], "body"> },
    scope: Scope,
  ): RunPosts {
    const { context } = scope;
    if (jobOf(event.body) === null) return { context, deliverKept: () => Promise.resolve() };
    const rootId = session.task?.root.sessionId ?? session.id;
    const post = (key: string, message: OutgoingMessage, thread?: ThreadRef) => {
      if (thread !== undefined) return context.post(key, message, thread);
      return this.#posting.run(rootId, () => postInJob({ ...scope, rootId }, key, message));
    };
    return {
      context: { ...context, post },
      deliverKept: () => (session.task === undefined ? deliverKept(session, scope) : Promise.resolve()),
    };
  }
}

type PostScope = Scope & { readonly rootId: string };

async function postInJob(posting: PostScope, key: string, message: OutgoingMessage): Promise<PostedMessage> {
  const { context, rootId, lock } = posting;
  const { thread, isOpen } = await threadOf(posting);
  if (isOpen) return context.post(key, message, thread);
  if (key.startsWith(toolPostKey(""))) {
    await keep(context, key, message);
    // It has no id on the platform yet; nobody edits what waits.
    return { platform: thread.platform, channelId: thread.channelId, messageId: "" };
  }
  using held = await lock(`job-thread:${rootId}`, { signal: context.signal, queued: () => {} });
  await held.requireHeld();
  return await postFirst(posting, key, message);
}

/** Nobody else posts for the job meanwhile, and somebody may have done so a moment ago. */
async function postFirst(posting: PostScope, key: string, message: OutgoingMessage): Promise<PostedMessage> {
  const { store, platform, context, rootId } = posting;
  const { thread, isOpen } = await threadOf(posting);
  if (isOpen) return context.post(key, message, thread);
  const isReport = !key.startsWith("approval:");
  const posted = await context.post(key, isReport ? message : await named(posting, message), thread);
  if (platform.hasThreads(thread)) await openThread(store, rootId, { ...thread, threadId: posted.messageId });
  return posted;
}

/** Where the job's session is now; a message that was posted just before a crash opens its thread after all. */
async function threadOf({
  store,
  platform,
  context,
  rootId,
}: PostScope): Promise<{ thread: ThreadRef; isOpen: boolean }> {
  const { thread } = await store.sessions.get(rootId);
  if (!platform.hasThreads(thread)) return { thread, isOpen: await hasSpoken(store, rootId) };
  const first = thread.threadId === null ? await store.posts.firstSent(context.runId) : null;
  if (first === null) return { thread, isOpen: thread.threadId !== null };
  await openThread(store, rootId, { ...thread, threadId: first.messageId });
  return { thread: (await store.sessions.get(rootId)).thread, isOpen: true };
}

function openThread(store: Store, rootId: string, thread: ThreadRef): Promise<boolean> {
  return store.transaction((tx) => tx.sessions.openThread(rootId, thread));
}

/** Whether people have read anything of the job's run that goes on. */
async function hasSpoken(store: Store, rootId: string): Promise<boolean> {
  const run = await store.runs.open(rootId);
  return run !== null && (await store.posts.firstSent(run.id)) !== null;
}

/** In the channel a card must say which job it is about. */
async function named({ store, platform, rootId }: PostScope, message: OutgoingMessage): Promise<OutgoingMessage> {
  const name = await store.occurrences.jobNameOf(rootId);
  const markdown =
    name === null ? message.markdown : `**${name}** needs a decision before it goes on.\n${message.markdown}`;
  const length = markdown.length + (message.footer?.length ?? 0);
  return length <= platform.limits.messageChars ? { ...message, markdown } : message;
}

async function keep(context: TurnContext, key: string, message: OutgoingMessage): Promise<void> {
  const files = message.files.map((file) => ({ ...file, data: Buffer.from(file.data).toString("base64") }));
  const kept: z.infer<typeof keptSchema> = { markdown: message.markdown, files };
  await context.transaction(`${KEPT}${key}`, () => Promise.resolve(kept));
}

async function deliverKept(session: SessionRow, { store, platform, context, log }: Scope): Promise<void> {
  const { thread } = await store.sessions.get(session.id);
  const isOpen = platform.hasThreads(thread) ? thread.threadId !== null : await hasSpoken(store, session.id);
  if (!isOpen) return;
  const { ofRun } = await store.children.family(session.id, context.runId);
  for (const runId of ofRun.runIds) {
    for (const key of await store.journal.keysOf(runId, KEPT)) {
      const { value } = await store.journal.get(runId, key);
      const { markdown, files } = keptSchema.parse(value);
      const message: OutgoingMessage = {
        lane: "answer",
        markdown,
        tone: "plain",
        buttons: [],
        files: files.map((file) => ({ ...file, data: new Uint8Array(Buffer.from(file.data, "base64")) })),
      };
      try {
        await context.post(runId === context.runId ? key : `${key}:${runId}`, message, thread);
      } catch (error) {
        // The run would stay open for ever for what the platform never takes.
        if (!(error instanceof AppError && (UNWRITABLE.has(error.code) || error.code === "defect"))) throw error;
        log.error({ err: error, runId, key }, "kept_not_posted");
      }
    }
  }
}
