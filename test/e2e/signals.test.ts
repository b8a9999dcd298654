import { expect, test } from "vitest";
import { createBot } from "../support/program/bot.ts";

test("closing the terminal stops the program as SIGTERM does", async () => {
  await using bot = await createBot();
  await bot.start();
  expect(await bot.kill("SIGHUP")).toBe(0);
  expect(bot.output()).toMatch(/"signal":"SIGHUP","event":"stopping"/u);
});
