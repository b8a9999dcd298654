import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { serveSites } from "../../../src/features/sites/serve-sites.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { siteWorld } from "./site-world.ts";

/** A port that is occupied until `giveUp`. */
async function taken() {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const address = holder.address();
  const giveUp = async () => {
    holder.close();
    await once(holder, "close");
  };
  return { port: typeof address === "object" && address !== null ? address.port : 0, giveUp };
}

async function serving(port: number, isShared: boolean) {
  const { sites } = await siteWorld();
  const clock = new ManualClock();
  const events: string[] = [];
  const log = { ...silentLog, info: (_fields: object, event?: string) => void events.push(String(event)) };
  const given = { host: "127.0.0.1", port, url: null, sites, passKey: "a secret", clock, log, isShared };
  return { clock, events, begin: () => serveSites(given) };
}

test("a process that finds the port in use by another one says so once, and serves when that one ends", async () => {
  const { port, giveUp } = await taken();
  const { clock, events, begin } = await serving(port, true);
  const server = await begin();
  onTestFinished(() => server.close());
  expect(server.port).toBe(port);
  await clock.advance(10_000);
  expect(events).toEqual(["sites_served_by_another_process"]);

  await giveUp();
  await expect
    .poll(async () => {
      await clock.advance(2_000);
      return events.at(-1);
    })
    .toBe("sites_served");
  expect((await fetch(`http://127.0.0.1:${port}/sites/docs/`)).status).toBe(404);
});

test("shutdown ends the wait for the port", async () => {
  const { port, giveUp } = await taken();
  const { clock, begin } = await serving(port, true);
  const server = await begin();
  await server.close();
  await giveUp();
  expect(clock.pending).toBe(0);
});

test("a single process that finds the port in use is told to choose another", async () => {
  const { port, giveUp } = await taken();
  onTestFinished(giveUp);
  const { begin } = await serving(port, false);
  await expect(begin()).rejects.toThrow(`Port ${port} is in use. Set \`sites.port\` to a free one.`);
});
