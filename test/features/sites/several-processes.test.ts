import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createCopies } from "../../../src/features/sites/copies.ts";
import { createPassIssuer } from "../../../src/features/sites/pass-issuer.ts";
import { sharedLock } from "../../support/shared-lock.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { ANA, siteWorld } from "./site-world.ts";

test("a starting process keeps the files that another one is publishing, and serves them afterwards", async () => {
  const lock = sharedLock();
  const one = await siteWorld({ lock });
  const other = await siteWorld({ lock, home: one.home });
  const pages = Array.from({ length: 30 }, (_, index) => [`${index}.html`, "<p>page"]);
  one.put("docs", { "index.html": "<p>hello", ...Object.fromEntries(pages) });
  const source = { root: one.root, directory: "docs" };
  const sweeping: Promise<void>[] = [];
  const progress = () => {
    if (sweeping.length === 0) sweeping.push(other.sites.sweep());
  };
  const publication = { name: "docs", source, channelKey: "slack:C1", by: ANA, key: "1", progress };
  await one.sites.publish(publication, AbortSignal.timeout(60_000));
  await Promise.all(sweeping);
  const page = await fetch(`${other.origin}/sites/docs/29.html`);
  expect(await page.text()).toBe("<p>page");
});

test("two processes that start concurrently share one signing key for passes, which the sweep keeps", async () => {
  const directory = path.join(tempDirectory(), "sites");
  const all = [createCopies(directory), createCopies(directory)];
  const keys = await Promise.all(all.map((copies) => copies.passKey()));
  // A third one is about to give it its name.
  const draft = path.join(directory, "pass.key.draft");
  writeFileSync(draft, "");
  await all[0]?.sweep(new Set());
  expect(existsSync(draft)).toBe(true);
  keys.push(await createCopies(directory).passKey());
  const clock = { now: () => 1_800_000_000_000 };
  const site = { name: "docs", passwordHash: null };
  const passes = keys.map((key) => createPassIssuer(clock, key).issue(site));
  expect(new Set(passes).size).toBe(1);
});
