import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { DayGrowth } from "../../../src/tools/quotas/day-growth.ts";
import { createQuotas } from "../../../src/tools/quotas/quotas.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { text } from "../file-session.ts";
import { MB, useQuotas } from "./quota-session.ts";

const limits = { root: () => 10 * MB, person: 2 * MB, channel: 3 * MB };
const stage = useQuotas({ limits });
/** A stage of its own, because the restart test closes its quotas. */
const restarted = useQuotas({ limits });
const big = (call: number) => ({ path: `f${call}.txt`, content: "x".repeat(900_000) });
const DAY_MS = 86_400_000;

afterEach(() => stage.clock.advance(DAY_MS));

test("a person has a daily write quota across all channels, renewed the next day", async () => {
  const inChannels = ["slack:C1", "slack:C2", "slack:C3"].map((channel) =>
    stage.session({ person: "slack:UA", channel }),
  );
  const results = [];
  for (const session of inChannels) results.push(text(await session.run("write", big(1))));
  expect(results[2]).toContain("This person's requests have added 1.8 MB of 2 MB to files today");
  const [, , last] = inChannels;
  const other = stage.session({ person: "slack:UB", channel: "slack:C3" });
  expect((await other.run("write", big(1))).isError, "another person is not touched by it").toBe(false);
  await stage.clock.advance(DAY_MS);
  expect((await last?.run("write", big(1)))?.isError).toBe(false);
});

test("a channel has a daily write quota across all people", async () => {
  const people = ["A", "B", "C", "D"].map((id) => stage.session({ person: `slack:U${id}1`, channel: "slack:CX" }));
  const results = [];
  for (const session of people) results.push(text(await session.run("write", big(1))));
  expect(results[3]).toMatch(/This channel's requests have added 2\.7 MB of 3 MB to files today/u);
});

test("deleting files that a person added that day frees quota; deleting older files does not", async () => {
  const session = stage.session();
  session.put("old.bin", Buffer.alloc(5 * MB));
  await session.run("bash", { command: "rm old.bin" });
  for (let round = 0; round < 4; round++) {
    await session.run("write", big(1));
    await session.run("write", big(2));
    expect(text(await session.run("write", big(3)))).toContain("added 1.8 MB of 2 MB");
    expect((await session.run("bash", { command: "rm f1.txt f2.txt" })).isError).toBe(false);
  }
});

test("a program that deletes others' files gains no quota", async () => {
  const session = stage.session();
  session.put("old.bin", Buffer.alloc(5 * MB));
  const code = 'fs.rmSync("old.bin"); for (let i = 0; i < 4; i++) fs.writeFileSync("f" + i, "x".repeat(900000));';
  expect(text(await session.run("js_exec", { code }))).toContain("added 1.8 MB of 2 MB");
});

test("a restart does not reset the daily quota", async () => {
  const session = restarted.session({ person: "slack:UR" });
  await session.run("write", big(1));
  await session.run("write", big(2));
  await restarted.quotas.close();
  const { clock, file } = restarted;
  const again = createQuotas({
    limits,
    isGiven: () => false,
    ledger: new DayGrowth({ file, clock, log: silentLog }),
    clock,
    log: silentLog,
  });
  const place = { root: session.root, personId: "slack:UR", channelKey: "slack:CR" };
  expect(() => again.take(place, 900_000)).toThrow(/added 1\.8 MB of 2 MB/u);
  writeFileSync(file, "nothing of ours");
  const anew = createQuotas({
    limits,
    isGiven: () => false,
    ledger: new DayGrowth({ file, clock, log: silentLog }),
    clock,
    log: silentLog,
  });
  expect(() => anew.take(place, 900_000)).not.toThrow();
});

test("in an operator's directory only added bytes count, also after a restart", async () => {
  const [root, home] = [path.join(tempDirectory(), "checkout"), tempDirectory()];
  mkdirSync(root);
  writeFileSync(path.join(root, "there.bin"), Buffer.alloc(3 * MB));
  const open = () => {
    const limits = { root: () => MB, person: 20 * MB, channel: 20 * MB };
    const file = path.join(home, "growth.json");
    const { clock } = stage;
    const ledger = new DayGrowth({ file, clock, log: silentLog });
    return createQuotas({ limits, isGiven: () => true, ledger, clock, log: silentLog });
  };
  const place = { root, personId: null, channelKey: "slack:C1" };
  const first = open();
  await first.ready(place);
  first.take(place, 900_000);
  writeFileSync(path.join(root, "new.bin"), Buffer.alloc(900_000));
  expect(() => first.take(place, 200_000)).toThrow(/The files here have grown by 900 kB of 1 MB/u);
  await first.close();
  const second = open();
  await second.ready(place);
  expect(() => second.take(place, 200_000)).toThrow(/The files here have grown by 90\d\.\d kB of 1 MB/u);
});

test("contents kept for undo have a quota of their own, beyond which changes are made without being kept", async () => {
  const session = stage.session();
  const before = kept();
  // Content that is already kept is not kept again.
  const mark = randomUUID();
  for (let call = 0; call < 4; call++) {
    const result = await session.run("js_exec", {
      code: `fs.writeFileSync("a", "${call}".repeat(900000) + "${mark}")`,
    });
    expect(result.isError).toBe(false);
  }
  expect(readFileSync(path.join(session.root, "a"), "utf8")).toMatch(/^3{900000}/u);
  expect(kept() - before).toBe(2);
});

function kept(): number {
  return readdirSync(path.join(path.dirname(stage.file), "kept"), { withFileTypes: true }).filter((entry) =>
    /^[0-9a-f]{64}$/u.test(entry.name),
  ).length;
}

test("files added by a call whose process died are found, and count for the requester", async () => {
  const session = stage.session();
  const code = 'fs.writeFileSync("a", "x".repeat(900000)); fs.writeFileSync("b", "x".repeat(900000)); while (true);';
  const dying = session.run("js_exec", { code, timeout: 30 });
  const written = () => statSync(path.join(session.root, "b"), { throwIfNoEntry: false })?.size;
  await expect.poll(written).toBe(900_000);
  process.kill(stage.sandbox.pid() ?? 0, "SIGKILL");
  expect((await dying).isError).toBe(true);
  expect(text(await session.run("write", big(3)))).toContain("added 1.8 MB of 2 MB");
});
