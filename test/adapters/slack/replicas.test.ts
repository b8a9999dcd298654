import { expect, test } from "vitest";
import { pacePlatform } from "../../../src/adapters/render/pacing/paced-platform.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { begin, plainMessage } from "../../contracts/platform-steps.ts";
import { sharedRates } from "../../support/database/shared-rates.ts";
import { openSlackHarness } from "../../support/slack/slack-harness.ts";

const REPLICAS = 3;
const POSTS = 5;

test("replicas that post and edit concurrently in one channel get no 429, and everything arrives", async () => {
  await using parts = new AsyncDisposableStack();
  const rates = await sharedRates(parts, REPLICAS);
  const harness = parts.use(await openSlackHarness());
  const { clock } = systemRuntime();
  const inbox = await begin(harness);
  harness.server.people.mention({ text: "go", channel: "C1GENERAL" });
  const { thread } = await inbox.nextMessage();
  const replica = async (shared: (typeof rates)[number]) => {
    const platform = pacePlatform(harness.adapter(), clock, { shared });
    await platform.start(() => Promise.resolve({ type: "ignored" }), new AbortController().signal);
    return platform;
  };
  const replicas = await Promise.all(rates.map(replica));

  const answers = replicas.flatMap((platform, n) =>
    Array.from({ length: POSTS }, async (_, post) => {
      const posted = await platform.post(thread, plainMessage(`answer ${n} ${post}`), `key ${n} ${post}`);
      await platform.edit(posted, plainMessage(`edited ${n} ${post}`));
    }),
  );
  await Promise.all(answers);
  expect(harness.server.rateLimited()).toBe(0);
  const said = (await harness.visible(thread)).map(({ text }) => text);
  expect(said.filter((text) => text.includes("edited"))).toHaveLength(REPLICAS * POSTS);
});
