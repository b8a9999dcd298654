import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { text, toolUse } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { useShared } from "../../support/run/use-shared.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { everything } from "../mcp/connected.ts";
import {
  addAccount,
  consoleOffice,
  expectSound,
  handMade,
  leave,
  link,
  originOf,
  signedIn,
  WIDTHS,
} from "./console-world.ts";

/** The pages of tools, of MCP servers, of providers and of the audit log, in a real browser over the whole program. */

const HOSTILE = `<img src=x onerror="document.title='taken'"> [click](javascript:alert(1))`;
/** How many tools a large server lists, and how many of them are taken. */
const MANY = 1_004;
const TAKEN = 1_000;

/** A server over stdio that lists many tools, and describes them with what no page may take for its own. */
const LARGE = `
import { createInterface } from "node:readline";
const schema = { type: "object", properties: { note: { type: "string", description: ${JSON.stringify(HOSTILE)} } } };
const tools = Array.from({ length: ${MANY} }, (_, at) => ({
  name: "tool_" + at, description: ${JSON.stringify(HOSTILE)}, inputSchema: schema, annotations: { title: ${JSON.stringify(HOSTILE)} },
}));
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: ${JSON.stringify(HOSTILE)}, version: "1" }, instructions: ${JSON.stringify(HOSTILE)} }),
  "tools/list": () => ({ tools }),
  ping: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }));
}
`;

let browser: Browser;
let at: SlackOffice;
let directory: string;

useShared(
  async () => {
    browser = await sharedBrowser();
    directory = mkdtempSync(path.join(tmpdir(), "deckhand-large-"));
    const file = path.join(directory, "large.mjs");
    writeFileSync(file, LARGE);
    at = await consoleOffice({
      mcpServers: {
        all: everything({ tools: { "get-*": { permission: "read" } } }),
        gone: { command: "/nowhere/at/all" },
        large: { command: process.execPath, args: [file] },
        off: { command: "x", disabled: true },
      },
    });
    await addAccount(at, { name: "ana", role: "admin" });
    await addAccount(at, { name: "olga", role: "operator" });
    await addAccount(at, { name: "vera", role: "viewer" });
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  },
);

describe("tools and MCP servers", () => {
  const server = (page: Page, name: string) => page.getByRole("region", { name: new RegExp(`^${name} `, "u") });

  test("each server is shown with its state and numbers of tools, and an operator can reconnect it", async () => {
    const page = await signedIn(at, browser, { name: "olga", section: "mcp" });
    await server(page, "all").getByText("Connected since").waitFor();
    await server(page, "all")
      .getByText(/\d+ tools that read/u)
      .waitFor();
    await server(page, "all")
      .getByText(/\d+ tools that send/u)
      .waitFor();
    await server(page, "large")
      .getByText(`${MANY - TAKEN} left out`)
      .waitFor();
    await server(page, "gone").getByText("its program was not found").waitFor();
    await server(page, "off").getByText("disabled in the settings").waitFor();
    expect(await server(page, "off").getByRole("button").count()).toBe(0);

    await page.getByRole("button", { name: "Reconnect all" }).press("Enter");
    await server(page, "all").getByRole("status").getByText("Connected.").waitFor();
    await page.getByRole("button", { name: "Reconnect all" }).press("Enter");
    await server(page, "all").getByRole("status").getByText("Wait a few seconds").waitFor();
    await page.getByRole("button", { name: "Reconnect gone" }).click();
    await server(page, "gone").getByRole("status").getByText("its program was not found").waitFor();
    await leave(page);
  });

  test("a viewer can read the servers but not reconnect one, even by a hand-made request", async () => {
    const page = await signedIn(at, browser, { name: "vera", section: "mcp" });
    await server(page, "all").getByText("Connected since").waitFor();
    expect(await page.getByRole("button", { name: /^Reconnect/u }).count()).toBe(0);
    const refused = await handMade(page, "/features/mcp/reconnect", { name: "all" });
    expect(refused).toMatchObject({ status: 403, body: expect.stringContaining("Your account may only read") });
    await leave(page);
  });

  const toolsSchema = z.object({ rows: z.array(z.looseObject({ name: z.string() })) });

  test("tools are listed with their permission and agents, can be searched, and show the description for models", async () => {
    const page = await signedIn(at, browser, { name: "vera", section: "tools" });
    const rows = page.getByRole("table", { name: "Tools" }).locator("tbody tr");
    await rows.filter({ hasText: "mcp__large__tool_999" }).waitFor();
    const bash = rows.filter({ has: page.getByRole("link", { name: "bash", exact: true }) });
    expect(await bash.textContent()).toMatch(/built in.*execute.*asks first.*changes files.*build/u);
    expect(await rows.filter({ has: page.getByRole("link", { name: "read", exact: true }) }).textContent()).toMatch(
      /built in.*read.*reads files.*build.*explore/u,
    );
    expect(await rows.filter({ hasText: "web_fetch" }).first().textContent()).toContain("sends data out");
    expect(await rows.filter({ hasText: "csv_query" }).textContent()).not.toContain("sends data out");

    const all = await rows.count();
    await page.getByRole("searchbox", { name: "Search tools" }).fill("tool_25");
    await expect.poll(() => rows.count()).toBe(11);
    await page.getByRole("searchbox", { name: "Search tools" }).fill("");
    await page.getByRole("combobox", { name: "From" }).selectOption("built in");
    await expect.poll(() => rows.count()).toBeLessThanOrEqual(all - TAKEN);
    await page.getByRole("searchbox", { name: "Search tools" }).fill("no such tool");
    await page.getByText("No tools match this search.").waitFor();

    await page.goto(`${originOf(at)}/#/tools/mcp__large__tool_7`);
    await page.getByRole("region", { name: "Description for models" }).getByText("onerror").waitFor();
    await page.getByRole("region", { name: "Arguments" }).getByText('"note"').waitFor();
    expect(await page.locator(".section img").count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await page.title()).not.toBe("taken");
    await page.goto(`${originOf(at)}/#/tools/nothing`);
    await page.getByText("There is no tool with that name.").waitFor();
    const listed = await page.evaluate(`fetch("/features/tools/list").then((answer) => answer.json())`);
    expect(toolsSchema.parse(listed).rows.length).toBe(all);
    await leave(page);
  });

  test("axe finds no accessibility violation in servers, tools and one tool, on any screen", async () => {
    const page = await signedIn(at, browser, { name: "olga" });
    for (const [address, there] of [
      ["mcp", "Connected since"],
      ["tools", "web_fetch"],
      ["tools/bash", "Description for models"],
    ] as const) {
      await page.goto(`${originOf(at)}/#/${address}`);
      await page.getByText(there).first().waitFor();
      await expectSound(page, address.replace("/", "-"));
    }
    await leave(page);
  });
});

/** How many titles of figures reach beyond their own row. */
const OVERLAPPING = `[...document.querySelectorAll("table.data td")].filter(
  (cell) => parseFloat(getComputedStyle(cell, "::before").height) > cell.getBoundingClientRect().height,
).length`;

describe("providers", () => {
  const rows = (page: Page) => page.getByRole("table", { name: "Providers" }).locator("tbody tr");

  test("axe finds no accessibility violation in the providers and their models, on any screen", async () => {
    const page = await signedIn(at, browser, { name: "ana", section: "providers" });
    await rows(page).first().waitFor();
    await expectSound(page, "providers");
    await page.goto(`${originOf(at)}/#/providers/anthropic`);
    await page.getByRole("table", { name: "Models of anthropic" }).waitFor();
    // A title of two lines on a narrow screen is not written over by the next one.
    await expectSound(page, "models", { also: async () => expect(await page.evaluate(OVERLAPPING)).toBe(0) });
    await leave(page);
  });

  test("a provider's models can be opened and its key tested by keyboard alone", async () => {
    const page = await signedIn(at, browser, { name: "ana" });
    await page.getByRole("list", { name: "Manage" }).getByRole("link", { name: "Providers" }).focus();
    await page.keyboard.press("Enter");
    await rows(page).filter({ hasText: "Anthropic" }).filter({ hasText: "from" }).waitFor();
    await page.getByRole("link", { name: /^Models of Anthropic/u }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "Models of anthropic" }).waitFor();
    await page.getByRole("link", { name: "All providers" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Test Anthropic" }).focus();
    await page.keyboard.press("Enter");
    await page
      .getByRole("status")
      .filter({ hasText: /[✓✗] Anthropic: /u })
      .waitFor();
    await leave(page);
  });

  test("a viewer sees which providers have a key, but cannot test one", async () => {
    const page = await signedIn(at, browser, { name: "vera", section: "providers" });
    await rows(page).filter({ hasText: "Anthropic" }).waitFor();
    expect(await page.getByRole("button", { name: /^Test/u }).count()).toBe(0);
    await leave(page);
  });
});

describe("the audit log and the navigation", () => {
  useShared(async () => {
    at.model.script((request) =>
      request.toolResults.length > 0
        ? text("Done.")
        : toolUse("bash", { command: "rm <b>old</b>.toml", description: "remove <b>old</b>" }),
    );
    const page = await signedIn(at, browser, { name: "ana" });
    await link(at, page, "U0ANA");
    await leave(page);
    const talk = at.talk({ text: "tidy up", channel: at.channel() });
    await at.until("the card", () => talk.seen().some(({ buttons }) => buttons.length > 1));
    talk.click("approve:y");
    await talk.answered(1);
  });

  const rows = (page: Page) => page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
  const sections = (page: Page) => page.getByRole("list", { name: "Manage" }).getByRole("link");

  test("axe finds no accessibility violation in the audit log, on any screen, nor in the menu of sections on narrow ones", async () => {
    const page = await signedIn(at, browser, { name: "ana", section: "audit" });
    await rows(page).filter({ hasText: "allowed a tool call" }).waitFor();
    await expectSound(page, "audit");
    await page.setViewportSize({ width: WIDTHS.narrow, height: 800 });
    await page.getByRole("button", { name: "Threads and jobs" }).click();
    await sections(page).filter({ hasText: "Audit log" }).waitFor();
    await expectSound(page, "sections", { widths: [WIDTHS.narrow] });
    await leave(page);
  });

  test("the log can be opened, filtered, and left for a decision's session by keyboard alone", async () => {
    const page = await signedIn(at, browser, { name: "ana" });
    await sections(page).filter({ hasText: "Audit log" }).focus();
    await page.keyboard.press("Enter");
    await rows(page).filter({ hasText: "added an account" }).first().waitFor();
    await page.getByRole("combobox", { name: "What" }).focus();
    await page.keyboard.type("allowed a tool");
    await expect.poll(() => rows(page).count()).toBe(1);
    const row = rows(page).first();
    // What tools and models say is text.
    expect(await row.textContent()).toContain("ana");
    const decision = row.getByRole("link");
    expect(await decision.locator("b").count()).toBe(0);
    await decision.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "tidy up" }).waitFor();
    await page.goBack();
    await rows(page).first().waitFor();
    await leave(page);
  });

  test("filtering by a day with 25 hours includes its last hour", async () => {
    const page = await signedIn(at, browser, { name: "ana", section: "audit", timezoneId: "Europe/Paris" });
    await rows(page).first().waitFor();
    const asked = page.waitForRequest((request) => request.url().includes("until=1"));
    await page.getByLabel("To").fill("2026-10-25");
    const { searchParams } = new URL((await asked).url());
    expect(searchParams.get("until")).toBe(`${Date.parse("2026-10-26T00:00+01:00")}`);
    await leave(page);
  });

  test("linked accounts and commands of the command line are recorded", async () => {
    const page = await signedIn(at, browser, { name: "ana", section: "audit" });
    await rows(page).filter({ hasText: "linked an account" }).filter({ hasText: "(slack:U0ANA)" }).waitFor();
    await rows(page)
      .filter({ hasText: "added an account" })
      .filter({ hasText: "vera" })
      .filter({ hasText: "command line" })
      .waitFor();
    await leave(page);
  });

  test("a viewer has no link to the log, and its address says that it is for admins", async () => {
    const page = await signedIn(at, browser, { name: "vera" });
    expect(await sections(page).filter({ hasText: "Audit log" }).count()).toBe(0);
    await page.goto(`${originOf(at)}/#/audit`);
    await page.getByText("Only admins can see this.").waitFor();
    expect(await rows(page).count()).toBe(0);
    await page.goto(`${originOf(at)}/#/nothing`);
    await page.getByText("There is no such page.").waitFor();
    await leave(page);
  });
});
