/** A feature that nobody ships: its folder, and the lines that it takes elsewhere. */

const FEATURE = `import { z } from "zod";
import { field } from "../../config/fields.ts";
import type { ConfiguredFeature, Feature, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { textResult } from "../../core/protocol/tool-result.ts";
import { defineTool } from "../../core/tool.ts";
import { addTally, tallyOf } from "./store.ts";

const file = { tally: field(z.strictObject({ unit: z.string() }).exactOptional(), "What is counted.", { unit: "cups" }) };

export const tallyFeature: Feature = { name: "tally", settings: { file }, configure };

/** What does not open. */
export const emptyFeature: Feature = {
  name: "empty",
  settings: {},
  configure: () => ({ problems: [], open: () => Promise.reject(new Error("there is nothing to count")) }),
};

/** What opens, and fails as it begins its work. */
export const lateFeature: Feature = {
  name: "late",
  settings: {},
  configure: () => ({
    problems: [],
    open: async () => ({ start: () => Promise.reject(new Error("there is nobody to count for")) }),
  }),
};

function configure(given: { file: unknown }): ConfiguredFeature {
  const { tally } = z.object(file).parse(given.file);
  if (tally === undefined) return { problems: [] };
  return { problems: [], isEssential: tally.unit === "essentials", open: (host) => open(tally.unit, host) };
}

async function open(unit: string, { store, runtime }: FeatureHost): Promise<OpenFeature> {
  if (unit === "essentials") throw new Error("there is nothing to count");
  const watching: (() => void)[] = [];
  let counted = await store.tables(tallyOf);
  const add = defineTool({
    name: "tally_add",
    description: "Counts one more.",
    input: z.object({ what: z.string() }),
    permission: "none",
    parallel: false,
    afterCrash: "replay",
    grant: () => ({ key: "tally_add", label: "counting" }),
    title: ({ what }) => what,
    execute: async ({ what }, { callId }) => {
      await store.transaction((tx) => tx.tables((db) => addTally(db, { id: callId, what, at: runtime.clock.now() })));
      counted = await store.tables(tallyOf);
      for (const tell of watching) tell();
      return textResult(counted + " " + unit);
    },
  });
  return {
    // Names that Deckhand has, and that it has itself: both are left out.
    tools: () => [add, { ...add, name: "read" }, add],
    section: () => "Count " + unit + " with tally_add.",
    hook: {
      before: async () => "There are " + counted + " " + unit + " now.",
      after: async ({ runId }, _outcome, tx) => {
        await tx.tables((db) => addTally(db, { id: runId, what: "a run", at: runtime.clock.now() }));
      },
    },
    routes: [{ method: "GET", path: "/count", handle: async () => ({ status: 200, body: { counted: await store.tables(tallyOf) } }) }],
    panel: { title: "Tally", lines: () => [{ line: "**" + counted + "** " + unit, nextAt: null }], watch: (tell) => { watching.push(tell); } },
  };
}
`;

const STORE = `import type { Client } from "../../core/store/database/client.ts";

export function tallyOf(db: Client): Promise<number> {
  return db.tally.count();
}

export async function addTally(db: Client, { id, what, at }: { id: string; what: string; at: number }): Promise<void> {
  await db.tally.upsert({ where: { id }, update: {}, create: { id, what, at: new Date(at) } });
}
`;

/** By path. */
export const FOLDER: Readonly<Record<string, string>> = {
  "src/features/tally/feature.ts": FEATURE,
  "src/features/tally/store.ts": STORE,
};

/** In src/features/features.ts: the import, and the entry of the list. */
export const LIST: readonly (readonly [before: string, after: string])[] = [
  [
    "import { mcpFeature }",
    'import { emptyFeature, lateFeature, tallyFeature } from "./tally/feature.ts";\nimport { mcpFeature }',
  ],
  ["Feature[] = [", "Feature[] = [tallyFeature, emptyFeature, lateFeature, "],
];

export const MODEL = `
model Tally {
  id   String   @id
  what String
  at   DateTime
}
`;
