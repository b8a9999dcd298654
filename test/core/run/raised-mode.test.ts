import { expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { BOB, CHIEF } from "../../support/simulation/sim-people.ts";
import { play, type Turn } from "../../support/trust/play.ts";
import { read, write } from "../../support/trust/steps.ts";
import { useSandbox } from "../../tools/file-session.ts";
import { intakeOptions, mention } from "../inbound/intake-fixture.ts";

const sandbox = useSandbox();
const HOUR_MS = 3_600_000;
const RAISED: Turn = { by: CHIEF, says: "/mode agi" };
const SETTING = { files: { "a.txt": "old\n" } };
const writes = (turn: Omit<Turn, "does" | "says"> = {}): Turn => ({
  by: CHIEF,
  ...turn,
  says: "write a.txt",
  does: [read("a.txt"), write("a.txt", "new\n")],
});
/** A remark to other people, `hours` later. */
const remark = (hours: number): Turn => ({ by: BOB, says: "lunch?", addressed: "none", after: hours * HOUR_MS });

test.each([
  { name: "whoever has raised it is asked nothing", turns: [RAISED, writes()], cards: [0, 0] },
  { name: "others are asked", turns: [RAISED, writes({ by: BOB })], cards: [0, 1] },
  {
    name: "each message lets it hold for another day",
    turns: [RAISED, writes({ after: 20 * HOUR_MS }), writes({ after: 20 * HOUR_MS })],
    cards: [0, 0, 0],
  },
  {
    name: "what people say to one another keeps it as well",
    turns: [RAISED, remark(20), writes({ after: 20 * HOUR_MS })],
    cards: [0, 0, 0],
  },
  {
    name: "a day without a message ends it, also for who writes then",
    turns: [RAISED, remark(25), writes()],
    cards: [0, 0, 1],
  },
  {
    name: "a day without a request ends it",
    turns: [RAISED, writes({ after: 25 * HOUR_MS }), writes()],
    cards: [0, 1, 1],
  },
  {
    name: "others' requests keep it, and it is still not theirs",
    turns: [RAISED, writes({ by: BOB, after: 20 * HOUR_MS }), writes({ after: 20 * HOUR_MS })],
    cards: [0, 1, 0],
  },
])("a raised mode: $name", async ({ turns, cards }) => {
  const played = await play(turns, SETTING, sandbox);
  expect(played.cards.map((each) => each.length)).toEqual(cards);
});

test("the expiry of a raised mode is announced in the thread", async () => {
  const { office } = await play([RAISED, writes({ after: 25 * HOUR_MS })], SETTING, sandbox);
  const said = office.messages("1").map(({ markdown }) => markdown);
  expect(said).toContain("This thread is back in mode **write**: nobody has written here in `agi` for 24 hours.");
});

test("the thread is told who raised the mode and for whom; admins raise it for everyone", async () => {
  const { options, announced, session } = await intakeOptions();
  const access = { admins: [CHIEF.id], deny: [], guests: false, external: false };
  const receive = createIntake({ ...options, access, approvals: { ...options.approvals, approvers: ["slack:U1"] } });
  await receive(mention("/mode agi"));
  expect((await session())?.settings.raised?.by).toBe("slack:U1");
  await receive(mention("/mode agi", { person: CHIEF }));
  expect((await session())?.settings.raised?.by).toBeNull();
  await receive(mention("/mode default", { person: CHIEF }));
  expect((await session())?.settings).toEqual({});
  expect(announced.map(({ message }) => message.markdown)).toEqual([
    expect.stringMatching(
      /^⚠ @ana raised this thread's mode from `write` to \*\*agi\*\*: .* It applies to what @ana asks here; /u,
    ),
    expect.stringMatching(/^⚠ @Chief raised .* It applies to what everyone asks here\. /u),
  ]);
});

test("other people's requests during a run with a raised mode wait for their own run", async () => {
  const { options, recorder } = await intakeOptions();
  const receive = createIntake(options);
  await receive(mention("/mode agi"));
  await receive(mention("one", { person: BOB }));
  await receive(mention("two"));
  await recorder.ended(2);
  const bodies = await Promise.all([1, 2].map(async (seq) => (await options.store.inbox.get(seq))?.body));
  expect(bodies).toEqual([
    expect.objectContaining({ isOwnRun: true }),
    expect.not.objectContaining({ isOwnRun: true }),
  ]);
});
