import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import type { Receipt } from "../../../src/core/platform/inbound.ts";
import { Canvas, fitted, textWidth } from "../../../src/features/usage/chart/canvas.ts";
import { usageChart } from "../../../src/features/usage/chart/usage-chart.ts";
import { usageFeature } from "../../../src/features/usage/feature.ts";
import { reportUsage } from "../../../src/features/usage/report.ts";
import { intakeOptions, mention, privateText } from "../../core/inbound/intake-fixture.ts";

const BEN = { id: "slack:U2", name: "ben", roles: [], isBot: false, isGuest: false, isExternal: false };

async function withUsage() {
  const { options } = await intakeOptions();
  const commands = (usageFeature.commands ?? []).map((command) => ({ ...command, run: reportUsage }));
  return { ...options, commands: [...options.commands, ...commands] };
}

/** Two channels in which Ana has spent three dollars and one. */
async function spent() {
  const options = await withUsage();
  const at = options.runtime.clock.now();
  const usage = { inputTokens: 500, outputTokens: 500, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const base = { turn: 1, sessionId: "ses_x", personId: "slack:U1", stopReason: "end_turn", usage, at } as const;
  await options.store.transaction(async (tx) => {
    await tx.usage.add({ ...base, runId: "r1", channelId: "slack:C1", model: "a/one", costUsd: 3 });
    await tx.usage.add({ ...base, runId: "r2", channelId: "slack:C2", model: "a/two", costUsd: 1 });
    await tx.usage.add({ ...base, runId: "r3", channelId: "slack:C2", model: "a/new", costUsd: null });
  });
  return options;
}

test("/usage shows sums with bars, and marks what has no price", async () => {
  const receive = createIntake(await spent());
  expect(privateText(await receive(mention("/usage model")))).toBe(
    [
      "**$4.00** in 7 days (UTC) in all · 3,000 tokens · 3 model calls",
      "You: $4.00, today (UTC) $4.00",
      "```",
      "a/one  $3.00  1,000  ██████████",
      "a/two  $1.00  1,000  ███",
      "a/new  $0.00  1,000",
      "```",
      "⚠ The price of one call is unknown, so it is not included.",
    ].join("\n"),
  );
  const days = privateText(await receive(mention("/usage day 3"))).split("\n");
  expect(days.slice(3, -2)).toHaveLength(3);
  expect(days.at(-3)).toMatch(/^\d{4}-\d\d-\d\d {2}\$4\.00 {2}3,000 {2}█{10}$/);
});

test("/usage sums up the rows beyond its maximum", async () => {
  const options = await withUsage();
  const { store, runtime } = options;
  const at = runtime.clock.now();
  const usage = { inputTokens: 10, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const base = { turn: 1, sessionId: "ses_x", channelId: "slack:C1", stopReason: "end_turn", usage, at } as const;
  await store.transaction(async (tx) => {
    for (let each = 1; each <= 14; each += 1) {
      const model = `a/${String(each).padStart(2, "0")}`;
      await tx.usage.add({ ...base, runId: `r${each}`, personId: "slack:U1", model, costUsd: 15 - each });
    }
  });
  const lines = privateText(await createIntake(options)(mention("/usage model"))).split("\n");
  expect(lines.slice(-3)).toEqual([
    expect.stringMatching(/^a\/12 +\$3\.00/u),
    expect.stringMatching(/^2 more +\$3\.00 +20 /u),
    "```",
  ]);
});

test("/usage shows people's ratings of answers", async () => {
  const options = await withUsage();
  await options.store.transaction(async (tx) => {
    const vote = { runId: "r1", channelId: "slack:C1", at: options.runtime.clock.now() };
    await tx.feedback.give({ ...vote, personId: "slack:U1", value: "up" });
    await tx.feedback.give({ ...vote, personId: "slack:U2", value: "down" });
  });
  const receive = createIntake(options);
  expect(privateText(await receive(mention("/usage")))).toContain("Feedback: 1 👍 · 1 👎");
});

/** The files of a private answer. */
function filesOf(receipt: Receipt) {
  return receipt.type === "reply" ? receipt.message.files : [];
}

/** Width, height and how high the highest bar stands in the picture. Pixels. */
function pictureOf(png: Uint8Array) {
  const bytes = Buffer.from(png);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const data = bytes.indexOf("IDAT");
  const rows = inflateSync(bytes.subarray(data + 4, data + 4 + bytes.readUInt32BE(data - 4)));
  const above = new Uint8Array(width);
  let inked = 0;
  for (let y = 0; y < height; y++) {
    let hasBar = false;
    for (let x = 0; x < width; x++) {
      const colour = ((above[x] ?? 0) + (rows[y * (width + 1) + 1 + x] ?? 0)) & 0xff;
      above[x] = colour;
      hasBar ||= colour === BAR;
    }
    inked += hasBar ? 1 : 0;
  }
  return { width, height, highest: inked };
}
/** The first series' colour in the palette: after white and the 15 shades of ink, the last of its own. */
const BAR = 30;

test("/usage includes a chart of the days, of tokens where nothing has a price", async () => {
  const [file, ...more] = filesOf(await createIntake(await spent())(mention("/usage model")));
  expect(more).toEqual([]);
  expect(file).toMatchObject({ name: "usage-by-day.png", mediaType: "image/png" });
  const cost = pictureOf(file?.data ?? new Uint8Array());
  expect(cost).toMatchObject({ width: 640, height: 300 });
  expect(cost.highest).toBeGreaterThan(100);
  const ofTokens = (...amounts: readonly number[]) =>
    usageChart(amounts.map((tokens, index) => ({ day: `2026-11-2${index}`, costUsd: 0, tokens })))?.data ??
    new Uint8Array();
  expect(pictureOf(ofTokens(12_000, 153_000, 0)).highest).toBeGreaterThan(100);
  expect(Buffer.from(ofTokens(12_000, 153_000)).equals(Buffer.from(file?.data ?? []))).toBe(false);
  // What stands beside a bar has four digits below ten thousand, otherwise three.
  expect(Buffer.from(ofTokens(3_000, 6_206)).equals(Buffer.from(ofTokens(3_000, 6_207)))).toBe(false);
  expect(Buffer.from(ofTokens(12_000, 153_001)).equals(Buffer.from(ofTokens(12_000, 153_000)))).toBe(true);
});

test("/usage has no chart without data or for a single day", async () => {
  const options = await withUsage();
  expect(filesOf(await createIntake(options)(mention("/usage")))).toEqual([]);
  expect(filesOf(await createIntake(await spent())(mention("/usage --days 1")))).toEqual([]);
});

test("/usage job sums up the cost of each job's runs", async () => {
  const options = await spent();
  const at = options.runtime.clock.now();
  const base = {
    jobId: "job_1",
    jobName: "Daily",
    channelId: "slack:C1",
    trigger: "schedule",
    status: "running",
    at,
  } as const;
  const end = { status: "succeeded", message: null, error: null, durationMs: 1, reportHash: null, at } as const;
  await options.store.transaction(async (tx) => {
    for (const [index, costUsd] of [0.25, 0.5].entries()) {
      await tx.occurrences.add({ ...base, id: `occ_${index}`, scheduledFor: at + index });
      await tx.occurrences.runs(`occ_${index}`, `run_${index}`, at);
      await tx.occurrences.end(`occ_${index}`, { ...end, costUsd });
    }
    const other = { ...base, id: "occ_other", jobId: "job_2", channelId: "slack:C2", scheduledFor: at } as const;
    await tx.occurrences.add(other);
    await tx.occurrences.runs(other.id, "run_other", at);
    await tx.occurrences.end(other.id, { ...end, costUsd: 0.25 });
    await tx.occurrences.add({ ...base, id: "occ_missed", jobName: "Never", status: "missed", scheduledFor: at + 9 });
  });
  const text = privateText(await createIntake(options)(mention("/usage job")));
  expect(text.split("\n").slice(2, 6)).toEqual(["```", "Daily  $0.75  2×  ██████████", "Daily  $0.25  1×  ███", "```"]);
});

test("people other than admins see their own channel only", async () => {
  const options = await spent();
  const receive = createIntake({ ...options, access: { ...options.access, admins: [BEN.id] } });
  expect(privateText(await receive(mention("/usage")))).toContain("**$3.00** in 7 days (UTC) in this channel");
  expect(privateText(await receive(mention("/usage", { person: BEN })))).toContain("**$4.00** in 7 days (UTC) in all");
});

test.each([
  ["/usage week", "I can't group by `week`. Use `user`, `channel`, `model`, `job`, `day`."],
  ["/usage --days 40", "The number of days must be a whole number from 1 to 31."],
  ["/usage 1.5", "The number of days must be a whole number from 1 to 31."],
  ["/usage day model", "I don't know what to do with `model`."],
])("the argument %s is answered with the possible ones", async (typed, answer) => {
  const options = await withUsage();
  expect(privateText(await createIntake(options)(mention(typed)))).toBe(answer);
});

test.each([
  { by: "channel", seen: "slack:C2", unseen: "private channels" },
  { by: "job", seen: "salaries", unseen: "in private channels" },
])("/usage $by names no private channel to people outside it, and the total still includes it", async (row) => {
  const options = await spent();
  const at = options.runtime.clock.now();
  await options.store.transaction(async (tx) => {
    const occurrence = { id: "occ_1", jobId: "job_1", jobName: "salaries", channelId: "slack:C2", at };
    await tx.occurrences.add({ ...occurrence, scheduledFor: at, trigger: "schedule", status: "running" });
    await tx.occurrences.runs("occ_1", "r2", at);
  });
  const canSeeChannel: typeof options.canSeeChannel = async ({ channelId }, { id }) =>
    channelId !== "C2" || id === BEN.id;
  const receive = createIntake({ ...options, canSeeChannel });
  const hidden = privateText(await receive(mention(`/usage ${row.by}`)));
  expect(hidden).not.toContain(row.seen);
  expect(hidden).toContain(row.unseen);
  expect(hidden).toContain("**$4.00** in 7 days (UTC) in all");
  expect(privateText(await receive(mention(`/usage ${row.by}`, { person: BEN })))).toContain(row.seen);
});

test("background spending is in no channel, and listed under its own name", async () => {
  const options = await spent();
  const usage = { inputTokens: 500, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const owner = { sessionId: "memory", personId: "memory", channelId: "memory" };
  const call = { runId: "embed_1", turn: -1, model: "a/small", stopReason: "end_turn", usage, costUsd: 2 } as const;
  await options.store.transaction((tx) => tx.usage.add({ ...call, ...owner, at: options.runtime.clock.now() }));
  const canSeeChannel: typeof options.canSeeChannel = ({ platform }) => Promise.resolve(platform === "slack");
  const receive = createIntake({ ...options, canSeeChannel });
  for (const by of ["channel", "user"])
    expect(privateText(await receive(mention(`/usage ${by}`)))).toMatch(/^memory +\$2\.00 +500/mu);
});

/** What a text looks like in a chart, and nothing else. */
function drawn(words: string): string {
  const canvas = new Canvas(60, 30);
  canvas.text(words, { x: 5, y: 10 }, 0);
  return Buffer.from(canvas.pixels).toString("hex");
}

test("a chart's labels can contain lower case, accents and three alphabets", () => {
  const words = ["a", "A", "ä", "α", "б", "日"];
  expect(new Set(words.map(drawn)).size).toBe(words.length);
});

test("a chart's label shows a letter without an accent that the font lacks, and a box for an unknown letter", () => {
  expect(drawn("ạ")).toBe(drawn("a"));
  expect(drawn("日")).toBe(drawn("→"));
});

test("a chart's label that does not fit is shortened with an ellipsis", () => {
  expect(fitted("checkout-service", 400)).toBe("checkout-service");
  expect(fitted("checkout-service", 60)).toMatch(/^che.*…$/);
  expect(textWidth(fitted("checkout-service", 60))).toBeLessThanOrEqual(60);
});
