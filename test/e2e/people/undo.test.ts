import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import type { Script } from "../../support/model/model-server.ts";
import { until, untilIdle } from "../../support/program/bot.ts";
import { answers, discordScene, putFile, type Scene, slackScene } from "../../support/talk/scene.ts";
import { conversationOf, slackOffice } from "../../support/talk/slack-talk.ts";

const platforms: readonly { name: string; open: () => Promise<Scene> }[] = [
  { name: "Slack", open: () => slackScene() },
  { name: "Discord", open: () => discordScene() },
];

/** Reads and edits config.toml, writes notes/new.md, and removes, moves and appends in the shell; then only answers. */
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

/** What is in the sandbox root, by path. */
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

/** As the bot names them, in the order of their first changes. */
const CHANGED = "`config.toml`, `notes/new.md`, `old.log`, `a.txt`, `b.txt`, `log.txt`";

test.each(platforms)(
  "on $name /undo takes an edit, a write and a command back and names the files, and the model knows",
  async ({ open }) => {
    await using scene = await open();
    for (const [name, content] of Object.entries(FILES)) putFile(scene, name, content);
    const root = scene.bot.sandboxRoot(scene.folder);
    scene.model.script(changeAll);
    await scene.bot.start();
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
    const undone = `✓ Put back as before my last changes: ${CHANGED}. \`/undo redo\` makes them once more.`;
    expect(await answerTo("/undo")).toBe(undone);
    expect(contents(root)).toEqual(BEFORE);
    expect(existsSync(path.join(root, "notes"))).toBe(false);
    expect(await answerTo("/undo redo")).toBe(`✓ Made once more: ${CHANGED}.`);
    expect(contents(root)).toEqual(AFTER);
    expect(await answerTo("/undo")).toBe(undone);
    expect(contents(root)).toEqual(BEFORE);

    thread.reply("what is there now?");
    await thread.until((all) => answers(all).length === 2);
    const told = conversationOf(scene.model.requests.at(-1)?.body);
    expect(told).toContain(`has undone file changes of yours: ${CHANGED}`);
    expect(told).toContain("has made undone file changes once more");
    expect(scene.model.violations).toEqual([]);
  },
);

test("what others have changed since is left as it is, and so is what is kept no more; nothing else is lost", async () => {
  await using office = await slackOffice({ settings: { mode: "agi" } });
  await office.bot.start();
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
  expect(office.ephemeralsTo("U0ANA")[0]).toContain("✓ Put back as before my last changes: `mine.txt`, `lost.txt`.");
  expect(office.ephemeralsTo("U0ANA")[0]).toContain(
    "⚠ Left as it is: `yours.txt` · somebody else has changed it since",
  );
  expect(readFileSync(path.join(root, "mine.txt"), "utf8")).toBe("before\n");
  expect(readFileSync(path.join(root, "lost.txt"), "utf8")).toBe("before\n");
  expect(readFileSync(path.join(root, "yours.txt"), "utf8")).toBe("by hand\n");

  // The run before created the files, two of which are as it left them.
  talk.mention("/undo");
  await office.until("a second answer", () => office.ephemeralsTo("U0ANA").length === 2);
  expect(existsSync(path.join(root, "mine.txt"))).toBe(false);
  expect(existsSync(path.join(root, "yours.txt"))).toBe(true);

  rmSync(kept, { recursive: true });
  talk.mention("/undo redo");
  await office.until("a third answer", () => office.ephemeralsTo("U0ANA").length === 3);
  expect(office.ephemeralsTo("U0ANA")[2]).toContain("⚠ Nothing was put back.");
  expect(office.ephemeralsTo("U0ANA")[2]).toContain("what it held is not kept: too large, or too long ago");
  talk.mention("/undo");
  await office.until("a fourth answer", () => office.ephemeralsTo("U0ANA").length === 4);
  expect(office.ephemeralsTo("U0ANA")[3]).toBe("There is no file change of mine here that is left to undo.");
});
