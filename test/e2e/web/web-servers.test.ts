import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everything } from "../../features/mcp/connected.ts";
import { everythingOverHttp } from "../../features/mcp/everything-http.ts";
import { createBot } from "../../support/program/bot.ts";
import { openBrowser } from "../../support/program/browser.ts";
import { freePort } from "../../support/program/free-port.ts";
import { visitPage } from "../../support/program/page-visit.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

test("the page shows how each MCP server stands, and a server that comes and goes without being asked", async () => {
  const port = await freePort();
  const mcpServers = {
    all: everything({ description: "a bit of everything" }),
    gone: { command: "/nowhere/at/all" },
    late: { url: `http://127.0.0.1:${port}/mcp` },
    off: { command: "x", disabled: true },
    unset: { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${NOT_SET_ANYWHERE}" } },
  };
  await using bot = await createBot();
  writeFileSync(path.join(bot.home, "deckhand.config.json"), JSON.stringify({ mcpServers }));
  await bot.start();
  await using visit = await visitPage(bot, browser);
  const list = visit.page.getByRole("region", { name: "MCP servers" });
  const server = (words: RegExp) => list.getByRole("listitem").filter({ hasText: words });

  await server(/^ all · \d+ tools · a bit of everything$/u).waitFor();
  await server(/^ gone is not connected: its program is not found\. Next try in \d+ s\.$/u).waitFor();
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
