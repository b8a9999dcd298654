import { describe, expect, test } from "vitest";
import { hold, silent, text, toolUse } from "../../support/model/model-script.ts";
import type { ModelServer } from "../../support/model/model-server.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { PLATFORMS, useBothPlatforms } from "../../support/talk/both-platforms.ts";
import { answers, type SceneMessage } from "../../support/talk/scene.ts";
import { conversationOf } from "../../support/talk/slack-talk.ts";
import { background, isPart, part } from "../../support/talk/sub-agent-talk.ts";

/** Requests that people delete, usually to write them again. */

const both = useBothPlatforms({ settings: { mode: "write" } });

const STOPPED = /^⏹ Stopped by the deletion of its request/u;

const isStopped = (messages: readonly SceneMessage[]) => messages.some(({ text: shown }) => STOPPED.test(shown));
const hasButton = (prefix: string) => (messages: readonly SceneMessage[]) =>
  messages.some(({ buttons }) => buttons.some((id) => id.startsWith(prefix)));
const newest = ({ requests }: ModelServer) => conversationOf(requests.at(-1)?.body);

describe.each(PLATFORMS)("on %s", (platform) => {
  test("the only request of a run is deleted: it stops at once, and what is written in its place is answered", async () => {
    const scene = both.scene(platform);
    scene.model.script(() => silent());
    const before = scene.model.requests.length;
    const thread = scene.mention("delete everything");
    const request = await scene.model.request(before);
    await thread.until(hasButton("stop:"));
    thread.delete("delete everything");
    expect(await request.ended).toBe("aborted");
    const ended = await thread.until(isStopped);
    expect(ended.find(({ text: shown }) => STOPPED.test(shown))?.text).toContain("Nothing was changed.");
    scene.model.script(() => text("Listed."));
    thread.reply("list the files");
    await thread.until((messages) => answers(messages).includes("Listed."));
    expect(newest(scene.model)).toContain(
      "[Stopped by the deletion of its request. Do not continue with what was asked so far",
    );
    expect(scene.model.requests).toHaveLength(before + 2);
  });

  test("of several requests one is deleted: the model is told, the others are answered; when all are, it stops", async () => {
    const scene = both.scene(platform);
    const [first, second] = [hold(), hold()];
    const from = scene.model.requests.length;
    const gates = [first, second];
    scene.model.script((_request, index) => {
      const gate = gates[index - from];
      return gate === undefined ? silent() : [gate.part, toolUse("glob", { pattern: "*" })];
    });
    const thread = scene.mention("count the files");
    await first.reached;
    await thread.until(hasButton("stop:"));
    thread.reply("and the folders");
    thread.reply("and the links");
    first.release();
    await second.reached;
    expect(newest(scene.model)).toContain("and the links");
    thread.delete("and the folders");
    second.release();
    await scene.model.request(from + 2);
    expect(newest(scene.model)).toMatch(
      /\[A message of @[Aa]na was deleted: “and the folders”\. Do not continue with what it asked for/u,
    );
    thread.delete("count the files");
    thread.delete("and the links");
    expect((await thread.until(isStopped)).find(({ text: shown }) => STOPPED.test(shown))?.text).toContain(
      "after 2 tools",
    );
  });

  test("a request is deleted on which only a sub-agent works still: that stops, and nothing comes of it", async () => {
    const scene = both.scene(platform);
    const gate = hold();
    const from = scene.model.requests.length;
    scene.model.script((request) => {
      if (isPart(request, "alpha")) return [gate.part, text("Alpha is 3.")];
      return request.toolResults.length === 0 ? part("alpha", background) : text("It is under way.");
    });
    const thread = scene.mention("find out about alpha");
    await gate.reached;
    const ofAgent = scene.model.requests.slice(from).find((request) => isPart(request, "alpha"));
    const isFolded = ({ text: shown }: SceneMessage) => shown.startsWith("✓ 2 turns");
    await thread.until((messages) => answers(messages).includes("It is under way.") && messages.some(isFolded));
    thread.delete("find out about alpha");
    expect(await ofAgent?.ended).toBe("aborted");
    await untilIdle(scene.bot);
    expect(scene.model.requests).toHaveLength(from + 3);
  });

  test("a request that waits for a decision is deleted: its card closes, and nothing is done", async () => {
    const scene = both.scene(platform);
    const before = scene.model.requests.length;
    scene.model.script(() => toolUse("write", { path: "notes.txt", content: "x" }));
    const thread = scene.mention("take a note");
    await thread.until(hasButton("approve:"));
    thread.delete("take a note");
    const ended = await thread.until((messages) => isStopped(messages) && !hasButton("approve:")(messages));
    expect(ended.some(({ text: shown }) => shown.includes("the deletion of its request"))).toBe(true);
    expect(scene.model.requests).toHaveLength(before + 1);
  });

  test.each(["!while true; do sleep 1; done", "/skill code-review src/"])(
    "a command that is deleted is stopped: %s",
    async (typed) => {
      const scene = both.scene(platform);
      scene.model.script(() => silent());
      const thread = scene.mention(typed);
      await thread.until((messages) => hasButton("stop:")(messages) || hasButton("approve:")(messages));
      thread.delete(typed);
      await thread.until(isStopped);
    },
  );
});
