import { existsSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startAnthropicServer } from "../support/model/anthropic-server.ts";
import { hold, text, toolUse } from "../support/model/model-script.ts";
import type { ModelServer, Script } from "../support/model/model-server.ts";
import type { Bot } from "../support/program/bot.ts";
import { type ChatProcessOptions, chatProcess, terminalProcess } from "../support/program/chat-process.ts";
import { modelAt, scriptedBot } from "../support/program/scripted-bot.ts";
import { removeDirectory } from "../support/remove-directory.ts";
import { useShared } from "../support/run/use-shared.ts";
import { changePort, putFile } from "../support/talk/scene.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** Makes a home in which no bot runs. */
function emptyHome(): { readonly home: string } {
  const home = mkdtempSync(path.join(tmpdir(), "deckhand-chat-"));
  onTestFinished(() => removeDirectory(home));
  return { home };
}

/** The sandbox in which the tools of a terminal's threads work. */
function inSandbox({ home }: { readonly home: string }) {
  const bot = { sandboxRoot: (folder: string) => path.join(home, "data/sandbox", folder) };
  return { bot, folder: "terminal-main" };
}

async function modelSays(script: Script): Promise<ModelServer & { readonly env: Record<string, string> }> {
  const model = await startAnthropicServer();
  model.script(script);
  onTestFinished(() => model.close());
  return Object.assign(model, { env: modelAt(model) });
}

async function once(bot: Pick<Bot, "home">, options: ChatProcessOptions) {
  await using chat = chatProcess(bot, options);
  const code = await chat.ended;
  return { code, out: chat.out(), error: chat.error() };
}

describe("where no bot runs", () => {
  test("a call that needs approval ends with exit code 4, and is decided in an interactive session", async () => {
    const place = emptyHome();
    const file = path.join(place.home, "data/sandbox/terminal-main/config.toml");
    putFile(inSandbox(place), "config.toml", "port = 8080\n");
    const { code, out, error } = await once(place, { args: ["change port to 9090 in config.toml"] });
    expect({ code, out }).toEqual({ code: 4, out: "" });
    expect(error).toContain("+port = 9090");
    expect(readFileSync(file, "utf8")).toBe("port = 8080\n");

    await using chat = terminalProcess(place, { args: ["--continue"] });
    await chat.shows("[y/n/a/A] ›");
    chat.type("y\r");
    await chat.shows("✓ Allowed");
    await chat.shows("2 tools");
    chat.type(CTRL_D);
    expect(await chat.ended).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("port = 9090\n");
  });

  test("the answer is on stdout and everything else on stderr; a second terminal shares the program", async () => {
    const gate = hold();
    const model = await modelSays((_request, index) =>
      index === 0 ? [text("Fo"), gate.part, text("ur.")] : text("Between."),
    );
    const place = emptyHome();
    await using first = chatProcess(place, { args: ["two and", "two?"], env: model.env });
    await gate.reached;
    expect(await once(place, { args: ["two"], env: model.env })).toMatchObject({ code: 0, out: "Between.\n" });
    gate.release();
    expect(await first.ended).toBe(0);
    expect(first.out()).toBe("Four.\n");
    expect(first.error()).toContain("✓ Model: anthropic/claude-sonnet-5-5");
    expect(JSON.stringify(model.requests[0]?.body)).toContain("two and two?");
  });

  test("SIGTERM ends it with 143, together with the program that it started", async () => {
    const gate = hold();
    const model = await modelSays(() => [text("The first half, "), gate.part, text("the second.")]);
    await using chat = chatProcess(emptyHome(), { args: ["tell me all"], env: model.env });
    await gate.reached;
    const request = await model.request(0);
    chat.child.kill("SIGTERM");
    expect(await chat.ended).toBe(143);
    expect(chat.out()).toBe("");
    expect(await request.ended).toBe("aborted");
  });
});

/** The API key that the bot has, and that must not be shown. */
const KEY = "key-Abc123-Def456-Ghi";

describe("where a bot runs", () => {
  const shared = useShared(
    () => scriptedBot(KEY),
    (opened) => opened[Symbol.asyncDispose](),
  );
  let model: ModelServer;
  let bot: Bot;
  beforeEach(() => {
    ({ model, bot } = shared());
    model.forget();
  });

  test("our own keys reach neither the model nor the thread, plain or encoded, from any source", async () => {
    const encoded = Buffer.from(`see ${KEY} here`).toString("base64");
    model.script((_request, index) =>
      index === 0
        ? toolUse("read", { path: "notes.txt" })
        : text(`It is ${KEY}, or ${Array.from(KEY).toReversed().join("")}.`),
    );
    putFile(inSandbox(bot), "notes.txt", `${KEY}\n${encoded}\n`);
    const { out } = await once(bot, { args: ["is it", KEY, "?"] });
    expect(out).toBe("It is [secret], or [secret].\n");
    const bodies = JSON.stringify(model.requests.map(({ body }) => body));
    expect(bodies).toContain("is it [secret] ?");
    expect(bodies).not.toContain("Abc123");
    expect(bodies).not.toContain(encoded.slice(8, -8));
    const rows = ["deckhand.db", "deckhand.db-wal"]
      .map((name) => readFileSync(path.join(bot.home, "data", name), "latin1"))
      .join("");
    expect(rows).toContain("is it [secret] ?");
    expect(rows).not.toContain(`is it ${KEY}`);
    expect(rows).not.toContain(encoded.slice(8, -8));
  });

  test("piped input is attached", async () => {
    model.script(() => text("Looks fine."));
    const diff = "--- a/port\n+++ b/port\n-8080\n+9090\n";
    const answered = { code: 0, out: "Looks fine.\n" };
    expect(await once(bot, { args: ["review this"], input: diff })).toMatchObject(answered);
    expect(JSON.stringify(model.requests[0]?.body)).toMatch(/stdin\.txt[\s\S]*\+9090/u);
  });

  test("--continue continues the newest thread, and --new with --agent starts another one", async () => {
    model.script((_request, index) => text(`Answer ${index}.`));
    await once(bot, { args: ["remember the harbour"] });
    await once(bot, { args: ["--continue", "what was it?"] });
    const planned = await once(bot, { args: ["--agent", "plan", "--new", "how would you?"] });
    expect(planned).toMatchObject({ code: 0, out: "Answer 2.\n" });
    expect(planned.error).toContain("plan answers in this thread from now on");
    const [, second, third] = model.requests.map(({ body }) => JSON.stringify(body));
    expect(second).toContain("remember the harbour");
    expect(third).not.toContain("remember the harbour");
    expect(third).toMatch(/how would you\?/u);
    expect(third).not.toContain('"name":"edit"');
    const unknown = await once(bot, { args: ["--agent", "plna", "hi"] });
    expect(unknown).toMatchObject({ code: 1, out: "" });
    expect(unknown.error).toMatch(/^✗ --agent: there is no agent "plna"\. Known: .*\bplan\b.*\.$/mu);
    expect(model.requests).toHaveLength(3);
  });

  test("a failure leaves stdout empty, with exit code 1", async () => {
    model.script(() => ({
      type: "http",
      status: 401,
      errorType: "authentication_error",
      message: "no",
      headers: {},
    }));
    const { code, out, error } = await once(bot, { args: ["hello"] });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toContain("does not accept the key");
  });

  test("a denied call is skipped, with exit code 3", async () => {
    model.script(changePort);
    putFile(inSandbox(bot), "config.toml", "port = 8080\n");
    await using chat = terminalProcess(bot, { args: ["change port to 9090 in config.toml"] });
    await chat.shows("[y/n/a/A] ›");
    chat.type("n\r");
    expect(await chat.ended).toBe(3);
    expect(chat.out()).toContain("Denied");
  });

  test("a closed stdout ends it quietly", async () => {
    model.script(() => text("Nobody reads this."));
    await using chat = chatProcess(bot, { args: ["hello"] });
    chat.child.stdout.destroy();
    expect(await chat.ended).toBe(141);
    expect(chat.error()).not.toMatch(/EPIPE|Error/u);
  });

  test("a full disk is reported, unlike a closed stdout", async () => {
    model.script(() => text("Nobody reads this."));
    await using chat = chatProcess(bot, { args: ["hello"], outTo: "/dev/full" });
    expect(await chat.ended).toBe(1);
    expect(chat.error()).toContain("✗ The answer cannot be written (ENOSPC).");
  });

  test.each([
    { signal: "SIGINT", code: 130, end: "aborted" },
    { signal: "SIGHUP", code: 129, end: "complete" },
  ] as const)("$signal ends it with $code, and the request is $end", async ({ signal, code, end }) => {
    const gate = hold();
    model.script(() => [text("The first half, "), gate.part, text("the second.")]);
    await using chat = chatProcess(bot, { args: ["tell me all"] });
    await gate.reached;
    const request = await model.request(0);
    chat.child.kill(signal);
    expect(await chat.ended).toBe(code);
    expect(chat.out()).toBe("");
    gate.release();
    expect(await request.ended).toBe(end);
  });

  test("an answer is streamed, Ctrl-C stops the run, and Ctrl-C twice exits", async () => {
    const gate = hold();
    const script: Script = (_request, index) =>
      index === 0 ? [text("The first half, "), gate.part, text("the second.")] : text("You are welcome.");
    model.script(script);
    await using chat = terminalProcess(bot, { columns: 40 });
    await chat.shows("› ");
    chat.type("tell me all\r");
    await chat.shows("The first half");
    chat.type(CTRL_C);
    await chat.shows("Stopped by @operator");
    chat.type("thanks\r");
    await chat.shows("You are welcome.");
    chat.type(CTRL_C);
    await chat.shows("again to exit");
    chat.type(CTRL_C);
    expect(await chat.ended).toBe(130);
    expect(chat.out()).toContain("\u001b[");
  });

  test("a question is answered by number, commands are completed, and NO_COLOR is respected", async () => {
    const ask = toolUse("ask_user_question", { question: "Which port?", options: ["8080", "9090"] });
    model.script((_request, index) => (index === 0 ? ask : text("Then **that** one.")));
    await using chat = terminalProcess(bot, { env: { NO_COLOR: "1" } });
    await chat.shows("› ");
    chat.type("choose one\r");
    await chat.shows("[1-2] ›");
    chat.type("2\r");
    await chat.shows("Then that one.");
    expect(JSON.stringify(model.requests[1]?.body)).toContain("9090");
    chat.type("/stat\t");
    await chat.shows("/status ");
    chat.type("\r");
    await chat.shows("claude-sonnet-5-5");
    for (const code of [1, 2, 22, 31, 36, 39]) expect(chat.out()).not.toContain(`\u001b[${code}m`);
    chat.type("/quit\r");
    expect(await chat.ended).toBe(0);
  });

  test("the socket is accessible to its owner only, also after a kill", async () => {
    model.script(() => text("Hello to you."));
    const socket = path.join(bot.home, "data/chat.sock");
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    await bot.kill("SIGKILL");
    expect(existsSync(socket)).toBe(true);
    await bot.start();
    const { code, error } = await once(bot, { args: ["list files"] });
    expect({ code, error }).toMatchObject({ code: 0, error: expect.not.stringContaining("No provider") });
    expect((await bot.probe("readyz")).text).toContain('"terminal":{"connected":true');
  });

  // This test is the last one because it leaves no bot running.
  test("if the bot is stopped, the terminal continues the run itself", async () => {
    const gate = hold();
    model.script((_request, index) => (index === 0 ? [text("Never finished"), gate.part] : text("The only answer.")));
    await using chat = chatProcess(bot, { args: ["what is it?"], env: bot.env });
    await gate.reached;
    bot.unheard();
    expect(await bot.kill("SIGTERM")).toBe(0);
    expect(await chat.ended).toBe(0);
    expect(chat.out()).toBe("The only answer.\n");
    expect(existsSync(path.join(bot.home, "data/chat.sock"))).toBe(false);
  });
});
