import type { PacedPlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import type { ChatPlatform } from "../../../src/core/platform/chat-platform.ts";
import type { PlatformLimits } from "../../../src/core/platform/descriptor.ts";
import type { OutgoingMessage, PostedMessage } from "../../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import type { RunViewOptions } from "../../../src/core/progress/run-view.ts";
import type { AppError } from "../../../src/core/protocol/errors.ts";
import type { Log } from "../../../src/core/protocol/log.ts";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import { aPlatform } from "../../support/talk/a-platform.ts";

export const LIMITS: PlatformLimits = {
  messageChars: 400,
  editChars: 300,
  footerChars: 100,
  postsPerChannel: { burst: 2, everyMs: 1_000 },
  editsPerWorkspace: { burst: 3, everyMs: 1_200 },
  answerParts: 3,
  attachmentBytes: 1_000,
};

export interface Request {
  readonly kind: "post" | "edit" | "react" | "upload" | "postEphemeral";
  readonly at: number;
  /** Id of the channel, the message or the person. */
  readonly where: string;
  readonly text: string;
  readonly message: OutgoingMessage | null;
}

export interface MemoryPlatform extends ChatPlatform {
  /** Requests that succeeded, in order. */
  readonly requests: Request[];
  /** Current messages, by id. */
  readonly messages: Map<string, OutgoingMessage>;
  /** Makes the next request of this kind fail with this error. */
  failNext(kind: Request["kind"], error: AppError): void;
  /** Holds requests of this kind back until the returned function is called. */
  hold(kind: Request["kind"]): () => void;
}

/** Makes the function that edits a run's live message into its last state; it tries once. */
export function finaliserOf(platform: Pick<ChatPlatform, "find" | "edit">, thread: ThreadRef, key: string) {
  return async (last: OutgoingMessage): Promise<boolean> => {
    const live = await platform.find(thread, key, 0);
    if (live === null) return false;
    return platform.edit(live, last).then(
      () => true,
      () => false,
    );
  };
}

/** Options of a view for a run that has just begun, overridden by those given. */
export function runIn(platform: PacedPlatform, given: Partial<RunViewOptions> = {}): RunViewOptions {
  return {
    runId: "run_1",
    sessionId: "ses_1",
    toolsBefore: 0,
    noticesBefore: [],
    tasks: [],
    thread: THREAD,
    agentName: "build",
    startedAt: 0,
    isLive: false,
    closes: () => Promise.resolve(),
    finalise: finaliserOf(platform, THREAD, "run_1:live"),
    repeatFinal: () => Promise.resolve(),
    triggerMessageId: null,
    askedBy: null,
    post: (key, message) => platform.post(THREAD, message, `run_1:${key}`),
    ...given,
  };
}

/** A platform in memory on the test's clock: enough to check what is drawn, when and how often. */
export function memoryPlatform(clock: Clock): MemoryPlatform {
  const requests: Request[] = [];
  const messages = new Map<string, OutgoingMessage>();
  const byKey = new Map<string, PostedMessage>();
  const failures: { kind: Request["kind"]; error: AppError }[] = [];
  const held = new Map<Request["kind"], Promise<void>>();

  const request = async (kind: Request["kind"], where: string, message: OutgoingMessage | string) => {
    const index = failures.findIndex((failure) => failure.kind === kind);
    const [failure] = index === -1 ? [] : failures.splice(index, 1);
    if (failure !== undefined) throw failure.error;
    const [text, sent] = typeof message === "string" ? [message, null] : [message.markdown, message];
    requests.push({ kind, at: clock.now(), where, text, message: sent });
    await held.get(kind);
  };
  const posted = (thread: ThreadRef, key: string): PostedMessage => {
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const fresh = { platform: "slack", channelId: thread.channelId, messageId: `m${byKey.size}` } as const;
    byKey.set(key, fresh);
    return fresh;
  };

  return {
    descriptor: aPlatform({ limits: LIMITS }),
    requests,
    messages,
    failNext: (kind, error) => failures.push({ kind, error }),
    hold(kind) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(kind, promise);
      return () => {
        held.delete(kind);
        resolve();
      };
    },
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    health: () => ({ connected: true, detail: "connected" }),
    async post(thread, message, key) {
      await request("post", thread.channelId, message);
      const handle = posted(thread, key);
      messages.set(handle.messageId, message);
      return handle;
    },
    find: (_thread, key) => Promise.resolve(byKey.get(key) ?? null),
    async edit({ messageId }, message) {
      await request("edit", messageId, message);
      messages.set(messageId, message);
    },
    react: (_thread, messageId, sign) => request("react", messageId, sign),
    async upload(thread, file, key) {
      await request("upload", thread.channelId, file.name);
      return posted(thread, key);
    },
    postEphemeral: (_thread, personId, message) => request("postEphemeral", personId, message),
    fetchFile: () => Promise.resolve(new Uint8Array()),
    fetchThread: () => Promise.resolve([]),
    missed: () => Promise.resolve([]),
  };
}

export const THREAD: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1.0" };

/** A log that keeps its lines. */
export function memoryLog(): Log & { readonly lines: { level: string; event: string; fields: object }[] } {
  const lines: { level: string; event: string; fields: object }[] = [];
  const line = (level: string) => (fields: object, event: string) => {
    lines.push({ level, event, fields });
  };
  const log = { lines, debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
  return { ...log, child: () => ({ ...log, child: () => memoryLog() }) };
}

export function said(markdown: string, lane: OutgoingMessage["lane"] = "answer"): OutgoingMessage {
  return { lane, markdown, tone: "plain", buttons: [], files: [] };
}
