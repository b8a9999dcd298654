import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/tools/wasm/sandbox.ts";
import { createWebFetch } from "../../src/tools/web/web-fetch.ts";
import { type Reply, ScriptedModel } from "../core/agent/query-fixture.ts";
import { SANDBOX_CHILD } from "../support/program/built.ts";
import { type SimOffice, simOffice } from "../support/simulation/sim-office.ts";
import { ANA, BOB } from "../support/simulation/sim-people.ts";
import { exceptPublic, PUBLIC, startSite } from "./network/fetch-session.ts";

/** A model that fetches the requested URL and repeats the first line of the result. */
function fetching(): ScriptedModel {
  return new ScriptedModel((request): Reply => {
    const last = JSON.stringify(request.messages.at(-1)?.content);
    const result = /"tool_result".*?"text":"(.*?)(?:\\n|")/u.exec(last)?.[1];
    if (result !== undefined) return { text: `It says: ${result}` };
    const url = /fetch (http[^\s"\\]+)/u.exec(last)?.[1] ?? "";
    return { calls: [{ id: `call_${request.messages.length}`, name: "web_fetch", input: { url } }] };
  });
}

/** An office in which all host names resolve to one site, and none is on the list of allowed hosts. */
async function fetchingOffice() {
  const sandbox = createSandbox(SANDBOX_CHILD);
  onTestFinished(() => sandbox.close());
  const site = await startSite((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: site.at("other.example", "/secret") }).end();
    else response.setHeader("content-type", "text/plain").end(`content of ${request.headers.host}${request.url}`);
  });
  const resolved: string[] = [];
  const resolve = (name: string) => {
    resolved.push(name);
    return Promise.resolve([PUBLIC]);
  };
  const tool = createWebFetch(sandbox, { isForbiddenAddress: exceptPublic, resolve });
  const office = await simOffice({ model: fetching(), tools: [tool] });
  return { office, site, resolved };
}

/** Advances the office's clock in step with real time, which real connections need, until the answer has arrived. */
async function answered(office: SimOffice, thread: string, count: number): Promise<string> {
  const answers = () => office.messages(thread).filter(({ markdown }) => markdown.startsWith("It says: "));
  while (answers().length < count) {
    await delay(10);
    await office.pass(10);
  }
  return answers().at(-1)?.markdown ?? "";
}

test("a host allowed for the session is not asked for again, another one is", async () => {
  const { office, site, resolved } = await fetchingOffice();
  await office.say(`fetch ${site.at("page.example", "/one")}`, { by: ANA, thread: "1" });
  const [card] = office.cards("1");
  expect(card?.markdown).toContain(`page.example:${site.port} is not on the list of allowed hosts.`);
  expect(resolved, "nothing is looked up before a person has decided").toEqual([]);
  await office.click("approve:a", { by: ANA, thread: "1" });
  expect(await answered(office, "1", 1)).toContain("HTTP 200 OK");

  await office.say(`fetch ${site.at("page.example", "/two?x=1")}`, { by: ANA, thread: "1" });
  expect(office.cards("1")).toEqual([]);
  expect(await answered(office, "1", 2)).toContain("HTTP 200 OK");
  expect(site.requests.map(({ url }) => url)).toEqual(["/one", "/two?x=1"]);

  await office.say(`fetch ${site.at("other.example", "/three")}`, { by: ANA, thread: "1" });
  expect(office.cards("1")).toHaveLength(1);
  await office.say(`fetch ${site.at("page.example", "/four")}`, { by: BOB, thread: "2" });
  expect(office.cards("2"), "the grant holds for its session").toHaveLength(1);
  expect(site.requests).toHaveLength(2);
});

test("a redirect from an allowed host to another one is reported, not followed", async () => {
  const { office, site, resolved } = await fetchingOffice();
  await office.say(`fetch ${site.at("page.example", "/away")}`, { by: ANA, thread: "1" });
  await office.click("approve:a", { by: ANA, thread: "1" });
  expect(await answered(office, "1", 1)).toContain("redirects to another host, which this call may not reach");
  expect(site.requests.map(({ url }) => url)).toEqual(["/away"]);
  expect(resolved).toEqual(["page.example"]);
});

test("a private address is refused before anybody is asked", async () => {
  const { office, site } = await fetchingOffice();
  await office.say(`fetch http://127.0.0.1:${site.port}/`, { by: ANA, thread: "1" });
  expect(await answered(office, "1", 1)).toContain("is not a public address");
  expect(office.cards("1")).toEqual([]);
  expect(site.requests).toEqual([]);
});
