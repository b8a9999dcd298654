import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { guardedServer, inBrowser } from "../../features/mcp/sign-in/authority.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import { untilConnected } from "../../support/program/bot.ts";
import { runCli } from "../../support/program/cli.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

/** Runs `deckhand mcp sign-in web` beside the running program, and pastes what the browser ends at. */
async function signIn(at: SlackOffice): Promise<void> {
  const stdin = new PassThrough();
  const said = (line: string) => {
    if (!/^http\S+\/auth\?/u.test(line)) return;
    const pasted = inBrowser(line).then((back) => stdin.write(`${back}\n`));
    pasted.catch((error: Error) => stdin.destroy(error));
  };
  const { failed, out, error } = await runCli(["mcp", "sign-in", "web"], {
    cwd: at.bot.home,
    env: at.env,
    stdin,
    said,
  });
  expect({ failed, error }, out).toEqual({ failed: false, error: "" });
}

function filesIn(directory: string): string[] {
  const all = readdirSync(directory, { withFileTypes: true, recursive: true });
  return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

test("a running bot says that a server wants a sign-in, connects after it, keeps it over a kill, and loses it with the sign-out", async () => {
  const server = await guardedServer();
  await using at = await slackOffice({ settings: { mode: "agi", mcpServers: { web: server.settings } } });
  at.model.script(({ toolResults: [result] }) =>
    result === undefined ? toolUse("mcp__web__go", {}) : text(`It said: ${result.text}`),
  );
  const answer = (words: string) => at.talk({ text: words, channel: at.channel() }).answered(1);
  await at.bot.start();
  const wants = "it wants a sign-in; an operator must run `deckhand mcp sign-in web`";
  expect(await answer("before")).toContain(wants);
  await signIn(at);
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
  expect(out).toBe("✓ The sign-in to web is forgotten, and its service has revoked it.");
  await at.until("the sign-out", async () => (await answer("and now")).includes(wants));

  for (const token of server.tokens) {
    expect(at.bot.output()).not.toContain(token);
    for (const file of filesIn(at.bot.home)) expect(readFileSync(file, "latin1")).not.toContain(token);
  }
  expect(at.model.violations).toEqual([]);
});
