import { expect, test } from "vitest";
import type { TakeLock } from "../../../src/core/cluster.ts";
import type { ChatCommand } from "../../../src/core/command-line/command.ts";
import type { SessionEngine } from "../../../src/core/engine/engine.ts";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import type { InboundMessage } from "../../../src/core/platform/inbound.ts";
import { privateMessage } from "../../../src/core/platform/replies.ts";
import { intakeOptions, mention, privateText } from "./intake-fixture.ts";

test("a redelivered mention starts one run, also if another process receives it", async () => {
  const { options, recorder } = await intakeOptions();
  const hello = mention("hello");
  const receive = createIntake(options);
  expect(await Promise.all([receive(hello), receive(hello)])).toEqual([{ type: "accepted" }, { type: "accepted" }]);
  expect(await receive(hello)).toEqual({ type: "accepted" });
  expect(await createIntake(options)(hello)).toEqual({ type: "duplicate" });
  await recorder.ended(1);
  expect(recorder.keys()).toEqual([hello.key]);
});

test("a command delivered to two processes, concurrently or in turn, is executed or refused once", async () => {
  const { options } = await intakeOptions();
  let done = 0;
  const count: ChatCommand = {
    name: "count",
    description: "counts",
    permission: "everyone",
    run: () => Promise.resolve(privateMessage(String((done += 1)))),
  };
  let last = Promise.resolve();
  const lock: TakeLock = async () => {
    const over = Promise.withResolvers<void>();
    const before = last;
    last = over.promise;
    await before;
    return { validForMs: () => 0, requireHeld: async () => {}, [Symbol.dispose]: over.resolve };
  };
  const shared = { ...options, commands: [count], cluster: { size: () => 2, lock } };
  const typed = mention("/count");
  const receipts = await Promise.all([createIntake(shared), createIntake(shared)].map((receive) => receive(typed)));
  expect(receipts.map(({ type }) => type)).toEqual(["reply", "duplicate"]);
  expect(await createIntake(shared)(typed)).toEqual({ type: "duplicate" });
  expect(done).toBe(1);

  const refusing = { ...shared, access: { ...options.access, deny: ["slack:U1"] } };
  const other = mention("/count");
  const refusals = await Promise.all([createIntake(refusing), createIntake(refusing)].map((receive) => receive(other)));
  expect(refusals.map(({ type }) => type)).toEqual(["refused", "duplicate"]);
});

test("a mention that could not be stored is accepted on redelivery", async () => {
  const { options, recorder } = await intakeOptions();
  const hello = mention("hello");
  let isAway = true;
  const { engine } = options;
  const deliver: SessionEngine["deliver"] = (...delivery) =>
    isAway ? Promise.reject(new Error("the store is away")) : engine.deliver(...delivery);
  const over: SessionEngine = {
    start: (handler) => engine.start(handler),
    stop: (drainMs) => engine.stop(drainMs),
    deliver,
    deliverAt: (...delivery) => engine.deliverAt(...delivery),
    cancel: (...run) => engine.cancel(...run),
  };
  const receive = createIntake({ ...options, engine: over });
  await expect(receive(hello)).rejects.toThrow("the store is away");
  isAway = false;
  expect(await receive(hello)).toEqual({ type: "accepted" });
  await recorder.ended(1);
});

test("a sender who answers every answer immediately gets one notice about a loop, and starts no more runs", async () => {
  const { options, recorder } = await intakeOptions();
  const receive = createIntake(options);
  const receipts: string[] = [];
  for (let said = 1; said <= 33; said += 1) {
    receipts.push(privateText(await receive(mention(`answer ${said}`))));
    if (receipts.at(-1) === "(accepted)") await recorder.ended(said);
  }
  expect(receipts.slice(0, 31)).toEqual(Array.from({ length: 31 }, () => "(accepted)"));
  expect(receipts[31]).toContain("that looks like a loop");
  expect(receipts.slice(32)).toEqual(["(ignored)"]);
  expect(recorder.keys()).toHaveLength(31);
});

test("a typed command is not taken as the answer to an open question", async () => {
  const { options, recorder, session } = await intakeOptions();
  const receive = createIntake(options);
  await receive(mention("which port?"));
  await recorder.ended(1);
  const asking = await session();
  const [wake] = recorder.wakes;
  if (asking === null || wake === undefined) throw new Error("no session began");
  const body = { kind: "question" as const, question: "Which port?", options: ["8080"] };
  await options.store.transaction((tx) =>
    tx.questions.open({ id: "q1", sessionId: asking.id, runId: wake.runId, askedOf: null, body, at: 0 }),
  );
  expect(privateText(await receive(mention("/status")))).toContain("build");
  expect(await receive(mention("!ls"))).toEqual({ type: "accepted" });
  expect((await options.store.questions.get("q1"))?.status).toBe("open");
  expect(await receive(mention("8080"))).toEqual({ type: "accepted" });
  expect((await options.store.questions.get("q1"))?.status).toBe("answered");
});

const BEN = { id: "slack:U2", name: "ben", roles: [], isBot: false, isGuest: false, isExternal: false };

test.each([
  { was: "passed over", before: mention("you there?", { addressed: "none" }), inThread: false, begins: 1 },
  {
    was: "kept as a remark",
    before: mention("is it down?", { addressed: "none", person: BEN }),
    inThread: true,
    begins: 1,
  },
  { was: "taken as a request", before: mention("hello there"), inThread: false, begins: 0 },
  { was: "answered privately", before: mention("/help"), inThread: false, begins: 0 },
])(
  "a message that $was and is edited to mention the agent starts $begins runs, also after further edits",
  async (at) => {
    const { options, recorder } = await intakeOptions();
    const receive = createIntake(options);
    if (at.inThread) await receive(mention("begin"));
    await receive(at.before);
    const requests = [at.inThread, at.before.text === "hello there"].filter(Boolean).length;
    await recorder.ended(requests);
    const edited = { ...at.before, addressed: "mention", edited: "before" } as const;
    const afterRestart = createIntake(options);
    for (const take of [receive, receive, afterRestart]) await take(edited);
    await recorder.ended(requests + at.begins);
    expect((await afterRestart({ ...edited, text: "and again" })).type).toBe("duplicate");
    expect(recorder.keys()).toHaveLength(requests + at.begins);
  },
);

test("an edit of a request enters its run once, or waits for the next run if that has ended", async () => {
  const gate = Promise.withResolvers<void>();
  const { options, recorder, session } = await intakeOptions(() => gate.promise);
  const receive = createIntake(options);
  const asked = mention("deploy to production");
  await receive(asked);
  const change = (text: string, more: Partial<InboundMessage> = {}) =>
    ({ ...asked, text, edited: "now", at: asked.at + text.length, ...more }) as const;
  expect(await receive(change(asked.text))).toEqual({ type: "duplicate" });
  const staging = change("deploy to staging", { addressed: "none" });
  for (const take of [receive, receive, createIntake(options)]) await take(staging);
  const { id } = (await session()) ?? {};
  const waiting = async () =>
    (await options.store.inbox.waiting(id ?? "", options.runtime.clock.now())).map(({ body }) =>
      body.kind === "message" ? [body.text.split("\n").at(-1), body.addressed] : body.kind,
    );
  await expect.poll(waiting).toEqual([["deploy to staging", true]]);
  expect(await receive(change(asked.text, { at: asked.at + 60 }))).toEqual({ type: "accepted" });
  expect((await waiting()).at(-1)).toEqual(["deploy to production", true]);
  gate.resolve();
  await recorder.ended(2);
  await receive(change("deploy nowhere"));
  expect(await waiting()).toEqual([["deploy nowhere", false]]);
  expect(await receive(mention("never heard", { edited: "now", addressed: "none" }))).toEqual({ type: "duplicate" });
  expect(recorder.keys()).toHaveLength(2);
});
