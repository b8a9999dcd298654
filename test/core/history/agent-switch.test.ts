import { expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { intakeOptions, mention, privateText, slash } from "../inbound/intake-fixture.ts";

/** Runs that last until their gate is opened; the gates are in the order in which the runs began. */
function gates() {
  const open: (() => void)[] = [];
  const work = () => {
    const gate = Promise.withResolvers<void>();
    open.push(gate.resolve);
    return gate.promise;
  };
  return { work, open };
}

test.each([
  ["@plan write x", "write x"],
  ["@Plan: write x", "write x"],
  ["/agent plan write x, don't ask", "write x, don't ask"],
])("%s starts a session with that agent, and says how to switch back", async (text, prompt) => {
  const { options, recorder, session } = await intakeOptions();
  const receive = createIntake(options);
  expect(privateText(await receive(mention(text)))).toBe(
    "✓ **plan** answers in this thread from now on. `/agent build` switches back.",
  );
  await recorder.ended(1);
  expect(recorder.wakes[0]?.event.body).toMatchObject({ text: prompt, agent: "plan" });
  expect((await session())?.agent).toBe("plan");
});

test.each(["@bob can you look?", "@explorer look", "mail ana@plan now"])("%s addresses no agent", async (text) => {
  const { options, recorder, session } = await intakeOptions();
  expect(await createIntake(options)(mention(text))).toEqual({ type: "accepted" });
  await recorder.ended(1);
  expect(recorder.wakes[0]?.event.body).toMatchObject({ text });
  expect((await session())?.agent).toBe("build");
});

test("a message for another agent waits for its own run, which then changes the session's agent", async () => {
  const { work, open } = gates();
  const taken: (readonly string[])[] = [];
  const { options, recorder, session } = await intakeOptions(async (wake, context) => {
    await work();
    const events = [...wake.pending, ...(await context.takeInbox("steering"))];
    taken.push(events.map(({ body }) => (body.kind === "message" ? body.text : body.kind)));
  });
  const receive = createIntake(options);
  await receive(mention("begin"));
  await recorder.begun(1);
  await receive(mention("and this"));
  expect(privateText(await receive(mention("@plan the rest")))).toContain(
    "✓ **plan** takes over once **build** is done here",
  );
  await receive(mention("after it"));
  expect((await session())?.agent).toBe("build");
  expect(privateText(await receive(mention("/agent explore")))).toContain("**build** is still working here.");
  open[0]?.();
  await recorder.begun(2);
  expect((await session())?.agent).toBe("plan");
  open[1]?.();
  await recorder.ended(2);
  expect(taken).toEqual([["and this"], ["after it"]]);
});

test("/agent without a task switches an idle session, or creates one in a thread", async () => {
  const { options, session } = await intakeOptions();
  const receive = createIntake(options);
  expect(privateText(await receive(mention("@explore")))).toContain("**explore** answers in this thread from now on.");
  expect(privateText(await receive(mention("/agent explore")))).toBe("**explore** already answers here.");
  expect(privateText(await receive(mention("/agent build")))).toContain("`/agent explore` switches back.");
  expect((await session())?.agent).toBe("build");
  expect(privateText(await receive(slash("agent", "plan")))).toContain("This works only in a thread");
});

test("a slash command's request is posted as the root of a new thread, to which the session belongs", async () => {
  const { options, recorder, announced, session } = await intakeOptions();
  const command = slash("agent", "plan write x");
  expect(privateText(await createIntake(options)(command))).toContain("**plan** answers in this thread");
  await recorder.ended(1);
  expect(announced.map(({ message, key }) => [message.markdown, key])).toEqual([
    ["**ana** asks **plan**: write x", command.key],
  ]);
  const thread = { ...command.thread, threadId: "m1" };
  expect((await session(thread))?.agent).toBe("plan");
  expect(recorder.wakes[0]?.event.body).toMatchObject({ text: "write x", thread, messageId: "m1", joinsThread: false });
});

const BEN = { id: "slack:U2", name: "ben", roles: [], isBot: false, isGuest: false, isExternal: false };
const REFUSED = "**build** may do more than **explore**, this channel's agent.";

test.each([
  { typed: "/agent build", admins: [BEN.id], answer: REFUSED },
  { typed: "/agent build write x", admins: [BEN.id], answer: REFUSED },
  { typed: "@build write x", admins: [BEN.id], answer: REFUSED },
  { typed: "@plan look", admins: [BEN.id], answer: "**plan** may do more than **explore**" },
  { typed: "@explore look", admins: [BEN.id], answer: "(accepted)" },
  { typed: "@build write x", admins: ["slack:U1"], answer: "✓ **build** answers in this thread" },
  { typed: "@build write x", admins: [], answer: "✓ **build** answers in this thread" },
])("in explore mode with admins $admins, $typed is answered with $answer", async (given) => {
  const { options, session } = await intakeOptions();
  const access = { ...options.access, admins: given.admins };
  const receive = createIntake({ ...options, agentOf: () => "explore", access });
  expect(privateText(await receive(mention(given.typed)))).toContain(given.answer);
  if (given.answer.includes("may do more")) expect(await session()).toBeNull();
});
