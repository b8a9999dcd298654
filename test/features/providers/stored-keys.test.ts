import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { liveProviders } from "../../../src/core/providers/registry/live-providers.ts";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { keyReads, keyWrites } from "../../../src/features/providers/store.ts";
import { openKeys, removeKey, storeKey } from "../../../src/features/providers/stored-keys.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { seal, unseal } from "../../../src/tools/secrets/sealed.ts";
import { readSealingKey } from "../../../src/tools/secrets/sealing-key.ts";
import { startPostgres } from "../../support/database/postgres.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const KEY = "sk-plain-text-of-a-key-0042";

const DATABASES = {
  SQLite: () => Promise.resolve({ url: `file:${tempDirectory()}/keys.db`, stop: () => Promise.resolve() }),
  PostgreSQL: async () => {
    const postgres = await startPostgres();
    return { url: await postgres.createDatabase(), stop: () => postgres.stop() };
  },
};

async function opened(open: () => Promise<{ url: string; stop: () => Promise<unknown> }>) {
  const { url, stop } = await open();
  onTestFinished(async () => {
    await stop();
  });
  const store = await openStore(url, systemRuntime());
  onTestFinished(() => store.close());
  const home = tempDirectory();
  const world = { store, clock: new ManualClock(), home, given: null, providers: {} };
  return { url, store, home, world, file: path.join(home, "keys/secret.key") };
}

const rowsOf = (store: Store) => store.tables(keyReads).all();

test.each(Object.entries(DATABASES))(
  "%s stores keys encrypted, and the next process can decrypt them",
  async (name, open) => {
    const { url, store, world, file } = await opened(open);
    expect(await openKeys(world)).toEqual({ keys: new Map(), stored: [], problem: null });
    expect(await storeKey({ provider: "openai", key: KEY, by: "ana" }, world)).toBeNull();
    expect(await storeKey({ provider: "groq", key: "another-key-0001", by: "" }, world)).toBeNull();
    expect(await storeKey({ provider: "openai", key: `${KEY}-new`, by: "ben" }, world)).toBeNull();

    const { keys, stored, problem } = await openKeys(world);
    expect([...keys]).toEqual([
      ["groq", "another-key-0001"],
      ["openai", `${KEY}-new`],
    ]);
    expect(stored).toEqual([
      { provider: "groq", hint: "", by: "", at: world.clock.now() },
      { provider: "openai", hint: "-new", by: "ben", at: world.clock.now() },
    ]);
    expect(problem).toBeNull();
    expect(statSync(file).mode & 0o777).toBe(0o600);

    expect(JSON.stringify(await rowsOf(store))).not.toContain("plain-text");
    if (name === "SQLite") {
      const directory = path.dirname(url.slice("file:".length));
      for (const each of readdirSync(directory))
        expect(readFileSync(path.join(directory, each), "latin1")).not.toContain("plain-text");
    }
    expect(await removeKey("openai", world)).toBe(true);
    expect(await removeKey("openai", world)).toBe(false);
    expect([...(await openKeys(world)).keys.keys()]).toEqual(["groq"]);
  },
);

test("an encrypted key of another provider, or a modified one, cannot be decrypted", async () => {
  const { store, world } = await opened(DATABASES.SQLite);
  await storeKey({ provider: "openai", key: KEY, by: "" }, world);
  const [row] = await rowsOf(store);
  if (row === undefined) throw new Error("nothing is stored");
  await store.transaction((tx) => tx.tables(keyWrites).set({ ...row, provider: "mistral" }));
  const flipped = row.sealed.replace(/.$/u, (last) => (last === "A" ? "Q" : "A"));
  await store.transaction((tx) => tx.tables(keyWrites).set({ ...row, provider: "openai", sealed: flipped }));
  const { keys, problem } = await openKeys(world);
  expect([...keys]).toEqual([]);
  expect(problem).toMatch(/\(Mistral.*, OpenAI.*\): they were encrypted with another key/u);
});

test("a sealing key file that is readable by others, missing or different is reported, and a newly set key works", async () => {
  const { world, file } = await opened(DATABASES.SQLite);
  await storeKey({ provider: "openai", key: KEY, by: "" }, world);
  chmodSync(file, 0o644);
  expect((await openKeys(world)).problem).toContain(`Run: chmod 600 ${file}`);
  expect(await storeKey({ provider: "groq", key: KEY, by: "" }, world)).toContain("chmod 600");
  rmSync(file);
  expect((await openKeys(world)).problem).toContain(`${file} is gone`);
  expect(await storeKey({ provider: "groq", key: KEY, by: "" }, world)).toBeNull();
  const after = await openKeys(world);
  expect([...after.keys.keys()]).toEqual(["groq"]);
  expect(after.problem).toContain("(OpenAI): they were encrypted with another key");
  expect(await storeKey({ provider: "openai", key: KEY, by: "" }, world)).toBeNull();
  expect((await openKeys(world)).problem).toBeNull();
  expect(readdirSync(path.dirname(file))).toEqual(["secret.key"]);
  writeFileSync(file, "no key\n");
  expect((await openKeys(world)).problem).toContain("holds no key of 32 bytes. Put the right one back, or remove it");
});

test("concurrent first uses create one sealing key file", async () => {
  const { world } = await opened(DATABASES.SQLite);
  const providers = ["openai", "groq", "mistral", "xai", "cohere"];
  await Promise.all(providers.map((provider) => storeKey({ provider, key: KEY, by: "" }, world)));
  const { keys, problem } = await openKeys(world);
  expect([...keys.keys()].toSorted()).toEqual(providers.toSorted());
  expect(problem).toBeNull();
});

test("with a sealing key from the environment no file is created, and only that key decrypts", async () => {
  const { world, home } = await opened(DATABASES.SQLite);
  const given = readSealingKey("ab".repeat(32));
  await storeKey({ provider: "openai", key: KEY, by: "" }, { ...world, given });
  expect(readdirSync(home)).toEqual([]);
  expect((await openKeys({ ...world, given })).keys.get("openai")).toBe(KEY);
  expect((await openKeys(world)).problem).toContain("is gone");
  expect((await openKeys({ ...world, given: readSealingKey("cd".repeat(32)) })).problem).toContain("another key");
});

test("a sealing key is 32 bytes in base64 or hexadecimal", () => {
  const bytes = Buffer.alloc(32, 7);
  for (const written of [bytes.toString("base64"), bytes.toString("base64url"), bytes.toString("hex")])
    expect(readSealingKey(written)).toEqual(new Uint8Array(bytes));
  for (const written of ["", "short", bytes.toString("hex").slice(2), `${bytes.toString("base64")}x`, "x".repeat(64)])
    expect(readSealingKey(written)).toBeNull();
});

test("encryption is randomised, and invalid ciphertext decrypts to null", () => {
  const key = new Uint8Array(32);
  expect(seal("a", "p", key)).not.toBe(seal("a", "p", key));
  expect(unseal(seal("a", "p", key), "p", key)).toBe("a");
  for (const broken of ["", "v1", "v1.a.b.c", "v2.AAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"])
    expect(unseal(broken, "p", key)).toBeNull();
});

test("a configured key has priority over a stored one, which uses the region from the environment", () => {
  const live = liveProviders(
    { openai: { apiKey: "given" }, mine: { baseUrl: "http://a" } },
    { bedrock: "eu-central-1" },
  );
  const before = live.settings["openai"];
  live.setKeys(
    new Map([
      ["openai", "stored"],
      ["mine", "stored"],
      ["bedrock", "stored"],
    ]),
  );
  expect(live.settings).toEqual({
    openai: { apiKey: "given" },
    mine: { baseUrl: "http://a", apiKey: "stored" },
    bedrock: { region: "eu-central-1", apiKey: "stored" },
  });
  expect(live.settings["openai"]).toBe(before);
  expect(live.shown()).toEqual({
    openai: { key: "given" },
    mine: { baseUrl: "http://a", key: "stored" },
    bedrock: { region: "eu-central-1", key: "stored" },
  });
  const version = live.version();
  live.setKeys(
    new Map([
      ["mine", "stored"],
      ["bedrock", "stored"],
    ]),
  );
  expect(live.version()).toBe(version);
  live.setKeys(new Map());
  expect(live.settings).toEqual({ openai: { apiKey: "given" }, mine: { baseUrl: "http://a" } });
  expect(live.version()).not.toBe(version);
});
