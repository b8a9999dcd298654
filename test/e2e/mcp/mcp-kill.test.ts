import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hostile } from "../../features/mcp/connected.ts";
import { slackOffice } from "../../support/talk/slack-talk.ts";

/** Processes that have this in their environment. */
function processesWith(mark: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, "utf8").includes(mark);
      const isOver = /^State:\s+Z/mu.test(readFileSync(`/proc/${name}/status`, "utf8"));
      return isOurs && !isOver ? [Number(name)] : [];
    } catch {
      // It has ended meanwhile, or is another user's.
      return [];
    }
  });
}

test.runIf(process.platform === "linux")("a bot that is killed leaves no server behind", async () => {
  const mark = `DECKHAND_TEST_MARK=${process.pid}-${Date.now()}`;
  const [name = "", value = ""] = mark.split("=");
  // The end of its input and SIGTERM do not end it; the other is wrapped in a shell, as npx does it.
  const stubborn = hostile("stubborn", { env: { [name]: value } });
  const line = [stubborn.command, ...(stubborn.args ?? [])].map((word) => `'${word}'`).join(" ");
  const wrapped = { command: "/bin/sh", args: ["-c", `${line}; exit`], env: { [name]: value } };
  await using office = await slackOffice({ settings: { mcpServers: { stubborn, wrapped } } });
  await office.bot.start();
  await office.until("the servers", () => processesWith(mark).length === 3);
  await office.bot.kill("SIGKILL");
  await office.until("their end", () => processesWith(mark).length === 0);
  expect(processesWith(mark)).toEqual([]);
});
