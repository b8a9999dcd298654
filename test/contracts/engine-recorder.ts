import type { SessionHandler, TurnContext, Wake } from "../../src/core/engine/engine.ts";
import type { SessionEvent } from "../../src/core/events/session-event.ts";
import { sessionKeyOf, type ThreadRef } from "../../src/core/platform/thread.ts";
import { CancelSignal } from "../../src/core/protocol/signals.ts";
import type { Store } from "../../src/core/store/store.ts";

const AT = 1_800_000_000_000;

/** Resolves to "parked" to park the run; any other result ends it. */
type Work = (wake: Wake, context: TurnContext) => Promise<unknown> | undefined;

/** A session handler that ends runs in the store and records what it has seen. */
export class Recorder {
  readonly wakes: Wake[] = [];
  readonly reasons = new Map<string, unknown>();
  readonly positions = new Map<string, number>();
  readonly #done: string[] = [];
  #parked = 0;
  readonly #queuedRuns = new Map<string, string>();
  #changed = Promise.withResolvers<void>();

  handler(work: Work = () => undefined): SessionHandler {
    return {
      run: async (wake, context) => {
        this.wakes.push(wake);
        this.#notify();
        try {
          if ((await work(wake, context)) === "parked") {
            this.#parked += 1;
            return "parked";
          }
        } catch (error) {
          this.reasons.set(wake.event.key, error);
          if (!(error instanceof CancelSignal)) throw error;
        }
        await context.transaction("end", (tx) => tx.runs.end(wake.runId, { type: "max_turns", turns: 0 }, AT));
        this.#done.push(wake.event.key);
        return "ended";
      },
      queued: (wake, _context, before) => {
        this.positions.set(wake.sessionId, before);
        this.#queuedRuns.set(wake.event.key, wake.runId);
        this.#notify();
        return Promise.resolve();
      },
    };
  }

  keys = (): readonly string[] => this.#done;
  begunKeys = (): string[] => this.wakes.map((wake) => wake.event.key);
  runOf = (key: string): string =>
    this.wakes.find((wake) => wake.event.key === key)?.runId ?? this.#queuedRuns.get(key) ?? "";
  begun = (count: number) => this.#until(() => this.wakes.length >= count);
  queued = (sessionId: string) => this.#until(() => this.positions.has(sessionId));
  /** Resolves once this many runs have ended and other processes can see it. */
  ended = (count: number) => this.#until(() => this.#done.length >= count);
  settled = (count: number) => this.#until(() => this.#parked + this.#done.length >= count);

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) await Promise.race([this.#changed.promise, new Promise((resolve) => setTimeout(resolve, 5))]);
    // After the handler, the engine still writes a little that belongs to the same wake.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function aborted(context: TurnContext): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (context.signal.aborted) reject(context.signal.reason);
    context.signal.addEventListener("abort", () => reject(context.signal.reason));
  });
}

/** A message that is addressed to the agent, which begins a run. */
export function event(key: string): SessionEvent {
  const thread: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" };
  const author = { id: "slack:U1", name: "ana" };
  const where = { thread, messageId: "1", at: AT, addressed: true, joinsThread: false };
  return { key, body: { kind: "message", author, text: "And?", quoted: [], attachments: [], ...where } };
}

export function message(id: string) {
  return { id, role: "user" as const, content: [], createdAt: AT };
}

let sessions = 0;

export async function createSession(store: Store, channel = `C${++sessions}`): Promise<string> {
  sessions += 1;
  const thread: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: channel, threadId: String(sessions) };
  const id = `ses_${sessions}`;
  await store.transaction((tx) =>
    tx.sessions.create({
      id,
      key: sessionKeyOf(thread),
      thread,
      workspaceName: "Acme",
      channel: { name: channel, kind: "channel" },
      agent: "build",
      createdBy: "slack:U1",
      at: AT,
    }),
  );
  return id;
}
