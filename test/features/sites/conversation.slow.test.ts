import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Reply, text, toolUse } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { freePort } from "../../support/program/free-port.ts";
import { visitPage } from "../../support/program/page-visit.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { asks, cards, rootOf } from "../../support/talk/approval-talk.ts";
import { typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

let browser: Browser;
let at: SlackOffice;
let origin: string;

useShared(
  async () => {
    browser = await sharedBrowser();
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    at = await slackOffice({ settings: { sites: { port }, mode: "agi", access: { admins: ["slack:U0CHIEF"] } } });
    at.model.script((request): Reply => {
      const asked = /publish (\S+) as (\S+)/u.exec(request.lastUserText);
      if (request.toolResults.length > 0 || asked === null) return text("Done.");
      const [, directory, name] = asked;
      return toolUse("use_tool", { name: "publish_site", input: { directory, name } });
    });
    await at.bot.start();
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

function put(channel: string, directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(rootOf(at, channel), directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

const sites = (line: string, channel: string, user = "U0ANA") => typed(at, line, { channel, user, name: "sites" });

async function visited(url: string): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  return page;
}

/** A page that uses what pages use: a style, a module, an image, and a file of data. */
const WORKING = {
  "index.html":
    '<!doctype html><title>Heron</title><link rel="stylesheet" href="style.css"><h1>The heron</h1><img src="logo.svg" id="logo"><p id="data"></p><script type="module" src="app.js"></script>',
  "style.css": "h1 { color: rgb(0, 128, 128) }",
  "logo.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>',
  "data.json": '{"birds": 3}',
  "words.js": 'export const words = (birds) => birds + " birds";',
  "app.js":
    'import { words } from "./words.js"; const { birds } = await (await fetch("data.json")).json(); document.getElementById("data").textContent = words(birds);',
  ".env": "TOKEN=x",
};

test("a site published by a thread after approval works in a browser with all assets, also after a kill", async () => {
  const channel = at.channel();
  put(channel, "site", WORKING);
  const talk = at.talk({ text: "publish site as heron", channel });
  await asks(at, talk);
  const [card] = cards(talk);
  expect(JSON.stringify(card)).toContain("Publish heron?");
  for (const words of ["6 files", "index.html", "style.css", `${origin}/sites/heron/`, "left out: 1"]) {
    expect(JSON.stringify(card)).toContain(words);
  }
  // In mode agi, too; and no answer of the card is remembered.
  expect(card?.buttons.map(({ id }) => id.split(":")[1])).toHaveLength(2);
  expect((await fetch(`${origin}/sites/heron/`)).status).toBe(404);
  talk.click("approve:");
  await at.until("the tool's result", () => at.requestsAbout("Published as version 1").length > 0);
  expect(JSON.stringify(at.model.requests.flatMap(({ toolResults }) => toolResults))).toContain(
    `Published as version 1: ${origin}/sites/heron/`,
  );
  const works = async () => {
    const page = await visited(`${origin}/sites/heron/`);
    await page.getByText("3 birds").waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe("rgb(0, 128, 128)");
    expect(await page.evaluate("document.getElementById('logo').naturalWidth")).toBe(40);
    await page.close();
  };
  await works();
  await at.bot.kill("SIGKILL");
  const left = path.join(at.bot.home, "data/sites/site_left_behind");
  mkdirSync(left);
  await at.bot.start();
  await works();
  expect(existsSync(left)).toBe(false);
});

/** Tries whatever a page can try against another of the same machine, and writes down what came of it. */
const HOSTILE = (page: string) => `<!doctype html><title>Hostile</title><pre id="out"></pre><script>
const out = {};
const attempt = async (name, what) => { try { out[name] = await what(); } catch (error) { out[name] = "refused " + error.name; } };
const within = (work) => new Promise((resolve, reject) => { work(resolve, reject); setTimeout(() => resolve("silent"), 3000); });
(async () => {
  await attempt("origin", () => self.origin);
  await attempt("cookie", () => document.cookie);
  await attempt("setCookie", () => { document.cookie = "deckhand_${new URL(page).port}=evil; path=/"; return document.cookie; });
  await attempt("storage", () => localStorage.length);
  await attempt("fetch", async () => (await fetch("${page}/session", { credentials: "include" })).status);
  await attempt("blindFetch", async () => (await fetch("${page}/session", { credentials: "include", mode: "no-cors" })).type);
  await attempt("post", async () => (await fetch("${page}/files?name=x", { method: "POST", mode: "no-cors", body: "x" })).type);
  await attempt("socket", () => within((resolve, reject) => { const ws = new WebSocket("${page.replace("http", "ws")}/live"); ws.onopen = () => resolve("open"); ws.onerror = () => reject(new Error("closed")); }));
  await attempt("frame", () => within((resolve) => { const f = document.createElement("iframe"); f.src = "${page}/"; f.onload = () => { try { resolve(f.contentDocument === null ? "closed" : f.contentDocument.title); } catch (e) { resolve("closed"); } }; document.body.append(f); }));
  await attempt("window", () => within((resolve) => { const w = window.open("${page}/"); if (w === null) return resolve("blocked"); setTimeout(() => { try { resolve(w.document.title); } catch (e) { resolve("closed"); } }, 1500); }));
  await attempt("worker", () => within((resolve, reject) => { navigator.serviceWorker.register("sw.js").then(() => resolve("registered"), reject); }));
  await attempt("image", () => within((resolve) => { const i = new Image(); i.onload = () => resolve("loaded"); i.onerror = () => resolve("blocked"); i.src = "${page}/logo.png"; }));
  document.getElementById("out").textContent = JSON.stringify(out) + " done";
})();
</script>`;

test("a hostile site cannot use the page open beside it: neither cookies, responses, sockets nor windows", async () => {
  const channel = at.channel();
  const pageOrigin = `http://127.0.0.1:${at.bot.port}`;
  put(channel, "evil", { "index.html": HOSTILE(pageOrigin), "sw.js": "" });
  expect(await sites("publish evil evil", channel)).toContain("Published as version 1");
  await using visit = await visitPage(at.bot, browser);
  const cookies = await visit.context.cookies();
  const beside = await visit.context.newPage();
  await beside.goto(`${origin}/sites/evil/`);
  await beside.getByText(" done").waitFor({ timeout: 60_000 });
  const said = (await beside.locator("#out").textContent()) ?? "";
  const out: unknown = JSON.parse(said.replace(/ done$/u, ""));
  expect(out).toEqual({
    origin: "null",
    cookie: "refused SecurityError",
    setCookie: "refused SecurityError",
    storage: "refused SecurityError",
    fetch: "refused TypeError",
    blindFetch: "refused TypeError",
    post: "refused TypeError",
    socket: expect.stringMatching(/^refused/u),
    frame: expect.stringMatching(/^(?:closed|silent)$/u),
    window: expect.stringMatching(/^(?:closed|blocked)$/u),
    worker: expect.stringMatching(/^refused/u),
    image: "blocked",
  });
  expect(await visit.context.cookies()).toEqual(cookies);
  await visit.say("are you there?");
  await visit.messages.getByText("Done.").first().waitFor();
  expect(visit.complaints).toEqual([]);
});

test("a protected site asks for its password in the browser, and its pages work after that", async () => {
  const channel = at.channel();
  put(channel, "site", WORKING);
  await sites("publish egret site", channel);
  const said = await sites("protect egret", channel);
  const [, password = ""] = /`([\w-]{16})`/u.exec(said) ?? [];
  const page = await visited(`${origin}/sites/egret/`);
  await page.getByLabel("Password").fill("guess");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("That is not the password.").waitFor();
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("3 birds").waitFor();
  await page.close();
  expect(await sites("protect egret off", channel)).toContain("no longer asks for a password");
  const open = await visited(`${origin}/sites/egret/`);
  await open.getByText("3 birds").waitFor();
  await open.close();
});

test("/sites publishes, lists, rolls back and removes sites; only the publisher and admins may change one", async () => {
  const channel = at.channel();
  expect(await sites("", channel)).toContain("There are no sites here");
  expect(await sites("publish", channel)).toContain("Tell me the name and the directory");
  expect(await sites("publish crane none", channel)).toContain("✗ none does not exist.");
  expect(await sites("publish Crane none", channel)).toContain("✗ A site's name has");
  put(channel, "site", { "index.html": "first" });
  expect(await sites("publish crane site", channel)).toContain("Published as version 1");
  put(channel, "site", { "index.html": "second" });
  expect(await sites("publish --name crane --directory site", channel)).toContain("Published as version 2");
  const url = `${origin}/sites/crane/`;
  expect(await (await fetch(url)).text()).toBe("second");
  expect(await sites("list", channel)).toMatch(/crane.*version 2.*ana.*1 file, 6 bytes.*kept: 1/u);
  expect(await sites("list", at.channel())).toContain("There are no sites here");
  for (const line of ["rollback crane", "unpublish crane", "protect crane"]) {
    expect(await sites(line, channel, "U0BOB")).toContain("only they and admins can change it");
    expect(await sites(line, at.channel())).toContain("There is no site");
  }
  expect(await sites("rollback crane", channel)).toContain("is version 1 again");
  expect(await (await fetch(url)).text()).toBe("first");
  expect(await sites("rollback crane", channel)).toContain("no version before 1");
  expect(await sites("rollback crane x", channel)).toContain("A version is a number");
  expect(await sites("rollback crane 2", channel, "U0CHIEF")).toContain("is version 2 again");
  expect(await sites("protect crane hunter2", channel)).toContain("I create the password myself");
  expect(await sites("unpublish crane", channel)).toContain("Removed crane");
  expect((await fetch(url)).status).toBe(404);
  expect(await sites("unpublsh crane", channel)).toContain("unpublish");
});

test("in mode read neither a person nor the agent can publish", async () => {
  const channel = at.channel();
  put(channel, "site", { "index.html": "x" });
  const talk = at.talk({ text: "hello", channel });
  await talk.answered(1);
  const before = at.model.requests.length;
  talk.mention("/mode read");
  await at.until(
    "the mode",
    () =>
      at.ephemeralsTo("U0ANA").some((said) => said.includes("Mode")) ||
      talk.answers().length > 1 ||
      JSON.stringify(talk.seen()).includes("ode **read"),
  );
  talk.mention("publish site as stork");
  await at.until("the tool's result", () => at.model.requests.length >= before + 2);
  expect(JSON.stringify(at.model.requests.slice(before).map(({ toolResults }) => toolResults))).toContain("mode");
  expect(cards(talk)).toEqual([]);
  expect((await fetch(`${origin}/sites/stork/`)).status).toBe(404);

  talk.mention("/sites publish stork site");
  await at.until("the refusal", () => at.ephemeralsTo("U0ANA").some((said) => said.includes("I can't publish here")));
  expect((await fetch(`${origin}/sites/stork/`)).status).toBe(404);
});
