import { expect, test } from "vitest";
import type { Place } from "../../support/replicas/place.ts";
import { percentile } from "../../support/replicas/takeovers.ts";
import { playStorm } from "./storm.ts";

/**
 * `npm run proof:replicas` plays five minutes, the suite a shorter time. The environment changes what is played:
 * `PROOF_SEED=17`, `PROOF_SECONDS=60`, `PROOF_REPLICAS=2`, `PROOF_CONVERSATIONS=50`, `PROOF_PLACES=slack,page`.
 */
const given = (name: string) => process.env[`PROOF_${name}`];
const seconds = Number(given("SECONDS") ?? 15);
const seed = Number(given("SEED") ?? 1);
const replicas = Number(given("REPLICAS") ?? 3);
/** A thousand in five minutes; fewer a second in the suite, to spare the machine. */
const conversations = Number(given("CONVERSATIONS") ?? Math.ceil(seconds * (seconds < 60 ? 2.2 : 10 / 3)));
const isPlace = (name: string): name is Place["name"] => ["slack", "discord", "page"].includes(name);
const places = (given("PLACES") ?? "slack,discord,page").split(",").filter(isPlace);

const tell = (line: string) => process.stderr.write(`${line}\n`);

test(`${conversations} conversations get one answer each while ${replicas} replicas are killed one after the other`, async () => {
  const { problems, kills, takeoversMs } = await playStorm({ seconds, seed, replicas, places, conversations, tell });
  const share = (of: number) => percentile(takeoversMs, of).toFixed(0);
  tell(
    `${conversations} conversations, ${kills} kills, ${takeoversMs.length} runs taken over in p50 ${share(0.5)} ms, p99 ${share(0.99)} ms; seed ${seed}`,
  );
  // Printed because a retry that passes would hide the problems of this attempt.
  for (const problem of problems) tell(`✗ ${problem}`);
  expect(problems, `replay with: PROOF_SEED=${seed} npm run proof:replicas`).toEqual([]);
}, 1_800_000);
