import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type SessionEngine, type SessionHandler, type TurnContext, type Wake } from "../../src/core/engine/engine.ts";
import type { PostTarget } from "../../src/core/engine/post-once.ts";
import type { OutgoingMessage, PostedMessage } from "../../src/core/platform/outgoing.ts";
import { PlatformError } from "../../src/core/protocol/errors.ts";
import { CancelSignal, SuspendSignal } from "../../src/core/protocol/signals.ts";
import type { Store } from "../../src/core/store/store.ts";
import { aborted, createSession, event, message, Recorder } from "./engine-recorder.ts";

/** A process that runs sessions on a database. */
export interface EngineProcess {
  readonly engine: SessionEngine;
  /** Like SIGKILL: no promise that the process awaits ever resolves, and nothing that it still does has an effect. */
  kill(): void;
  /** Like SIGSTOP for long enough that another process may take over, then SIGCONT: the process continues unaware. */
  freeze?(): void;
}

export interface EngineHarness {
  readonly store: Store;
  /** Starts a process that runs sessions with this handler. */
  start(
    handler: Partial<SessionHandler>,
    options?: { maxConcurrentRuns?: number; target?: PostTarget },
  ): Promise<EngineProcess>;
  close(): Promise<void>;
}

const MESSAGE: OutgoingMessage = { lane: "answer", markdown: "Hello", tone: "plain", buttons: [], files: [] };

/** Requirements for every session engine; the kill points are at the end. */
export function engineContract(name: string, openHarness: () => Promise<EngineHarness>): void {
  describe(`the engine on ${name}`, () => {
    let harness: EngineHarness;
    const processes: EngineProcess[] = [];
    beforeAll(async () => {
      const opened = await openHarness();
      const start: EngineHarness["start"] = async (...options) => {
        const process = await opened.start(...options);
        processes.push(process);
        return process;
      };
      harness = { ...opened, start };
    });
    // A process that a failed test leaves running would take the sessions of later tests.
    afterEach(async () => {
      await Promise.all(processes.splice(0).map(({ engine }) => engine.stop(0)));
    });
    afterAll(() => harness.close());

    const session = (channel?: string) => createSession(harness.store, channel);

    test("runs an event once, however often it is delivered", async () => {
      const id = await session();
      const seen = new Recorder();
      const { engine } = await harness.start(seen.handler());
      expect(await engine.deliver(id, event(`${id}:a`))).toBe("new");
      expect(await engine.deliver(id, event(`${id}:a`))).toBe("duplicate");
      await seen.ended(1);
      expect(seen.keys()).toEqual([`${id}:a`]);
    });

    test("runs a session's events one after the other, and sessions beside each other", async () => {
      const [one, two] = [await session(), await session()];
      const seen = new Recorder();
      const gates = new Map([`${one}:a`, `${one}:b`, `${two}:a`].map((key) => [key, Promise.withResolvers<void>()]));
      const { engine } = await harness.start(seen.handler((wake) => gates.get(wake.event.key)?.promise));
      await engine.deliver(one, event(`${one}:a`));
      // An event delivered before the run begins would become part of that run.
      await seen.begun(1);
      await engine.deliver(one, event(`${one}:b`));
      await engine.deliver(two, event(`${two}:a`));
      await seen.begun(2);
      expect(seen.begunKeys().toSorted()).toEqual([`${one}:a`, `${two}:a`].toSorted());
      gates.get(`${one}:a`)?.resolve();
      await seen.begun(3);
      expect(seen.begunKeys().at(-1)).toBe(`${one}:b`);
      for (const gate of gates.values()) gate.resolve();
      await seen.ended(3);
    });

    test("shares few run slots fairly between channels, and reports queue positions", async () => {
      const busy = await Promise.all([session("busy"), session("busy"), session("busy")]);
      const quiet = await session("quiet");
      const seen = new Recorder();
      const gate = Promise.withResolvers<void>();
      const { engine } = await harness.start(
        seen.handler(() => gate.promise),
        { maxConcurrentRuns: 1 },
      );
      for (const id of [...busy, quiet]) await engine.deliver(id, event(`${id}:a`));
      await seen.queued(quiet);
      expect(seen.positions.get(quiet)).toBeLessThanOrEqual(2);
      gate.resolve();
      await seen.ended(4);
      expect(seen.keys().indexOf(`${quiet}:a`)).toBeLessThan(3);
    });

    test("aborts a run with the person who stopped it, and a queued run as well", async () => {
      const [one, two] = [await session(), await session()];
      const seen = new Recorder();
      const { engine } = await harness.start(
        seen.handler((_wake, context) => aborted(context)),
        { maxConcurrentRuns: 1 },
      );
      await engine.deliver(one, event(`${one}:a`));
      // Either of two sessions that wait at the same time may get the place, so the second one is delivered later.
      await seen.begun(1);
      await engine.deliver(two, event(`${two}:a`));
      await seen.queued(two);
      await engine.cancel(two, seen.runOf(`${two}:a`), { by: "person", name: "@ana" });
      await seen.ended(1);
      expect(seen.reasons.get(`${two}:a`)).toMatchObject({ cause: { name: "@ana" } });
      await engine.cancel(one, seen.runOf(`${one}:a`), { by: "person", name: "@ben" });
      await seen.ended(2);
      expect(seen.reasons.get(`${one}:a`)).toBeInstanceOf(CancelSignal);
    });

    test("suspends runs when it stops, and the next process continues them", async () => {
      const id = await session();
      const first = new Recorder();
      const { engine } = await harness.start(first.handler((_wake, context) => aborted(context)));
      await engine.deliver(id, event(`${id}:a`));
      await first.begun(1);
      await engine.stop(5_000);
      expect(first.reasons.get(`${id}:a`)).toBeInstanceOf(SuspendSignal);
      const second = new Recorder();
      await harness.start(second.handler());
      await second.ended(1);
      expect(second.wakes[0]).toMatchObject({ resumed: true, runId: first.wakes[0]?.runId });
    });

    test("keeps an event until it is due, also across a restart", async () => {
      const id = await session();
      // On a machine so slow that the event is due before the restart, the first process runs it.
      const seen = new Recorder();
      const { engine } = await harness.start(seen.handler());
      const dueAt = Date.now() + 400;
      await engine.deliverAt(id, event(`${id}:later`), dueAt);
      await engine.stop(0);
      await harness.start(seen.handler());
      await seen.ended(1);
      expect(Date.now()).toBeGreaterThanOrEqual(dueAt);
      expect(seen.keys()).toEqual([`${id}:later`]);
    });

    test("wakes a parked run for the event it waits for", async () => {
      const id = await session();
      const seen = new Recorder();
      const { engine } = await harness.start(seen.handler(async (wake) => (wake.resumed ? "ended" : "parked")));
      await engine.deliver(id, event(`${id}:question`));
      await seen.settled(1);
      await expect.poll(async () => (await harness.store.runs.open(id))?.status).toBe("parked");
      await engine.deliver(id, { key: `${id}:answer`, body: { kind: "resume", of: "answer" } });
      await seen.ended(1);
      expect(seen.wakes.map((wake) => wake.runId)).toEqual([seen.wakes[0]?.runId, seen.wakes[0]?.runId]);
    });

    test("leaves a parked run alone while people talk, and continues with the event that it waits for", async () => {
      const id = await session();
      const seen = new Recorder();
      const parksFirst = async (wake: Wake) => {
        return wake.event.key === `${id}:question` && !wake.resumed ? "parked" : "ended";
      };
      const { engine } = await harness.start(seen.handler(parksFirst));
      await engine.deliver(id, event(`${id}:question`));
      await seen.settled(1);
      await expect.poll(async () => (await harness.store.runs.open(id))?.status).toBe("parked");
      await engine.deliver(id, event(`${id}:meanwhile`));
      await engine.deliver(id, { key: `${id}:decision`, body: { kind: "resume", of: "decision" } });
      await seen.ended(2);
      expect(seen.wakes.map((wake) => wake.event.key)).toEqual([`${id}:question`, `${id}:question`, `${id}:meanwhile`]);
    });

    test("starts no run for a late event of a run that has ended", async () => {
      const id = await session();
      const seen = new Recorder();
      const { engine } = await harness.start(seen.handler());
      await engine.deliver(id, event(`${id}:a`));
      await seen.ended(1);
      await engine.deliver(id, { key: `${id}:late`, body: { kind: "resume", of: "decision" } });
      await engine.deliver(id, event(`${id}:b`));
      await seen.ended(2);
      expect(seen.keys()).toEqual([`${id}:a`, `${id}:b`]);
    });

    test("stores an event together with its claim, or neither", async () => {
      const id = await session();
      const seen = new Recorder();
      const { engine } = await harness.start(seen.handler());
      const refuse = () => Promise.resolve(false);
      expect(await engine.deliver(id, event(`${id}:claimed`), refuse)).toBe("refused");
      expect(await harness.store.inbox.has(`${id}:claimed`)).toBe(false);
      expect(await engine.deliver(id, event(`${id}:claimed`), () => Promise.resolve(true))).toBe("new");
      await seen.ended(1);
    });

    test("gives waiting events to the run that takes them, and starts no second run for them", async () => {
      const id = await session();
      const seen = new Recorder();
      const taken: string[] = [];
      const arrived = Promise.withResolvers<void>();
      const { engine } = await harness.start(
        seen.handler(async (_wake, context) => {
          await arrived.promise;
          taken.push(...(await context.takeInbox("turn:1")).map((each) => each.key));
          taken.push(...(await context.takeInbox("turn:1")).map((each) => each.key));
          return "ended";
        }),
      );
      await engine.deliver(id, event(`${id}:a`));
      await seen.begun(1);
      await engine.deliver(id, event(`${id}:b`));
      arrived.resolve();
      await seen.ended(1);
      expect(taken).toEqual([`${id}:b`, `${id}:b`]);
      await engine.stop(0);
      expect(seen.wakes).toHaveLength(1);
    });

    killPoints(() => harness, session);
  });
}

/** Points at which a process dies, and what the next one must then find. */
function killPoints(harness: () => EngineHarness, session: () => Promise<string>): void {
  const points = [
    "before the step",
    "in the step",
    "after the step",
    "in the transaction",
    "after the transaction",
  ] as const;

  test.each(points)("killed %s, a run ends with the effect of each transaction applied once", async (point) => {
    const id = await session();
    const steps: string[] = [];
    const died = Promise.withResolvers<void>();
    const work = async (context: TurnContext, dies: (at: string) => Promise<void>) => {
      await dies("before the step");
      const value = await context.stage("step", async () => {
        steps.push("step");
        await dies("in the step");
        return 41;
      });
      await dies("after the step");
      await context.transaction("add", async (tx) => {
        await tx.messages.append(id, context.runId, message(`${id}:${value}`));
        await dies("in the transaction");
      });
      await dies("after the transaction");
      return "ended" as const;
    };
    const first = await harness().start({
      run: (_wake, context) =>
        work(context, async (at) => {
          if (at !== point) return;
          died.resolve();
          // The database itself rolls back a dead process's transaction.
          if (at === "in the transaction") throw new Error("killed");
          await new Promise(() => {});
        }),
    });
    await first.engine.deliver(id, event(`${id}:a`));
    await died.promise;
    first.kill();
    const seen = new Recorder();
    await harness().start(seen.handler((_wake, context) => work(context, () => Promise.resolve())));
    await seen.ended(1);
    const stored = await harness().store.messages.list(id);
    expect(stored.map(({ id: messageId }) => messageId)).toEqual([`${id}:41`]);
    // A step is in the journal only once the transaction after it has committed.
    const isLost = ["in the step", "after the step", "in the transaction"].includes(point);
    expect(steps).toHaveLength(isLost ? 2 : 1);
  });

  test("an owner whose session was taken over cannot commit anything", async () => {
    const id = await session();
    const outcome = Promise.withResolvers<unknown>();
    const continueRun = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const first = await harness().start({
      run: async (_wake, context) => {
        begun.resolve();
        await continueRun.promise;
        await context
          .transaction("late", (tx) => tx.messages.append(id, context.runId, message(`${id}:late`)))
          .then(outcome.resolve, outcome.resolve);
        throw new SuspendSignal("lost");
      },
    });
    await first.engine.deliver(id, event(`${id}:a`));
    await begun.promise;
    first.freeze?.();
    const seen = new Recorder();
    await harness().start(seen.handler());
    await seen.ended(1);
    continueRun.resolve();
    expect(await outcome.promise).toMatchObject({ code: "stale_owner" });
    expect(await harness().store.messages.list(id)).toEqual([]);
  });

  test.each([
    { name: "before it lands", lands: false },
    { name: "after it landed", lands: true },
  ])("killed while posting, $name, the message is posted once", async ({ lands }) => {
    const id = await session();
    const posted: string[] = [];
    const dying = Promise.withResolvers<void>();
    const first = await harness().start(
      { run: async (_wake, context) => (await context.post("answer", MESSAGE), "ended") },
      {
        target: {
          find: () => Promise.resolve(null),
          post: (_thread, _message, key) => {
            if (lands) posted.push(key);
            dying.resolve();
            return new Promise(() => {});
          },
        },
      },
    );
    await first.engine.deliver(id, event(`${id}:a`));
    await dying.promise;
    first.kill();
    const seen = new Recorder();
    await harness().start(
      seen.handler(async (_wake, context) => (await context.post("answer", MESSAGE), "ended")),
      { target: platform(posted) },
    );
    await seen.ended(1);
    expect(posted).toHaveLength(1);
  });

  test("a post whose response is lost is looked up, not repeated; one that was never sent is posted again", async () => {
    const id = await session();
    const posted: string[] = [];
    const failures = [
      new PlatformError("network", "not connected", { detail: { sent: "no" } }),
      new PlatformError("network", "the reply was lost"),
    ];
    const { find, post } = platform(posted);
    const target: PostTarget = {
      find,
      post: async (thread, outgoing, key) => {
        const failure = failures.shift();
        if (failure === undefined) return post(thread, outgoing, key);
        if (failure.detail["sent"] !== "no") await post(thread, outgoing, key);
        throw failure;
      },
    };
    const seen = new Recorder();
    const run = async (_wake: Wake, context: TurnContext) => (await context.post("answer", MESSAGE), "ended" as const);
    const { engine } = await harness().start(seen.handler(run), { target });
    await engine.deliver(id, event(`${id}:a`));
    await seen.ended(1);
    expect(posted).toHaveLength(1);
  });
}

/** A platform that records the keys of posts. */
function platform(posted: string[]): PostTarget {
  const handle = (key: string): PostedMessage => ({ platform: "slack", channelId: "C1", messageId: key });
  return {
    find: (_thread, key) => Promise.resolve(posted.includes(key) ? handle(key) : null),
    post: (_thread, _message, key) => {
      posted.push(key);
      return Promise.resolve(handle(key));
    },
  };
}
