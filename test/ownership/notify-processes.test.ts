import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCluster } from "../../src/core/store/cluster/cluster.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { replicaOptions } from "../support/database/cluster.ts";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { runCli } from "../support/program/cli.ts";
import { tempDirectory } from "../support/temp-directory.ts";

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

test("running processes are notified of accounts and keys changed on the command line", async () => {
  const [url, cwd] = [await postgres.createDatabase(), tempDirectory()];
  const env = { DATABASE_URL: url, DECKHAND_ENGINE: "dbos" };
  const run = (args: readonly string[], typed = "") =>
    runCli(args, { cwd, env, stdin: Readable.from([Buffer.from(`${typed}\n`)]) });
  const cluster = await openCluster(replicaOptions(url, systemRuntime()));
  const heard: string[] = [];
  for (const topic of ["logins", "keys"] as const) cluster.subscribe(topic, () => heard.push(topic));
  expect(await run(["user", "add", "vera"], "correct horse battery")).toMatchObject({ error: "", failed: false });
  await expect.poll(() => heard).toEqual(["logins"]);
  expect(await run(["user", "remove", "vera"])).toMatchObject({ error: "", failed: false });
  await expect.poll(() => heard).toEqual(["logins", "logins"]);
  expect((await run(["user", "remove", "vera"])).failed).toBe(true);
  expect(await run(["keys", "set", "deepseek"], "sk-of-the-operator-0123456789")).toMatchObject({ failed: false });
  await expect.poll(() => heard).toEqual(["logins", "logins", "keys"]);
  await cluster.leave();
  await cluster.close();
});
