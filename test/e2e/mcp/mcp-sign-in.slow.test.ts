import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { guardedServer, inBrowser } from "../../features/mcp/sign-in/authority.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import { type Bot, until, untilConnected } from "../../support/program/bot.ts";
import { runCli } from "../../support/program/cli.ts";
import { startReplicas } from "../../support/program/replicas.ts";
import { slackOffice } from "../../support/talk/slack-talk.ts";

/** Runs `deckhand mcp sign-in web` beside the running program, and pastes what the browser ends at. */
async function signIn(bot: Pick<Bot, "home" | "env">): Promise<void> {
  const stdin = new PassThrough();
  const said = (line: string) => {
    if (!/^http\S+\/auth\?/u.test(line)) return;
    const pasted = inBrowser(line).then((back) => stdin.write(`${back}\n`));
    pasted.catch((error: Error) => stdin.destroy(error));
  };
  const { failed, out, error } = await runCli(["mcp", "sign-in", "web"], {
    cwd: bot.home,
    env: bot.env,
    stdin,
    said,
  });
  expect({ failed, error }, out).toEqual({ failed: false, error: "" });
}

function filesIn(directory: string): string[] {
  const all = readdirSync(directory, { withFileTypes: true, recursive: true });
  return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

test("a running bot says that a server needs a sign-in, connects after it, keeps it across a kill, and loses it on sign-out", async () => {
  const server = await guardedServer();
  await using at = await slackOffice({ settings: { mode: "agi", mcpServers: { web: server.settings } } });
  at.model.script(({ toolResults: [result] }) =>
    result === undefined ? toolUse("mcp__web__go", {}) : text(`It said: ${result.text}`),
  );
  const answer = (words: string) => at.talk({ text: words, channel: at.channel() }).answered(1);
  await at.bot.start();
  const wants = "it requires a sign-in; an admin must sign in on the web page, or run `deckhand mcp sign-in web`";
  expect(await answer("before")).toContain(wants);
  await signIn({ home: at.bot.home, env: at.env });
  await untilConnected(at.bot, "web");
  expect(await answer("after")).toContain("It said: done");

  server.expire();
  await at.bot.kill("SIGKILL");
  await at.bot.start();
  await at.until("the connection", async () => (await answer("once more")).includes("It said: done"));
  expect(new Set(server.tokens).size).toBe(2);

  server.refuse(true);
  expect(await answer("refused")).toContain("it refuses the sign-in");
  server.refuse(false);
  const { out } = await runCli(["mcp", "sign-out", "web"], { cwd: at.bot.home, env: at.env });
  expect(out).toBe("✓ Deckhand is signed out of web, and the service has revoked the sign-in.");
  await at.until("the sign-out", async () => (await answer("and now")).includes(wants));

  for (const token of server.tokens) {
    expect(at.bot.output()).not.toContain(token);
    for (const file of filesIn(at.bot.home)) expect(readFileSync(file, "latin1")).not.toContain(token);
  }
  expect(at.model.violations).toEqual([]);
});

test("replicas share a sign-in: all connect after it, renew the token once when all need it, and lose it together", async () => {
  const server = await guardedServer();
  await using at = await startReplicas({ settings: { mcpServers: { web: server.settings } } });
  const bots = [at.one, at.other];
  const all = (work: (bot: Bot) => Promise<unknown>) => Promise.all(bots.map(work));
  await signIn(at.one);
  await all((bot) => untilConnected(bot, "web"));
  const codes = server.authority.codes();
  expect(new Set(server.tokens).size).toBe(1);

  server.expire();
  await all((bot) => bot.kill("SIGKILL"));
  const before = new Map(bots.map((bot) => [bot, bot.output().length]));
  const since = (bot: Bot) => bot.output().slice(before.get(bot));
  await all((bot) => bot.start());
  await all((bot) => until(() => since(bot).includes('"mcp_connected"'), { what: () => "both to be connected" }));
  expect(server.authority.codes()).toBe(codes + 1);
  expect(new Set(server.tokens).size).toBe(2);

  await runCli(["mcp", "sign-out", "web"], { cwd: at.one.home, env: at.one.env });
  await all((bot) => until(() => since(bot).includes('"mcp_not_connected"'), { what: () => "both to be signed out" }));
});
