import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { providerEnvironmentSchema } from "../src/config/environment.ts";
import { environmentWith, settingsWith } from "../src/config/features.ts";
import { FEATURES } from "../src/features/features.ts";

/**
 * Generates files from the configuration's schemas: the JSON Schema for editors, .env.example and the reference in
 * docs. With --check it writes nothing, and fails if one of them is stale.
 */

const environmentSchema = environmentWith(FEATURES);
const settingsSchema = settingsWith(FEATURES);

const nodeSchema = z.looseObject({
  description: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  get properties() {
    return z.record(z.string(), nodeSchema).optional();
  },
  get additionalProperties() {
    return z.union([z.literal(false), nodeSchema]).optional();
  },
  get anyOf() {
    return z.array(nodeSchema).optional();
  },
});
type Node = z.infer<typeof nodeSchema>;

function jsonSchema(schema: z.ZodType): Node {
  return nodeSchema.parse(z.toJSONSchema(schema, { io: "input" }));
}

/** Allows comments in strict objects: keys that begin with `//`. */
function withComments(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withComments);
  if (typeof node !== "object" || node === null) return node;
  const { secret: _, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, inner]) => [key, key === "examples" ? inner : withComments(inner)]),
  );
  return rest.additionalProperties === false ? { ...rest, patternProperties: { "^//": {} } } : rest;
}

function editorSchema(): string {
  const schema = { title: "Deckhand settings", ...jsonSchema(settingsSchema) };
  return `${JSON.stringify(withComments(schema), null, 2)}\n`;
}

function envExample(): string {
  const groups = [environmentSchema, providerEnvironmentSchema].map((schema) =>
    Object.entries(jsonSchema(schema).properties ?? {})
      .filter(([name]) => schema === environmentSchema || !name.endsWith("_BASE_URL"))
      .map(([name, node]) => `# ${node.description ?? ""}\n#${name}=${text(node.examples?.[0] ?? "")}\n`)
      .join("\n"),
  );
  const head = [
    "# Settings that differ between machines, and secrets. Uncomment what you need in .env;",
    "# the environment takes precedence over this file. Everything else: deckhand.config.json.",
  ].join("\n");
  return `${head}\n\n${groups.join("\n# Model providers. Each also takes <PROVIDER>_BASE_URL.\n\n")}`;
}

function reference(): string {
  const variables = Object.entries({
    ...jsonSchema(environmentSchema).properties,
    ...jsonSchema(providerEnvironmentSchema).properties,
  }).map(([name, node]) => row(name, node));
  const keys = settingRows(jsonSchema(settingsSchema), "", new Set());
  return [
    "# Configuration",
    "",
    "<!-- Made by scripts/config-schema.ts; change the descriptions in src/config and src/features. -->",
    "",
    "A setting is taken from the first of these places that contains it:",
    "",
    "1. the environment",
    "2. `.env`",
    "3. `deckhand.config.json`",
    "4. the page ([console.md](console.md#settings))",
    "5. the defaults",
    "",
    "`deckhand settings` shows the effective values and their origins. A start reports all problems at once. In the settings",
    "file, `//`, `/* */` and keys that begin with `//` are comments. Fields that appear in several places are listed once,",
    "where they come first: a channel accepts the settings of a query, an agent the fields of a definition.",
    "",
    "## Environment",
    "",
    "| variable | meaning | default | example |",
    "|---|---|---|---|",
    ...variables,
    "",
    "## deckhand.config.json",
    "",
    "| key | meaning | default | example |",
    "|---|---|---|---|",
    ...keys,
    "",
  ].join("\n");
}

/** `<name>` stands for keys that people choose. Fields that appear in several places are listed once. */
function settingRows(node: Node, prefix: string, listed: Set<string>): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const identity = `${key}: ${child.description}`;
    if (listed.has(identity)) return [];
    listed.add(identity);
    const name = `${prefix}${key}`;
    const map = child.additionalProperties;
    const values = typeof map === "object" ? [map, ...(map.anyOf ?? [])] : [];
    return [
      row(name, child),
      ...[child, ...(child.anyOf ?? [])].flatMap((one) => settingRows(one, `${name}.`, listed)),
      ...values.flatMap((one) => settingRows(one, `${name}.<name>.`, listed)),
    ];
  });
}

function row(name: string, node: Node): string {
  const cell = (value: unknown) => (value === undefined ? "" : `\`${text(value).replaceAll("|", "\\|")}\``);
  // Within backticks Markdown shows every character literally.
  const safe = (node.description ?? "").replaceAll(/`[^`]*`|</gu, (part) => (part === "<" ? "&lt;" : part));
  const meaning = safe.replaceAll("|", "\\|");
  return `| \`${name}\` | ${meaning} | ${cell(node.default)} | ${cell(node.examples?.[0])} |`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const root = path.resolve(import.meta.dirname, "..");
const files: Readonly<Record<string, string>> = {
  "deckhand.config.schema.json": editorSchema(),
  ".env.example": envExample(),
  "docs/configuration.md": reference(),
};

for (const [name, content] of Object.entries(files)) {
  const file = path.join(root, name);
  if (!process.argv.includes("--check")) {
    writeFileSync(file, content);
  } else if (readOrEmpty(file) !== content) {
    console.error(`${name} is stale: run \`npm run config-schema\` and commit the result.`);
    process.exitCode = 1;
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
