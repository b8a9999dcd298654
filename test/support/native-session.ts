import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { EmbeddedEngine } from "../../src/core/embedded-engine/embedded-engine.ts";
import { MessageFinaliser } from "../../src/core/people/message-finaliser.ts";
import type { ApprovalRules } from "../../src/core/permissions/deciders.ts";
import type { ThreadMessage } from "../../src/core/platform/chat-platform.ts";
import type { Attachment, InboundAction, InboundMessage } from "../../src/core/platform/inbound.ts";
import type { OutgoingMessage, PostedMessage } from "../../src/core/platform/outgoing.ts";
import type { Person, ThreadRef } from "../../src/core/platform/thread.ts";
import { PlatformError } from "../../src/core/protocol/errors.ts";
import type { PlanStep } from "../../src/core/protocol/plan.ts";
import type { Runtime } from "../../src/core/protocol/runtime.ts";
import type { ToolResult } from "../../src/core/protocol/tool-result.ts";
import { toolPostKey } from "../../src/core/run/tool-thread.ts";
import type { SessionRow } from "../../src/core/store/sessions.ts";
import type { Store } from "../../src/core/store/store.ts";
import type { Tool, ToolContext, ToolThread } from "../../src/core/tool.ts";
import { emptyStore } from "./database/emptied-databases.ts";
import { ManualClock } from "./manual-clock.ts";
import { removeDirectory } from "./remove-directory.ts";
import { countingIds, seededRandom } from "./runtime.ts";
import { silentLog } from "./silent-log.ts";
import { toolContext } from "./tool-context.ts";

export const THREAD: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" };
export const ANA = person("slack:U1", "ana");
export const BEN = person("slack:U2", "ben");
/** Listed in `approvers`. */
export const CHIEF = person("slack:U9", "chief");
const RULES: ApprovalRules = { approvers: [CHIEF.id], requester: true, expiresMinutes: 60, admins: [] };

function person(id: string, name: string): Person {
  return { id, name, roles: [], isBot: false, isGuest: false, isExternal: false };
}

/** A session in a real store with a run begun by ana's message, and an engine that records deliveries. */
export interface NativeSession {
  readonly store: Store;
  readonly engine: EmbeddedEngine;
  readonly clock: ManualClock;
  readonly session: SessionRow;
  readonly thread: RecordingThread;
  /** Finalises the thread's posts. */
  readonly finaliser: MessageFinaliser;
  readonly ctx: ToolContext;
  /** What calls said they are waiting for. */
  readonly waits: string[];
  /** Plans as shown to people. */
  readonly plans: (readonly PlanStep[])[];
  /** Dependencies of answering and clicking. */
  readonly options: {
    store: Store;
    engine: EmbeddedEngine;
    runtime: Runtime;
    approvals: ApprovalRules;
    deliver: () => Promise<unknown>;
  };
  readonly deps: {
    store: Store;
    engine: EmbeddedEngine;
    clock: ManualClock;
    log: typeof silentLog;
    approvals: ApprovalRules;
  };
  /** Calls a tool once, as each wake does. */
  readonly callTool: (tool: Tool, input: object, more?: Partial<ToolContext>) => Promise<ToolResult | null>;
  /** True if something has arrived for which the parked run continues. */
  readonly isWoken: () => Promise<boolean>;
}

export async function nativeSession(): Promise<NativeSession> {
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-native-"));
  const clock = new ManualClock();
  const runtime = { clock, ids: countingIds(), random: seededRandom(1) };
  const store = await emptyStore();
  const thread = new RecordingThread(store);
  const { signal } = new AbortController();
  const finaliser = new MessageFinaliser({ store, clock, log: silentLog, platform: () => thread, signal });
  thread.closeBy(finaliser);
  const engine = new EmbeddedEngine({ store, runtime, log: silentLog, maxConcurrentRuns: 1, target: () => NO_TARGET });
  onTestFinished(async () => {
    await engine.stop(0);
    await removeDirectory(directory);
  });
  const session = await openSession(store, clock.now());
  const waits: string[] = [];
  const plans: (readonly PlanStep[])[] = [];
  const sandboxRoot = path.join(directory, "root");
  mkdirSync(sandboxRoot);
  const ctx = toolContext({
    sessionId: "ses_1",
    runId: "run_1",
    callId: "call_1",
    sandboxRoot,
    thread,
    waits: (what) => waits.push(what),
    showPlan: (steps) => plans.push(steps),
  });
  const deps = { store, engine, clock, log: silentLog, approvals: RULES };
  return {
    store,
    engine,
    clock,
    session,
    thread,
    finaliser,
    ctx,
    waits,
    plans,
    deps,
    options: { store, engine, runtime, approvals: RULES, deliver: () => Promise.resolve() },
    callTool: (tool, input, more = {}) => {
      const call = tool.resume?.bind(tool) ?? tool.execute.bind(tool);
      return call(tool.input.parse(input), { ...ctx, ...more }, new AbortController().signal);
    },
    isWoken: async () => (await store.inbox.waiting(session.id, clock.now())).some(({ resumes }) => resumes),
  };
}

const NO_TARGET = {
  find: () => Promise.resolve(null),
  post: () => Promise.reject(new PlatformError("platform_failed", "")),
};

async function openSession(store: Store, at: number): Promise<SessionRow> {
  const began = message("ask me something");
  return store.transaction(async (tx) => {
    const session = await tx.sessions.create({
      id: "ses_1",
      key: "slack:T1:C1:1",
      thread: THREAD,
      workspaceName: "Acme",
      channel: { name: "ops", kind: "channel" },
      agent: "build",
      createdBy: ANA.id,
      at,
    });
    const { text, quoted, attachments, thread, messageId } = began;
    const author = { id: ANA.id, name: ANA.name };
    const rest = { quoted: [...quoted], attachments: [...attachments], thread, messageId, at, addressed: true };
    const body = { kind: "message", author, text, ...rest, joinsThread: false } as const;
    const event = { key: began.key, body };
    const { seq } = await tx.inbox.insert({ sessionId: "ses_1", event, wakes: true, resumes: false, dueAt: at, at });
    await tx.runs.begin({ id: "run_1", sessionId: "ses_1", eventSeq: seq, at });
    await tx.inbox.take([seq], "run_1");
    return session;
  });
}

let messages = 0;

/** A message in the session's thread; by default from ana and addressed to the bot. */
export function message(text: string, more: Partial<InboundMessage> = {}): InboundMessage {
  messages += 1;
  return {
    kind: "message",
    key: `slack:T1:C1:m${messages}`,
    workspace: { id: "T1", name: "Acme" },
    channel: { id: "C1", name: "ops", kind: "channel" },
    thread: THREAD,
    person: ANA,
    at: 1_800_000_000_000,
    text,
    addressed: "none",
    opensThread: false,
    attachments: [],
    quoted: [],
    messageId: `m${messages}`,
    ...more,
  };
}

/** A click on the button with this id. */
export function click(action: string, by: Person = ANA): InboundAction {
  const { workspace, channel, thread, at, messageId } = message("");
  return { kind: "action", key: `slack:action:C1:${messageId}`, action, workspace, channel, thread, person: by, at };
}

/** Records posts and edits; each key is posted once. Posts are stored as the session's own. */
export class RecordingThread implements ToolThread {
  readonly limits = { messageChars: 2_000, editChars: 2_000, attachmentBytes: 1_000 };
  readonly posts = new Map<string, OutgoingMessage>();
  readonly edits: OutgoingMessage[] = [];
  history: ThreadMessage[] = [];
  /** File contents by attachment reference. */
  readonly files = new Map<string, Uint8Array>();
  /** Error thrown by the next post. */
  failure: Error | null = null;
  /** Error thrown when such messages are posted. */
  refuses: (outgoing: OutgoingMessage) => Error | null = () => null;
  /** Error thrown by edits. */
  editFailure: Error | null = null;
  readonly #store: Store;
  #finaliser: MessageFinaliser | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  closeBy(finaliser: MessageFinaliser): void {
    this.#finaliser = finaliser;
  }

  async post(key: string, outgoing: OutgoingMessage): Promise<PostedMessage> {
    const failure = this.failure ?? this.refuses(outgoing);
    if (failure !== null) throw failure;
    const posted: PostedMessage = { platform: "slack", channelId: "C1", messageId: key };
    if (this.posts.has(key)) return posted;
    this.posts.set(key, outgoing);
    const stored = `run_1:${toolPostKey(key)}`;
    await this.#store.transaction(async (tx) => {
      await tx.posts.intend({ key: stored, runId: "run_1", sessionId: "ses_1", at: 0 });
      await tx.posts.sent(stored, posted, 0);
    });
    return posted;
  }

  find(): Promise<null> {
    return Promise.resolve(null);
  }

  /** If edits succeed, the message has been edited when this resolves. */
  async close(key: string, last: OutgoingMessage): Promise<void> {
    const message = { key: `run_1:${toolPostKey(key)}`, thread: THREAD, last };
    const isFirst = await this.#finaliser?.close("run_1", toolPostKey(key), message);
    if (isFirst === true && this.editFailure === null) await this.#finaliser?.finalise(message);
  }

  edit(_posted: PostedMessage, outgoing: OutgoingMessage): Promise<void> {
    if (this.editFailure !== null) return Promise.reject(this.editFailure);
    this.edits.push(outgoing);
    return Promise.resolve();
  }

  fetchFile({ ref }: Attachment): Promise<Uint8Array> {
    const data = this.files.get(ref);
    return data === undefined
      ? Promise.reject(new PlatformError("attachment_unreadable", "gone"))
      : Promise.resolve(data);
  }

  fetch(from: "thread" | "channel", limit: number): Promise<readonly ThreadMessage[]> {
    return Promise.resolve(from === "thread" ? this.history.slice(-limit) : []);
  }
}
