import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { answers, changePort, discordScene, isFolded, putFile, type Scene, slackScene } from "../support/talk/scene.ts";

const platforms: readonly { name: string; open: () => Promise<Scene> }[] = [
  { name: "Slack", open: () => slackScene() },
  { name: "Discord", open: () => discordScene() },
];

test.each(platforms)(
  "on $name a mention reads, edits and answers, as one live message and one answer",
  async ({ open, name }) => {
    await using scene = await open();
    const { bot, model } = scene;
    const file = putFile(scene, "config.toml", 'host = "localhost"\nport = 8080\n');
    model.script(changePort);
    await bot.start();
    const thread = scene.mention("change port to 9090 in config.toml");
    const messages = await thread.until((all) => isFolded(all) && answers(all).length > 0);

    expect(readFileSync(file, "utf8"), name).toBe('host = "localhost"\nport = 9090\n');
    expect(answers(messages)).toEqual(["The port in `config.toml` is now 9090."]);
    expect(messages.filter((message) => message.byBot)).toHaveLength(2);
    expect(messages.find((message) => message.buttons.length > 0)?.text).toMatch(/^✓ 3 turns · 2 tools · /);
    expect(model.requests).toHaveLength(3);
    expect(model.violations).toEqual([]);
    expect(scene.edits()).toBeGreaterThan(0);
    expect(scene.rateLimited()).toBe(0);
  },
);
