import { z } from "zod";
import type { TakeLock } from "../cluster.ts";
import type { TurnContext, Wake } from "../engine/engine.ts";
import { KeyedMutex } from "../keyed-mutex.ts";
import { postAccepted } from "../people/interaction.ts";
import type { PlatformDescriptor } from "../platform/descriptor.ts";
import type { OutgoingMessage, PostedMessage } from "../platform/outgoing.ts";
import { answerMessage } from "../platform/replies.ts";
import type { ThreadRef } from "../platform/thread.ts";
import { UNWRITABLE_THREAD_ERRORS } from "../protocol/error-groups.ts";
import { AppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { cut } from "../text/plain-text.ts";
import { jobOf } from "./run-config.ts";
import { toolPostKey } from "./tool-thread.ts";

interface Scope {
  readonly store: Store;
  /** The platform on which the job reports. */
  readonly platform: PlatformDescriptor;
  readonly context: TurnContext;
  readonly log: Log;
  /** Held while opening a job's thread, because its sub-agents may run in other processes. */
  readonly lock: TakeLock;
}

/** Where a run posts. Posts that tools make before the thread exists are kept until the report. */
export interface RunPosts {
  readonly context: TurnContext;
  /** Posts the kept messages once the job's thread is open; does nothing before that. Safe to repeat. */
  readonly deliverKept: () => Promise<void>;
}

const KEPT = "kept:";
const keptSchema = z.object({
  markdown: z.string(),
  /** `data` is base64. */
  files: z.array(z.object({ name: z.string(), mediaType: z.string(), data: z.string() })),
});

/**
 * Threads of jobs. A job's session begins without a thread. Its first visible message, either its report or an approval
 * card, is posted in the channel and opens the thread. Later posts go there, or below it in the channel if the platform
 * has no threads. What tools post before that is kept, so that files arrive with the report and not before it.
 */
export class JobThreads {
  /**
   * Serialises the posts of each job's sessions: of two concurrent posts, the first opens the thread and the second
   * finds it.
   */
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
    // Nobody edits a kept message, so the missing platform id does not matter.
    return { platform: thread.platform, channelId: thread.channelId, messageId: "" };
  }
  using held = await lock(`job-thread:${rootId}`, { signal: context.signal, queued: () => {} });
  await held.requireHeld();
  return await postFirst(posting, key, message);
}

/**
 * Posts the first message of a job while holding its lock. Checks the thread again, since another process may have just
 * opened it.
 */
async function postFirst(posting: PostScope, key: string, message: OutgoingMessage): Promise<PostedMessage> {
  const { store, platform, context, rootId } = posting;
  const { thread, isOpen } = await threadOf(posting);
  if (isOpen) return context.post(key, message, thread);
  const isReport = !key.startsWith("approval:");
  const posted = await context.post(key, isReport ? message : await named(posting, message), thread);
  if (platform.hasThreads(thread)) await openThread(store, rootId, { ...thread, threadId: posted.messageId });
  return posted;
}

/**
 * The current thread of the job's session. If a crash hit between the first post and opening its thread, opens it now.
 */
async function threadOf(posting: PostScope): Promise<{ thread: ThreadRef; isOpen: boolean }> {
  const { store, platform, context, rootId } = posting;
  const { thread } = await store.sessions.get(rootId);
  if (!platform.hasThreads(thread)) return { thread, isOpen: await hasPosted(store, rootId) };
  const first = thread.threadId === null ? await store.posts.firstSent(context.runId) : null;
  if (first === null) return { thread, isOpen: thread.threadId !== null };
  await openThread(store, rootId, { ...thread, threadId: first.messageId });
  return { thread: (await store.sessions.get(rootId)).thread, isOpen: true };
}

function openThread(store: Store, rootId: string, thread: ThreadRef): Promise<boolean> {
  return store.transaction((tx) => tx.sessions.openThread(rootId, thread));
}

/** Whether the job's open run has already posted something. */
async function hasPosted(store: Store, rootId: string): Promise<boolean> {
  const run = await store.runs.open(rootId);
  return run !== null && (await store.posts.firstSent(run.id)) !== null;
}

/** In the channel, a card must say which job it is about. */
async function named({ store, platform, rootId }: PostScope, message: OutgoingMessage): Promise<OutgoingMessage> {
  const name = await store.occurrences.jobNameOf(rootId);
  const markdown =
    name === null ? message.markdown : `**${name}** needs a decision before it can continue.\n${message.markdown}`;
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
  const isOpen = platform.hasThreads(thread) ? thread.threadId !== null : await hasPosted(store, session.id);
  if (!isOpen) return;
  const { ofRun } = await store.children.family(session.id, context.runId);
  for (const runId of ofRun.runIds) {
    for (const key of await store.journal.keysOf(runId, KEPT)) {
      const { value } = await store.journal.get(runId, key);
      const { markdown, files } = keptSchema.parse(value);
      const message = answerMessage(
        markdown,
        files.map((file) => ({ ...file, data: new Uint8Array(Buffer.from(file.data, "base64")) })),
      );
      const keptKey = runId === context.runId ? key : `${key}:${runId}`;
      const withoutFiles = (missing: string): OutgoingMessage => {
        const words = cut(markdown, platform.limits.messageChars - missing.length - 2);
        return { ...message, markdown: `${words}\n\n${missing}`, files: [] };
      };
      try {
        const refused = await postAccepted(
          (form) => context.post(keptKey, form, thread),
          [() => message],
          withoutFiles,
        );
        if (refused !== null) throw refused;
      } catch (error) {
        // If the platform never accepts the message, rethrowing would keep the run open forever.
        if (!(error instanceof AppError && (UNWRITABLE_THREAD_ERRORS.has(error.code) || error.code === "defect")))
          throw error;
        log.error({ err: error, runId, key }, "kept_not_posted");
      }
    }
  }
}
