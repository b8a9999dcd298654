import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { removeUnfinished, replaceFolder } from "../../wasm/build-folder.ts";
import { runScript } from "./run-script.ts";

/** Generates the database client for one provider: `database-client.ts sqlite`. */

const root = path.resolve(import.meta.dirname, "../..");
const [provider = ""] = process.argv.slice(2);
const place = path.join(root, "prisma", provider);

/** As in prisma/<provider>/schema.prisma. Prisma writes its files one by one, so it writes to another folder first. */
const OUTPUT = '"./generated"';

async function generateInto(folder: string): Promise<void> {
  const schema = mkdtempSync(path.join(tmpdir(), "deckhand-schema-"));
  try {
    const text = readFileSync(path.join(place, "schema.prisma"), "utf8");
    if (!text.includes(OUTPUT)) throw new Error(`prisma/${provider}/schema.prisma does not write to ${OUTPUT}`);
    writeFileSync(path.join(schema, "schema.prisma"), text.replace(OUTPUT, JSON.stringify(folder)));
    cpSync(path.join(root, "prisma/models.prisma"), path.join(schema, "models.prisma"));
    await generate(schema);
  } finally {
    rmSync(schema, { recursive: true, force: true });
  }
}

/**
 * Runs `prisma generate`, which requires a schema engine that it would download but never runs; any executable
 * satisfies it. A variable set by people who run `prisma migrate` takes precedence.
 */
async function generate(schema: string): Promise<void> {
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env };
  const args = ["node_modules/prisma/build/index.js", "generate", `--schema=${schema}`, "--no-hints"];
  const { code, output } = await runScript(args, { cwd: root, env });
  if (code !== 0) throw new Error(output);
}

mkdirSync(place, { recursive: true });
await removeUnfinished(place);
await replaceFolder(path.join(place, "generated"), { fill: generateInto, isCurrent: () => false });
