import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { until, untilIdle } from "../../support/program/bot.ts";
import { isFold } from "../../support/talk/bot-message.ts";
import { PLATFORMS, useBothPlatforms } from "../../support/talk/both-platforms.ts";
import { answers, isFolded, putFile } from "../../support/talk/scene.ts";
import { conversationOf } from "../../support/talk/slack-talk.ts";

/** What people do with a run that has ended: vote, read its details, fork its thread and undo its changes. */

const both = useBothPlatforms();

const look: Script = (_request, index) => (index === 0 ? toolUse("glob", { pattern: "*" }) : text("Nothing there."));

// This test is the first one because it counts the votes of all runs.
test("on Slack only the voter is thanked, /usage counts the vote, and details show each step, completely in a direct message", async () => {
  const office = both.slack();
  const long = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n");
  office.model.script((_request, index) => {
    if (index === 0) return toolUse("write", { path: "long.txt", content: long });
    return index === 1 ? toolUse("bash", { command: "cat long.txt; false" }) : text("Done.");
  });
  const talk = office.talk({ text: "make it long", channel: office.channel() });
  await talk.answered(1);
  await untilIdle(office.bot);
  const told = (words: string) =>
    office.until(words, () => office.ephemeralsTo("U0ANA").some((ephemeral) => ephemeral.includes(words)));
  await office.until("the fold", () =>
    talk.live().some(({ buttons }) => buttons.some(({ id }) => id.startsWith("good:"))),
  );
  talk.click("good:");
  await told("👍 Noted, thanks.");
  talk.mention("/usage");
  await told("Feedback: 1 👍 · 0 👎");

  talk.click("details:");
  await told("cat long.txt; false");
  const details = office.ephemeralsTo("U0ANA").at(-1) ?? "";
  expect(details).toContain("✓ **write** `");
  expect(details).toContain("✗ **bash** `cat long.txt; false`");
  expect(details).toContain("exit code 1");
  const steps = () => {
    const file = [...office.slack.workspace.files.values()].find(({ name }) => name === "steps.txt");
    return Buffer.from(file?.data ?? []).toString();
  };
  // Slack lists a file's name before it has received the bytes.
  await office.until("the file", () => steps() !== "");
  expect(steps()).toContain("line 199");
});

test.each(PLATFORMS)(
  "on %s a run's collapsed message accepts votes, and each person's latest one counts",
  async (platform) => {
    const scene = both.scene(platform);
    scene.model.script(look);
    const thread = scene.mention("what is there?");
    const messages = await thread.until(isFolded);
    const fold = messages.find(isFold);
    expect(fold?.buttons.map((id) => id.split(":")[0])).toEqual(["details", "good", "bad"]);
    const votes = async (value: string) => {
      const { text: metrics } = await scene.bot.probe("metrics");
      return Number(new RegExp(`deckhand_run_feedback\\{value="${value}"\\} (\\d+)`, "u").exec(metrics)?.[1] ?? 0);
    };
    const [up, down] = [await votes("up"), await votes("down")];
    thread.click(fold?.buttons[1] ?? "");
    await expect.poll(() => votes("up")).toBe(up + 1);
    thread.click(fold?.buttons[2] ?? "");
    await expect.poll(() => votes("down")).toBe(down + 1);
    expect(await votes("up")).toBe(up);
  },
);

const NOTHING = "This button no longer works.";

test("a signed click by an outsider reveals nothing of a private channel's run", async () => {
  // Only a run that calls a tool or takes a while leaves a message with buttons.
  const at = both.slack(({ toolResults }) =>
    toolResults.length > 0 ? text("Three people leave.") : toolUse("glob", { pattern: "*" }),
  );
  const { slack } = at;
  const secret = at.channel();
  const members = new Set(["U0ANA", slack.workspace.botUserId]);
  slack.workspace.channels.set(secret, {
    id: secret,
    name: "hr",
    kind: "channel",
    isPrivate: true,
    members,
    gone: false,
  });
  const thread = at.talk({ text: "who leaves?", channel: secret });
  await thread.answered(1);
  await at.until("a folded message", () =>
    thread.seen().some(({ buttons }) => buttons.some(({ id }) => id.startsWith("details:"))),
  );

  thread.click("details:", "U0BOB");
  await at.until("an answer to bob", () => at.ephemeralsTo("U0BOB").length > 0);
  expect(at.ephemeralsTo("U0BOB")).toEqual([NOTHING]);
  thread.click("details:", "U0ANA");
  await at.until("the details", () => at.ephemeralsTo("U0ANA").some((each) => each.includes("tokens read")));
});

/** Reads a file that does not exist, then only answers. */
const readsAndAnswers: Script = (_request, index) =>
  index === 0 ? toolUse("read", { path: "plan.md" }) : text(`Answer ${index}.`);

test("on Slack a fork continues in a thread of its own, and does not affect the original", async () => {
  const office = both.slack(readsAndAnswers);
  const talk = office.talk({ text: "remember the heron", channel: office.channel() });
  await talk.answered(1);
  await untilIdle(office.bot);
  talk.mention("/fork");
  await office.until("the fork", () => office.ephemeralsTo("U0ANA").some((words) => words.startsWith("✓ ")));
  const roots = office.slack.workspace.messages.filter(
    ({ channel, threadTs, ts }) => channel === talk.channel && (threadTs ?? ts) === ts && ts !== talk.rootTs,
  );
  expect(roots).toHaveLength(1);
  const root = roots[0]?.ts ?? "";
  expect(roots[0]?.text).toContain("Fork of “remember the heron”: ana continues with build here.");
  expect(talk.answers().at(-1)).toContain(`/thread/${talk.channel}-${root}`);

  office.talk({ text: "what was the bird?", channel: talk.channel, threadTs: root, bare: true });
  await office.until("an answer in the fork", () => office.model.requests.length === 3);
  const asked = conversationOf(office.model.requests.at(-1)?.body);
  expect(asked).toContain("remember the heron");
  expect(asked).toContain("Answer 1.");
  expect(asked).toContain("what was the bird?");
  await untilIdle(office.bot);

  talk.say("and here?");
  await office.until("an answer in the first thread", () => office.model.requests.length === 4);
  expect(conversationOf(office.model.requests.at(-1)?.body)).not.toContain("what was the bird?");
});

test("on Discord a fork opens a thread in which nobody needs to mention the bot", async () => {
  const office = both.discord();
  office.model.script(readsAndAnswers);
  const channel = office.channel("ops");
  const talk = office.mention(channel, "remember the heron");
  await talk.answered(1);
  await untilIdle(office.bot);
  talk.say("/fork");
  const { world, people } = office.discord;
  const root = () => channel.messages.find(({ author }) => author.id === world.bot.id);
  await office.until("the fork", () => people.shownPrivately(office.ana).some((words) => words.startsWith("✓ ")));
  const fork = office.in(root()?.id ?? "");
  expect(fork.place()?.name).toBe("Fork of “remember the heron”: Ana continues with build here.");
  // On Discord the thread's root counts as its first message, which has no text.
  expect(fork.answers()[1]).toContain("I have the conversation so far (4 messages)");
  fork.say("what was the bird?");
  await fork.answered(3);
  expect(conversationOf(office.model.requests.at(-1)?.body)).toContain("remember the heron");
  expect(talk.answers().at(-1)).toContain(`https://discord.com/channels/${office.guild.id}/${root()?.id}`);
});

/**
 * Reads and edits config.toml, writes notes/new.md, and removes, moves and appends files in the shell; after that only
 * answers.
 */
const changeAll: Script = (_request, index) => {
  if (index === 0) return toolUse("read", { path: "config.toml" });
  if (index === 1) return toolUse("edit", { path: "config.toml", old_string: "8080", new_string: "9090" });
  if (index === 2) return toolUse("write", { path: "notes/new.md", content: "new\n" });
  if (index === 3) {
    const command = "rm old.log; mv a.txt b.txt; echo more >> log.txt; echo two >> config.toml";
    return toolUse("bash", { command });
  }
  return text(`Answer ${index}.`);
};

const FILES = { "config.toml": "port = 8080\n", "old.log": "old\n", "a.txt": "a\n", "log.txt": "log\n" };

/** Contents of the known files in the sandbox root, by path; null if a file does not exist. */
function contents(root: string): Record<string, string | null> {
  const names = [...Object.keys(FILES), "b.txt", "notes/new.md"];
  return Object.fromEntries(
    names.map((name) => {
      const file = path.join(root, name);
      return [name, existsSync(file) ? readFileSync(file, "utf8") : null];
    }),
  );
}

const BEFORE = { ...FILES, "b.txt": null, "notes/new.md": null };
const AFTER = {
  "config.toml": "port = 9090\ntwo\n",
  "old.log": null,
  "a.txt": null,
  "log.txt": "log\nmore\n",
  "b.txt": "a\n",
  "notes/new.md": "new\n",
};

/** The changed files as the bot lists them, in the order of their first changes. */
const CHANGED = "`config.toml`, `notes/new.md`, `old.log`, `a.txt`, `b.txt`, `log.txt`";

test.each(PLATFORMS)(
  "on %s /undo reverts an edit, a write and a command, lists the files, and the model is told",
  async (platform) => {
    const scene = both.scene(platform);
    for (const [name, content] of Object.entries(FILES)) putFile(scene, name, content);
    const root = scene.bot.sandboxRoot(scene.folder);
    scene.model.script(changeAll);
    const thread = scene.mention("change everything");
    await thread.until((all) => answers(all).length === 1);
    await untilIdle(scene.bot);
    expect(contents(root)).toEqual(AFTER);

    const answerTo = async (words: string) => {
      const known = thread.ephemerals().length;
      thread.reply(words);
      await until(() => thread.ephemerals().length > known, {
        what: () => `an answer to ${words}`,
      });
      return thread.ephemerals()[known]?.split("\n")[0];
    };
    const undone = `✓ Undid my last changes: ${CHANGED}. \`/undo redo\` reapplies them.`;
    expect(await answerTo("/undo")).toBe(undone);
    expect(contents(root)).toEqual(BEFORE);
    expect(existsSync(path.join(root, "notes"))).toBe(false);
    expect(await answerTo("/undo redo")).toBe(`✓ Reapplied my changes: ${CHANGED}.`);
    expect(contents(root)).toEqual(AFTER);
    expect(await answerTo("/undo")).toBe(undone);
    expect(contents(root)).toEqual(BEFORE);

    thread.reply("what is there now?");
    await thread.until((all) => answers(all).length === 2);
    const told = conversationOf(scene.model.requests.at(-1)?.body);
    expect(told).toContain(`has undone your changes to these files: ${CHANGED}`);
    expect(told).toContain("has redone your changes to these files");
  },
);

test("/undo skips files that others have changed since or whose content is no longer kept, and reverts the rest", async () => {
  const office = both.slack();
  const channel = office.channel();
  const root = office.bot.sandboxRoot(`slack-${channel}`);
  office.model.script((_request, index) => {
    const command = "for f in mine yours lost; do echo before > $f.txt; done";
    if (index === 0) return toolUse("bash", { command });
    if (index === 2)
      return toolUse("bash", { command: "for f in mine yours; do echo after > $f.txt; done; rm lost.txt" });
    return text(`Answer ${index}.`);
  });
  const talk = office.talk({ text: "make files", channel });
  await talk.answered(1);
  talk.say("change them");
  await talk.answered(2);
  await untilIdle(office.bot);
  writeFileSync(path.join(root, "yours.txt"), "by hand\n");
  const kept = path.join(office.bot.home, "data/snapshots");
  const hash = createHash("sha256").update("before\n").digest("hex");
  expect(existsSync(path.join(kept, hash))).toBe(true);

  talk.mention("/undo");
  await office.until("an answer", () => office.ephemeralsTo("U0ANA").length === 1);
  expect(office.ephemeralsTo("U0ANA")[0]).toContain("✓ Undid my last changes: `mine.txt`, `lost.txt`.");
  expect(office.ephemeralsTo("U0ANA")[0]).toContain(
    "⚠ Left unchanged: `yours.txt` · someone else has changed it since",
  );
  expect(readFileSync(path.join(root, "mine.txt"), "utf8")).toBe("before\n");
  expect(readFileSync(path.join(root, "lost.txt"), "utf8")).toBe("before\n");
  expect(readFileSync(path.join(root, "yours.txt"), "utf8")).toBe("by hand\n");

  // The previous run created all three files; two are as it left them, and the third was changed by hand.
  talk.mention("/undo");
  await office.until("a second answer", () => office.ephemeralsTo("U0ANA").length === 2);
  expect(existsSync(path.join(root, "mine.txt"))).toBe(false);
  expect(existsSync(path.join(root, "yours.txt"))).toBe(true);

  rmSync(kept, { recursive: true });
  talk.mention("/undo redo");
  await office.until("a third answer", () => office.ephemeralsTo("U0ANA").length === 3);
  expect(office.ephemeralsTo("U0ANA")[2]).toContain("⚠ No files were changed.");
  expect(office.ephemeralsTo("U0ANA")[2]).toContain("its earlier content was not kept: too large, or too long ago");
  talk.mention("/undo");
  await office.until("a fourth answer", () => office.ephemeralsTo("U0ANA").length === 4);
  expect(office.ephemeralsTo("U0ANA")[3]).toBe("I have no file changes left to undo here.");
});
