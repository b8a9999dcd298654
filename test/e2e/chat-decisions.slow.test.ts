import { stripVTControlCharacters } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { hold, text, toolUse } from "../support/model/model-script.ts";
import type { ModelServer, Script } from "../support/model/model-server.ts";
import type { Bot } from "../support/program/bot.ts";
import { type ChatProcess, chatProcess, terminalProcess } from "../support/program/chat-process.ts";
import { scriptedBot } from "../support/program/scripted-bot.ts";
import { useShared } from "../support/run/use-shared.ts";

const CTRL_D = "\u0004";
const PROMPT = "[y/n/a/A] ›";

const shared = useShared(
  () => scriptedBot(),
  (opened) => opened[Symbol.asyncDispose](),
);
let model: ModelServer;
let bot: Bot;
beforeEach(() => {
  ({ model, bot } = shared());
  model.forget();
});

const PARTS = ["one", "two"] as const;

/** Plays two sub-agents at once, each of which writes a file as soon as its gate opens. */
function gatedParts() {
  const gates = { one: hold(), two: hold() };
  const script: Script = ({ toolResults, lastUserText }) => {
    if (toolResults.length > 0) return text("It is done.");
    const part = PARTS.find((name) => lastUserText.includes(`Do part ${name}.`));
    if (part !== undefined) return [gates[part].part, toolUse("write", { path: `${part}.txt`, content: part })];
    return PARTS.map((name) => toolUse("agent", { description: `part ${name}`, prompt: `Do part ${name}.` }));
  };
  model.script(script);
  return gates;
}

/** Waits until the terminal asks about the first part's card and has received the second part's. */
async function bothAsked(chat: ChatProcess, gates: ReturnType<typeof gatedParts>): Promise<void> {
  await gates.one.reached;
  await gates.two.reached;
  gates.one.release();
  await chat.shows("Create one.txt?");
  await chat.shows(PROMPT);
  gates.two.release();
  await chat.shows("1 more to decide after this.");
}

const denied = (chat: ChatProcess) => {
  const words = stripVTControlCharacters(chat.out());
  return PARTS.filter((name) => words.includes(`Denied by @operator: write ${name}.txt`));
};

/** Writes a file, which needs approval. */
const writes: Script = ({ toolResults }) =>
  toolResults.length > 0 ? text("It is done.") : toolUse("write", { path: "d.txt", content: "d" });

/** Asks a question that can only be answered in words. */
const asks: Script = ({ toolResults }) =>
  toolResults.length > 0 ? text("So be it.") : toolUse("ask_user_question", { question: "Which colour?", options: [] });

describe("of two cards", () => {
  test("an interactive session asks about the older one first", async () => {
    const gates = gatedParts();
    await using chat = terminalProcess(bot, {});
    await chat.shows("› ");
    chat.type("do both parts\r");
    await bothAsked(chat, gates);
    expect(chat.out()).not.toContain("Create two.txt?");
    chat.type("n\r");
    await chat.shows("Create two.txt?");
    chat.type("n\r");
    await chat.shows("It is done.");
    await expect.poll(() => denied(chat)).toEqual(PARTS);
  });

  test("a one-shot request asks about each, and answers once both are decided", async () => {
    const gates = gatedParts();
    await using chat = terminalProcess(bot, { args: ["do both parts"] });
    await bothAsked(chat, gates);
    expect(chat.out()).not.toContain("Create two.txt?");
    chat.type("n\r");
    await chat.shows("Create two.txt?");
    expect(denied(chat)).toEqual(["one"]);
    chat.type("n\r");
    expect(await chat.ended).toBe(3);
    expect(chat.out()).toContain("It is done.");
  });

  test("typing a key twice quickly decides only the shown card", async () => {
    const gates = gatedParts();
    await using chat = terminalProcess(bot, { args: ["do both parts"] });
    await bothAsked(chat, gates);
    chat.type("n\rn\r");
    await chat.shows("Create two.txt?");
    chat.type(CTRL_D);
    expect(await chat.ended).toBe(4);
    expect(denied(chat)).toEqual(["one"]);
  });
});

describe("an approval", () => {
  test.each([
    { kind: "a one-shot request", args: ["write it"], code: 3 },
    { kind: "an interactive session", args: [], code: 0 },
  ])("of $kind is also decided by a word, and a key that is not offered is said to be none", async (chosen) => {
    model.script(writes);
    await using chat = terminalProcess(bot, { args: chosen.args });
    await chat.shows("› ");
    if (chosen.args.length === 0) chat.type("write it\r");
    await chat.shows(PROMPT);
    chat.type("x\r");
    await chat.shows("✗ x is not offered here: type y, n, a, A.");
    chat.type("No\r");
    await chat.shows("It is done.");
    expect(stripVTControlCharacters(chat.out())).toContain("Denied by @operator: write d.txt");
    chat.type(CTRL_D);
    expect(await chat.ended).toBe(chosen.code);
    expect(model.requests.map(({ lastUserText }) => lastUserText)).not.toContainEqual(
      expect.stringMatching(/^(?:x|No)$/mu),
    );
  });
});

describe("a question without options", () => {
  test("ends a script with exit code 4", async () => {
    model.script(asks);
    await using chat = chatProcess(bot, { args: ["choose a colour"] });
    expect(await chat.ended).toBe(4);
    expect(chat.out()).toBe("");
    expect(chat.error()).toMatch(/Which colour\?[\s\S]*nobody is at a terminal/u);
  });

  test("is answered by text at the terminal, also in a one-shot request", async () => {
    model.script(asks);
    await using chat = terminalProcess(bot, { args: ["choose a colour"] });
    await chat.shows("Reply here to answer");
    await chat.shows("› ");
    chat.type("green\r");
    expect(await chat.ended).toBe(0);
    expect(chat.out()).toContain("So be it.");
    expect(JSON.stringify(model.requests[1]?.body)).toContain("green");
  });
});

test("Ctrl-D at a card leaves the decision to others, with exit code 4", async () => {
  model.script(writes);
  await using chat = terminalProcess(bot, { args: ["write it"] });
  await chat.shows(PROMPT);
  chat.type(CTRL_D);
  expect(await chat.ended).toBe(4);
  expect(chat.out()).toContain("Decide with: deckhand chat --continue");
});

test("continuing a thread with a pending decision in a script reports the decision", async () => {
  model.script(writes);
  await using first = chatProcess(bot, { args: ["write it"] });
  expect(await first.ended).toBe(4);
  await using chat = chatProcess(bot, { args: ["--continue", "how far is it?"] });
  expect(await chat.ended).toBe(4);
  expect(chat.error()).toContain("Create d.txt?");
});

test("escape sequences in piped input are made visible when shown", async () => {
  model.script(() => text("I see."));
  await using first = chatProcess(bot, { input: "look \u001b[31mred\u001b]0;PWNED\u0007 end" });
  expect(await first.ended).toBe(0);
  await using chat = terminalProcess(bot, { args: ["--continue"] });
  await chat.shows("I see.");
  expect(chat.out()).toContain(String.raw`look \u{1b}[31mred\u{1b}]0;PWNED\u{7} end`);
  expect(chat.out()).not.toContain("\u001b]0;PWNED");
  expect(chat.out()).not.toContain("\u001b[31mred");
});
