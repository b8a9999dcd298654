import { createInterface } from "node:readline";
import { Pool } from "pg";
import { DbosEngine } from "../../../src/core/dbos-engine/dbos-engine.ts";
import type { TurnContext, Wake } from "../../../src/core/engine/engine.ts";
import type { QueryOutcome } from "../../../src/core/protocol/events.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { openCluster } from "../../../src/core/store/cluster/cluster.ts";
import { openStore } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { event } from "../../contracts/engine-recorder.ts";
import { replicaOptions } from "../../support/database/cluster.ts";
import { silentLog } from "../../support/silent-log.ts";

/**
 * A replica that reports on standard output what its sessions do, and reads from standard input what to deliver and
 * stop: `node replica-process.ts <database> <name>`. Each run posts once, after a time that the key of its event sets.
 */
const [url = "", name = ""] = process.argv.slice(2);
const runtime = systemRuntime();
const store = await openStore(url, runtime, { isShared: true });
const platform = new Pool({ connectionString: url });

const tell = (...words: readonly string[]) => process.stdout.write(`${words.join(" ")}\n`);

const cluster = await openCluster({
  ...replicaOptions(url, runtime),
  // Runs on until it is killed, so that a replica that has just thawed gets its chance to do harm.
  lost: () => tell("lost"),
});
const engine = new DbosEngine({
  url,
  cluster,
  store,
  runtime,
  log: silentLog,
  maxConcurrentRuns: 32,
  mayHold: () => Promise.resolve(true),
  target: () => ({
    find: async (_thread, key) => {
      const { rowCount } = await platform.query("SELECT FROM posts WHERE key = $1", [key]);
      return rowCount === 0 ? null : { platform: "slack", channelId: "C1", messageId: key };
    },
    post: async (_thread, _message, key) => {
      await platform.query("INSERT INTO posts (key, replica) VALUES ($1, $2)", [key, name]);
      return { platform: "slack", channelId: "C1", messageId: key };
    },
  }),
});

async function run(wake: Wake, context: TurnContext): Promise<"ended"> {
  tell("began", wake.sessionId, wake.runId);
  // Under its first owner, a long run does not end by itself.
  const waitMs = wake.event.key.includes("long") && !wake.resumed ? 60_000 : 0;
  if (wake.event.key.includes("short")) await runtime.clock.sleep(300, context.signal);
  const thawed = wake.event.key.includes("frozen") && !wake.resumed ? 3_000 : 0;
  let outcome: QueryOutcome = { type: "max_turns", turns: 0 };
  try {
    if (wake.event.key.includes("locked") && !wake.resumed)
      await context.transaction("locked", async () => {
        tell("locked", wake.sessionId);
        await runtime.clock.sleep(2_000, new AbortController().signal);
      });
    await runtime.clock.sleep(waitMs + thawed, thawed > 0 ? new AbortController().signal : context.signal);
    await context.post("answer", { lane: "answer", markdown: "Hello", tone: "plain", buttons: [], files: [] });
  } catch (error) {
    if (!(error instanceof CancelSignal)) {
      tell("refused", wake.sessionId);
      throw error;
    }
    outcome = { type: "cancelled", cause: error.cause };
  }
  await context.transaction("end", (tx) => tx.runs.end(wake.runId, outcome, runtime.clock.now()));
  tell(outcome.type === "cancelled" ? "stopped" : "ended", wake.sessionId);
  return "ended";
}

await engine.start({ run, queued: () => Promise.resolve() });
tell("up");
for await (const line of createInterface({ input: process.stdin })) {
  const [what, sessionId = "", id = ""] = line.split(" ");
  if (what === "deliver") await engine.deliver(sessionId, event(id));
  if (what === "crowd")
    await Promise.all(sessionId.split(",").map((each) => engine.deliver(each, event(`${each}:short`))));
  if (what === "leave") await engine.stop(0);
  if (what === "stop") await engine.cancel(sessionId, id, { by: "person", name: "@ana" });
}
