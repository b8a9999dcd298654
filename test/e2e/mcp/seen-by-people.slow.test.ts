import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { everything } from "../../features/mcp/connected.ts";
import { everythingOverHttp } from "../../features/mcp/everything-http.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import type { ModelServer } from "../../support/model/model-server.ts";
import { type Bot, untilConnected } from "../../support/program/bot.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { freePort } from "../../support/program/free-port.ts";
import { type BrowserProfile, profileOf, visitAgain } from "../../support/program/page-visit.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { useBothPlatforms } from "../../support/talk/both-platforms.ts";
import { answers, type Scene } from "../../support/talk/scene.ts";
import { conversationOf } from "../../support/talk/slack-talk.ts";

/**
 * A question that an MCP server asks during a call appears in the thread on every platform, and the page shows the
 * state of the servers.
 */

/** Port on which an MCP server over HTTP starts listening during the tests. */
const port = await freePort();
const mcpServers = {
  all: everything({ description: "a bit of everything" }),
  gone: { command: "/nowhere/at/all" },
  late: { url: `http://127.0.0.1:${port}/mcp` },
  off: { command: "x", disabled: true },
  unset: { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${NOT_SET_ANYWHERE}" } },
};
const SETTINGS = { mode: "agi", mcpServers };
const TOOL = "mcp__all__trigger-elicitation-request";
/** How a prompt names the tools of a connected server. */
const OFFERED = "- mcp__all__* (";

/** One conversation on one platform, in its own thread. */
interface Talk {
  say(words: string): Promise<void>;
  /** Waits until the server's form appears with these choices. */
  asked(choices: readonly string[]): Promise<void>;
  press(choice: string): Promise<void>;
  /** The answer that begins with these words. */
  answer(beginning: string): Promise<string>;
  /** Number of choices that can still be pressed. */
  choices(): Promise<number>;
}

interface Stage extends AsyncDisposable {
  begin(words: string): Promise<Talk>;
}

const CHOICES = ["Decline", "Cancel"];
const FORM = "The MCP server all asks";

async function chat(scene: Scene): Promise<Stage> {
  return {
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
    async [Symbol.asyncDispose]() {},
  };
}

async function page(bot: Bot): Promise<Stage> {
  const visit = await visitAgain(bot, browser, profile);
  const { messages } = visit;
  return {
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
    },
  };
}

let browser: Browser;
let profile: BrowserProfile;

/** Calls the tool once the prompt offers it, then repeats the result. */
function calls(model: ModelServer): void {
  model.script(({ body }) => {
    const said = conversationOf(body);
    if (said.includes('"tool_result"')) return text(`It said: ${/User \w+[^"\\]*|Name: \w+/u.exec(said)?.[0] ?? said}`);
    return JSON.stringify(body).includes(OFFERED) ? toolUse(TOOL, {}) : text("Not offered.");
  });
}

const both = useBothPlatforms({ settings: SETTINGS });

useShared(
  async () => {
    browser = await sharedBrowser();
    profile = await profileOf(both.slack().bot, browser);
  },
  () => closeWindows(browser),
);

const platforms: readonly { name: string; open: () => Promise<Stage> }[] = [
  { name: "Slack", open: () => chat(both.scene("Slack")) },
  { name: "Discord", open: () => chat(both.scene("Discord")) },
  { name: "the page", open: () => page(both.slack().bot) },
];

test.each(platforms)(
  "on $name, a server's form can be filled in by a reply, declined and cancelled",
  async ({ open }) => {
    await using stage = await open();
    const { model } = both.slack();
    await untilConnected(both.slack().bot, "all");
    calls(model);

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
  },
);

test("the page shows the state of each MCP server, and follows a server that comes and goes", async () => {
  await using visit = await visitAgain(both.slack().bot, browser, profile);
  const list = visit.page.getByRole("region", { name: "MCP servers" });
  const server = (words: RegExp) => list.getByRole("listitem").filter({ hasText: words });

  await server(/^ all · \d+ tools · a bit of everything$/u).waitFor();
  await server(/^ gone is not connected: its program was not found\. Next try in \d+ s\.$/u).waitFor();
  await server(/^ late is not connected: the connection to it failed \(ECONNREFUSED\)\. Next try/u).waitFor();
  expect((await list.getByRole("listitem").allTextContents()).slice(-2)).toEqual([
    " off is not connected: It is disabled in the settings.",
    " unset is not connected: headers.Authorization refers to NOT_SET_ANYWHERE, which is not set.",
  ]);
  expect(await server(/^ off/u).getByRole("img").getAttribute("aria-label")).toBe("waiting");

  const late = await everythingOverHttp(port);
  await server(/^ late · \d+ tools$/u).waitFor();
  await late.kill();
  await visit.say("/mcp late");
  await server(/^ late is not connected/u).waitFor();
  expect(visit.complaints).toEqual([]);
});
