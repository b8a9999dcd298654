/**
 * Creates a migration for both databases from the changes in prisma/models.prisma since the last one:
 *
 * npm run migration -- add_approvals
 *
 * Works without a network or a database: the WebAssembly build of the schema engine compares the stored snapshot of the
 * models with the current models.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import { z } from "zod";

const providers = ["sqlite", "postgresql"] as const;
type Provider = (typeof providers)[number];

const root = path.resolve(import.meta.dirname, "..");
const models = path.join(root, "prisma/models.prisma");
const snapshot = path.join(root, "prisma/models.snapshot.prisma");

const [name, only] = process.argv.slice(2);
if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error("usage: npm run migration -- <name_in_snake_case>");
  process.exit(2);
}
const provider = z.enum(providers).optional().parse(only);
if (provider === undefined) authorAll(name);
else process.stdout.write(await diff(provider));

/** Uses one process per provider, because the engine's module holds the state of a single one. */
function authorAll(migration: string): void {
  const stamp = new Date().toISOString().replace(/[-:T]/g, "").slice(0, 14);
  const scripts = providers.map((each) => {
    const child = spawnSync(process.execPath, [import.meta.filename, migration, each], { encoding: "utf8" });
    if (child.status !== 0) throw new Error(child.stderr);
    return { each, sql: child.stdout };
  });
  if (scripts.some(({ sql }) => sql.includes("This is an empty migration"))) {
    console.error("prisma/models.prisma has not changed since the last migration.");
    process.exit(1);
  }
  for (const { each, sql } of scripts) {
    const dir = path.join(root, "prisma", each, "migrations", `${stamp}_${migration}`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(dir, "migration.sql"), sql);
    const lock = path.join(root, "prisma", each, "migrations/migration_lock.toml");
    if (!existsSync(lock)) writeFileSync(lock, `provider = "${each}"\n`);
    console.log(path.relative(root, dir));
  }
  copyFileSync(models, snapshot);
}

async function diff(kind: Provider): Promise<string> {
  const header = readFileSync(path.join(root, "prisma", kind, "schema.prisma"), "utf8");
  const schema = (file: string) => ({
    tag: "schemaDatamodel" as const,
    files: [{ path: "schema.prisma", content: `${header}\n${readFileSync(file, "utf8")}` }],
  });
  const to = schema(models);
  const engine = await loadEngine(kind, [["schema.prisma", to.files[0]?.content ?? ""]]);
  const result = await engine.diff({
    from: existsSync(snapshot) ? schema(snapshot) : { tag: "empty" },
    to,
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return result.stdout ?? "";
}

async function loadEngine(kind: Provider, datamodels: [string, string][]): Promise<bindings.SchemaEngine> {
  const directory = path.dirname(createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm"));
  const bytes = readFileSync(path.join(directory, "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(bytes, { "./schema_engine_bg.js": { ...bindings } });
  bindings.__wbg_set_wasm(instance.exports);
  const start = instance.exports["__wbindgen_start"];
  if (typeof start === "function") start();
  const factory = kind === "sqlite" ? new PrismaBetterSqlite3({ url: ":memory:" }) : unconnectedPostgres();
  return bindings.SchemaEngine.new({ datamodels }, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
}

/**
 * Fakes a PostgreSQL server: the engine asks for its schema and version before it compares models, and needs nothing
 * else.
 */
function unconnectedPostgres(): SqlMigrationAwareDriverAdapterFactory {
  const adapter: SqlDriverAdapter = {
    provider: "postgres",
    adapterName: "unconnected",
    queryRaw: () =>
      Promise.resolve({
        columnNames: ["exists", "version", "numeric_version"],
        columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
        rows: [[true, "PostgreSQL 18.0", 180_000]],
      }),
    executeRaw: () => Promise.resolve(0),
    executeScript: () => Promise.resolve(),
    startTransaction: () => Promise.reject(new Error("no server is connected")),
    dispose: () => Promise.resolve(),
  };
  const connect = () => Promise.resolve(adapter);
  return { provider: "postgres", adapterName: "unconnected", connect, connectToShadowDb: connect };
}
