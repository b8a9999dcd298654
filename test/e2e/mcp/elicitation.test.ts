import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everything } from "../../features/mcp/connected.ts";
import { startAnthropicServer } from "../../support/model/anthropic-server.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import type { ModelServer } from "../../support/model/model-server.ts";
import { createBot } from "../../support/program/bot.ts";
import { openBrowser } from "../../support/program/browser.ts";
import { visitPage } from "../../support/program/page-visit.ts";
import { answers, discordScene, type Scene, slackScene } from "../../support/talk/scene.ts";
import { conversationOf } from "../../support/talk/slack-talk.ts";

/** What an MCP server asks in the midst of a call is a question in the thread, on every platform. */

const SETTINGS = { mode: "agi", mcpServers: { all: everything() } };
const TOOL = "mcp__all__trigger-elicitation-request";
/** As a prompt names the tools of a server that is connected. */
const OFFERED = "- mcp__all__* (";

/** A conversation on one platform, in a thread of its own. */
interface Talk {
  say(words: string): Promise<void>;
  /** Waits until the server's form is there with these choices. */
  asked(choices: readonly string[]): Promise<void>;
  press(choice: string): Promise<void>;
  /** The answer that begins so. */
  answer(beginning: string): Promise<string>;
  /** Choices that can still be pressed. */
  choices(): Promise<number>;
}

interface Stage extends AsyncDisposable {
  readonly model: ModelServer;
  begin(words: string): Promise<Talk>;
}

const CHOICES = ["Decline", "Cancel"];
const FORM = "The MCP server all asks";

async function chat(open: () => Promise<Scene>): Promise<Stage> {
  const scene = await open();
  await scene.bot.start();
  return {
    model: scene.model,
    begin: async (words) => {
      const thread = scene.mention(words);
      const card = () => thread.messages().find(({ buttons }) => buttons.some((id) => id.startsWith("answer:")));
      const button = (choice: string) => `answer:${CHOICES.indexOf(choice)}:`;
      return {
        say: async (said) => thread.reply(said),
        asked: async (choices) => {
          await thread.until(() => card()?.text.includes(FORM) === true);
          for (const choice of choices) {
            expect(card()?.buttons).toContainEqual(expect.stringMatching(new RegExp(`^${button(choice)}`, "u")));
          }
        },
        press: async (choice) => {
          thread.click(card()?.buttons.find((id) => id.startsWith(button(choice))) ?? "");
        },
        answer: async (beginning) => {
          const found = () => answers(thread.messages()).find((each) => each.startsWith(beginning));
          await thread.until(() => found() !== undefined);
          return found() ?? "";
        },
        choices: async () => (card() === undefined ? 0 : 1),
      };
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

async function page(): Promise<Stage> {
  const model = await startAnthropicServer();
  const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: model.url };
  const bot = await createBot({ env: { ...env, DECKHAND_MODEL: "anthropic/claude-sonnet-5-5" } });
  writeFileSync(path.join(bot.home, "deckhand.config.json"), JSON.stringify(SETTINGS));
  await bot.start();
  const visit = await visitPage(bot, browser);
  const { messages } = visit;
  return {
    model,
    begin: async (words) => {
      await visit.page.getByRole("button", { name: "New thread" }).click();
      await visit.say(words);
      const card = messages.getByRole("group", { name: /^Deckhand asks: The MCP server all asks/u });
      return {
        say: (said) => visit.say(said),
        asked: async (choices) => {
          for (const name of choices) await card.getByRole("button", { name }).waitFor();
        },
        press: (name) => card.getByRole("button", { name }).click(),
        answer: async (beginning) => {
          const answer = messages.getByText(beginning).first();
          await answer.waitFor();
          return (await answer.textContent()) ?? "";
        },
        choices: () => messages.getByRole("button", { name: /Decline|Cancel/u }).count(),
      };
    },
    async [Symbol.asyncDispose]() {
      expect(visit.complaints).toEqual([]);
      await visit[Symbol.asyncDispose]();
      await bot[Symbol.asyncDispose]();
      await model.close();
    },
  };
}

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

/** Calls the tool once it is offered, then says what came of it. */
function calls(model: ModelServer): void {
  model.script(({ body }) => {
    const said = conversationOf(body);
    if (said.includes('"tool_result"')) return text(`It said: ${/User \w+[^"\\]*|Name: \w+/u.exec(said)?.[0] ?? said}`);
    return JSON.stringify(body).includes(OFFERED) ? toolUse(TOOL, {}) : text("Not offered.");
  });
}

async function connected(stage: Stage): Promise<void> {
  stage.model.script(({ body }) => text(JSON.stringify(body).includes(OFFERED) ? "Ready." : "Not yet."));
  for (;;) {
    const talk = await stage.begin("is it there?");
    if ((await Promise.race([talk.answer("Ready."), talk.answer("Not yet.")])) === "Ready.") return;
  }
}

const platforms: readonly { name: string; open: () => Promise<Stage> }[] = [
  { name: "Slack", open: () => chat(() => slackScene({ settings: SETTINGS })) },
  { name: "Discord", open: () => chat(() => discordScene({ settings: SETTINGS })) },
  { name: "the page", open: page },
];

test.each(platforms)("on $name a server's form is filled in by a reply, declined and cancelled", async ({ open }) => {
  await using stage = await open();
  await connected(stage);
  calls(stage.model);

  const filled = await stage.begin("ask me");
  await filled.asked(CHOICES);
  await filled.say("name: Ana Marinho\nInteger: 7");
  expect(await filled.answer("It said: ")).toContain("User provided the requested information");

  const ends = [
    ["Decline", "User declined"],
    ["Cancel", "User cancelled"],
  ] as const;
  for (const [choice, says] of ends) {
    const talk = await stage.begin("ask me");
    await talk.asked(CHOICES);
    await talk.press(choice);
    expect(await talk.answer("It said: ")).toContain(says);
    await expect.poll(() => talk.choices()).toBe(0);
  }
});
