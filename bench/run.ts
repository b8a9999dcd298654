import { arch, cpus, platform, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { benchAnswer } from "./answer.ts";
import { benchCache } from "./cache.ts";
import { benchConsole } from "./console.ts";
import { benchCrowd } from "./crowd.ts";
import { benchJobs } from "./jobs.ts";
import type { Figure, Measure } from "./measure.ts";
import { benchOtherTools } from "./other-tools.ts";
import { benchRecall } from "./recall/quality.ts";
import { benchMemories } from "./recall/speed.ts";
import { benchReplicas } from "./replicas.ts";
import { benchGrep, benchPrograms, benchToolCall } from "./sandbox.ts";
import { benchSessions } from "./sessions.ts";
import { benchStart } from "./start.ts";
import { benchStop } from "./stop.ts";
import { missedAims, tableOf } from "./table.ts";
import { benchPool, benchTools } from "./tools.ts";
import { benchWorth } from "./worth.ts";

const MEASURES: readonly Measure[] = [
  { name: "start", about: "time until ready, and idle memory", run: benchStart },
  { name: "answer", about: "our share of the time of an answer, and memory afterwards", run: benchAnswer },
  { name: "stop", about: "from a person's stop until the thread says so", run: benchStop },
  { name: "crowd", about: "fifty long answers at once: the one that comes last", run: benchCrowd },
  { name: "sessions", about: "memory of fifty sessions at once", run: benchSessions },
  { name: "cache", about: "input that a provider's cache can hold, over twenty turns", run: benchCache },
  { name: "tool", about: "a tool call in a fresh instance", run: benchToolCall },
  { name: "programs", about: "bash and js_exec, beside the system's bash", run: benchPrograms },
  { name: "tools", about: "each file tool cold and warm, beside plain Node and the native program", run: benchTools },
  { name: "others", about: "web_fetch, git, third parties' tools and MCP in the same way", run: benchOtherTools },
  { name: "pool", about: "memory of calls at once, and calls per second", run: benchPool },
  { name: "console", about: "the page of a team with 10,000 sessions and 1,000 jobs, in a browser", run: benchConsole },
  { name: "jobs", about: "jobs due at once, until their runs are in the inbox", run: benchJobs },
  {
    name: "replicas",
    about: "answers and pick-up on PostgreSQL with 1, 2, 3 replicas, beside one process",
    run: benchReplicas,
  },
  { name: "recall", about: "memories that answer questions, beside plain BM25", run: benchRecall },
  { name: "memories", about: "a hundred thousand memories: import, size, recall", run: benchMemories },
  { name: "grep", about: "searching 50 MB, beside plain Node and ripgrep", run: benchGrep },
  {
    name: "worth",
    about: "what warming up, collecting, trimming, kept statements, prefilter and used memories buy",
    run: benchWorth,
  },
];

const USAGE = `npm run bench [-- --only <name>]…

Measures the program on this machine: the real process over a local Slack and a local model server.
Each figure is the median of several runs; about six minutes in all. Nothing else should run meanwhile.

${MEASURES.map(({ name, about }) => `  --only ${name.padEnd(9)} ${about}`).join("\n")}`;

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, help: { type: "boolean", short: "h" } },
});
const unknown = values.only?.filter((name) => !MEASURES.some((measure) => measure.name === name)) ?? [];
if (values.help === true) {
  console.log(USAGE);
} else if (unknown.length > 0) {
  console.error(`There is no measure ${unknown.join(", ")}.\n\n${USAGE}`);
  process.exitCode = 1;
} else {
  await bench(MEASURES.filter(({ name }) => values.only === undefined || values.only.includes(name)));
}

async function bench(measures: readonly Measure[]): Promise<void> {
  const started = performance.now();
  const figures: Figure[] = [];
  for (const { name, about, run } of measures) {
    process.stderr.write(`… ${name}: ${about}\n`);
    figures.push(...(await run()));
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  console.log(`\n${tableOf(figures)}\n`);
  console.log(`${machine()}; ${seconds} s. A median that meets its aim is ✓.`);
  const missed = missedAims(figures).length;
  if (missed > 0) console.log(`${missed} missed the aim: see whether something else kept the machine busy.`);
}

function machine(): string {
  const cores = cpus();
  const gigabytes = (totalmem() / 1_024 ** 3).toFixed(0);
  return `Node ${process.versions.node}, ${platform()} ${arch()}, ${cores.length} × ${cores[0]?.model ?? "CPU"}, ${gigabytes} GB`;
}
