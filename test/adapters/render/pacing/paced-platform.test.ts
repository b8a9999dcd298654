import { expect, test } from "vitest";
import { type PacedPlatform, pacePlatform } from "../../../../src/adapters/render/pacing/paced-platform.ts";
import type { Lane, OutgoingMessage } from "../../../../src/core/platform/outgoing.ts";
import { PlatformError } from "../../../../src/core/protocol/errors.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { memoryPlatform, THREAD } from "../memory-platform.ts";

function message(markdown: string, lane: Lane = "answer"): OutgoingMessage {
  return { lane, markdown, tone: "plain", buttons: [], files: [] };
}

const { signal } = new AbortController();

function setup() {
  const clock = new ManualClock(0);
  const inner = memoryPlatform(clock);
  return { clock, inner, platform: pacePlatform(inner, clock) };
}

test("posts of a channel are sent as a burst and then one per interval, independently of other channels", async () => {
  const { clock, inner, platform } = setup();
  const posts = [0, 1, 2, 3].map((n) => platform.post(THREAD, message(`a${n}`), `a${n}`));
  const other = platform.post({ ...THREAD, channelId: "C2" }, message("b"), "b");
  await clock.runAll();
  await Promise.all([...posts, other]);
  expect(inner.requests.map(({ text, at }) => [text, at])).toEqual([
    ["a0", 0],
    ["a1", 0],
    ["b", 0],
    ["a2", 1_000],
    ["a3", 2_000],
  ]);
});

test("waiting requests are sent by lane priority, in order within a lane", async () => {
  const { clock, inner, platform } = setup();
  const lanes: Lane[] = ["progress", "progress", "progress", "first", "answer", "approval", "answer"];
  const posts = lanes.map((lane, n) => platform.post(THREAD, message(`${lane} ${n}`, lane), `k${n}`));
  await clock.runAll();
  await Promise.all(posts);
  expect(inner.requests.map(({ text }) => text)).toEqual([
    "progress 0",
    "progress 1",
    "approval 5",
    "answer 4",
    "answer 6",
    "first 3",
    "progress 2",
  ]);
});

test("edits share the workspace's budget in order of arrival; other workspaces have their own", async () => {
  const { clock, inner, platform } = setup();
  const posted = (messageId: string) => ({ platform: "slack" as const, channelId: "C1", messageId });
  const ids = ["m0", "m1", "m2", "m3", "m4"];
  const edits = ids.map((id) =>
    platform.editLatest(posted(id), () => message(id, "progress"), { thread: THREAD, signal }),
  );
  const elsewhere = platform.editLatest(posted("x"), () => message("x", "progress"), {
    thread: { ...THREAD, workspaceId: "T2" },
    signal,
  });
  await clock.runAll();
  await Promise.all([...edits, elsewhere]);
  expect(inner.requests.map(({ where, at }) => [where, at])).toEqual([
    ["m0", 0],
    ["m1", 0],
    ["m2", 0],
    ["x", 0],
    ["m3", 1_200],
    ["m4", 2_400],
  ]);
});

const POSTED = { platform: "slack", channelId: "C1", messageId: "m" } as const;

test.each([
  { since: "none", emptyAt: null, waiting: [0, 0, 0, 1_200], posts: [0, 0, 1_000, 2_000] },
  { since: "one at once", emptyAt: 0, waiting: [1_200, 2_400, 3_600, 4_800], posts: [0, 1_000, 2_000, 3_000] },
  { since: "one two intervals ago", emptyAt: -2_400, waiting: [0, 0, 1_200, 2_400], posts: [0, 0, 1_000, 2_000] },
])(
  "each rate starts with the tokens that are left (burst of the previous process: $since)",
  async ({ emptyAt, waiting, posts }) => {
    const sent: Record<string, (platform: PacedPlatform, n: number) => Promise<unknown>> = {
      edit: (platform, n) => platform.edit(POSTED, message(`${n}`)),
      react: (platform, n) => platform.react(THREAD, `m${n}`, "seen"),
      status: async (platform, n) => platform.showLatestStatus?.(THREAD, () => `${n}`, { lane: "progress", signal }),
      post: (platform, n) => platform.post(THREAD, message(`${n}`), `${n}`),
    };
    for (const [kind, send] of Object.entries(sent)) {
      const clock = new ManualClock(0);
      const inner = { ...memoryPlatform(clock), showStatus: () => Promise.resolve() };
      const platform = pacePlatform(inner, clock, { emptyAt });
      const times: number[] = [];
      const all = waiting.map((_, n) => send(platform, n).then(() => times.push(clock.now())));
      await clock.runAll();
      await Promise.all(all);
      expect(times, kind).toEqual(kind === "post" ? posts : waiting);
    }
  },
);

test("a delayed edit sends the newest content", async () => {
  const { clock, inner, platform } = setup();
  const posted = { platform: "slack", channelId: "C1", messageId: "m" } as const;
  await Promise.all([1, 2, 3].map((n) => platform.edit(posted, message(`${n}`, "progress"))));
  let text = "old";
  const edit = platform.editLatest(posted, () => message(text, "progress"), { thread: THREAD, signal });
  text = "new";
  await clock.runAll();
  await edit;
  expect(inner.requests.at(-1)?.text).toBe("new");
});

test("a withdrawn edit is not sent", async () => {
  const { clock, inner, platform } = setup();
  const posted = { platform: "slack", channelId: "C1", messageId: "m" } as const;
  await Promise.all([1, 2, 3].map((n) => platform.edit(posted, message(`${n}`, "progress"))));
  const controller = new AbortController();
  const options = { thread: THREAD, signal: controller.signal };
  const edit = expect(platform.editLatest(posted, () => message("4"), options)).rejects.toThrow("not needed");
  controller.abort(new Error("not needed"));
  await edit;
  await clock.runAll();
  expect(inner.requests).toHaveLength(3);
});

test("an edit that names only the message counts against the workspace that posted it", async () => {
  const { clock, inner, platform } = setup();
  await platform.post({ ...THREAD, workspaceId: "T2", channelId: "C2" }, message("other"), "k0");
  const posted = await platform.post(THREAD, message("live"), "k1");
  const edits = [1, 2, 3, 4].map((n) => platform.edit(posted, message(`${n}`, "progress")));
  await clock.advance(1_199);
  expect(inner.requests.filter(({ kind }) => kind === "edit")).toHaveLength(3);
  await clock.runAll();
  await Promise.all(edits);
});

test.each(["post", "edit"] as const)(
  "a 429 on %s pauses that method for the requested time without losing requests",
  async (kind) => {
    const { clock, inner, platform } = setup();
    const posted = await platform.post(THREAD, message("live"), "live");
    inner.failNext(kind, new PlatformError("platform_rate_limited", "429", { retryAfterMs: 30_000 }));
    const limited = kind === "post" ? platform.post(THREAD, message("x"), "x") : platform.edit(posted, message("x"));
    await clock.advance(0);
    const next =
      kind === "post"
        ? platform.post({ ...THREAD, channelId: "C2" }, message("y"), "y")
        : platform.edit(posted, message("y"));
    const unaffected = kind === "post" ? platform.edit(posted, message("z")) : platform.post(THREAD, message("z"), "z");
    await clock.runAll();
    await Promise.all([limited, next, unaffected]);
    const [, z, ...others] = inner.requests;
    expect([z?.text, z?.at]).toEqual(["z", 0]);
    expect(new Set(others.map(({ text }) => text))).toEqual(new Set(["x", "y"]));
    for (const { at } of others) expect(at).toBeGreaterThanOrEqual(30_000);
  },
);

test("any other failure is passed to the caller", async () => {
  const { inner, platform } = setup();
  inner.failNext("post", new PlatformError("thread_gone", "channel_not_found"));
  await expect(platform.post(THREAD, message("x"), "x")).rejects.toMatchObject({ code: "thread_gone" });
  await platform.post(THREAD, message("y"), "y");
  expect(inner.requests.map(({ text }) => text)).toEqual(["y"]);
});

test("stop withdraws waiting requests", async () => {
  const { clock, inner, platform } = setup();
  const posts = [0, 1, 2].map((n) => platform.post(THREAD, message(`${n}`), `${n}`));
  const last = expect(posts[2]).rejects.toMatchObject({ name: "AbortError" });
  await platform.stop();
  await last;
  await clock.runAll();
  expect(inner.requests).toHaveLength(2);
});

test("a reserved first post is sent at once, and a refunded reservation is available to others", async () => {
  const { clock, inner, platform } = setup();
  await Promise.all([0, 1].map((n) => platform.post(THREAD, message(`${n}`), `${n}`)));
  expect(platform.canPostFirst(THREAD)).toBe(false);
  const reserved = platform.reserveFirst(THREAD, signal);
  await clock.advance(1_000);
  await reserved;
  expect(platform.canPostFirst(THREAD)).toBe(false);
  await platform.post(THREAD, message("first", "first"), "first");
  expect(inner.requests.at(-1)).toMatchObject({ text: "first", at: 1_000 });
  const unused = platform.reserveFirst(THREAD, signal);
  await clock.advance(1_000);
  await unused;
  platform.releaseFirst(THREAD);
  expect(platform.canPostFirst(THREAD)).toBe(true);
});

test("queues of optional lanes are bounded; answers are never rejected", async () => {
  const { clock, platform } = setup();
  const waiting = Array.from({ length: 1_002 }, (_, n) => platform.post(THREAD, message("p", "progress"), `p${n}`));
  const refused = expect(platform.post(THREAD, message("p", "progress"), "p")).rejects.toMatchObject({
    code: "platform_rate_limited",
  });
  await refused;
  const answer = platform.post(THREAD, message("answer"), "answer");
  await clock.runAll();
  await Promise.all([...waiting, answer]);
});
