import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { text } from "../../support/model/model-script.ts";
import { until } from "../../support/program/bot.ts";
import { openButtons, type Place } from "../../support/replicas/place.ts";
import { isAside, nothingLearned, standingOf } from "../../support/replicas/script.ts";
import { isIdle, Takeovers } from "../../support/replicas/takeovers.ts";
import { openTown, type Town } from "../../support/replicas/town.ts";
import { seededRandom } from "../../support/runtime.ts";
import { type Conversation, type Talked, talk } from "./conversation.ts";
import { markOfJob, scheduled } from "./jobs.ts";
import { problemsOf } from "./judge.ts";
import { KINDS, replyOf } from "./kinds.ts";

export interface Storm {
  readonly seconds: number;
  readonly seed: number;
  readonly replicas: number;
  readonly places: readonly Place["name"][];
  readonly conversations: number;
  /** Prints a line about the progress. */
  readonly tell: (line: string) => void;
}

export interface StormReport {
  /** One sentence for each. */
  readonly problems: readonly string[];
  readonly kills: number;
  /** Sorted by length. */
  readonly takeoversMs: readonly number[];
}

const KILL_EVERY_S = 5;

/** One of this many conversations comes with a job that is due at once. */
const A_JOB_AMONG = 20;

/** Maximum number of concurrent conversations: on a slow machine more would only wait. */
const AT_ONCE = 30;

/**
 * Generous, as it only matters if something is broken: the last folds wait for Slack's rate, and machines are slow. In
 * milliseconds.
 */
const PATIENCE_MS = 600_000;

/** Plays conversations in a town while its replicas are killed one after the other. */
export async function playStorm(storm: Storm): Promise<StormReport> {
  const seeded = seededRandom(storm.seed);
  const random = () => seeded.next();
  const durationMs = storm.seconds * 1_000;
  await using town = await openTown({
    replicas: storm.replicas,
    settings: { sites: { port: 0 } },
  });
  const conversations = planned(storm, town, random);
  const takeovers = new Takeovers();
  town.model.script((request) => {
    takeovers.note(request);
    if (isAside(request)) return nothingLearned;
    const standing = standingOf(request);
    const kind = conversations[standing?.number ?? -1]?.kind ?? KINDS[0];
    return standing === null || kind === undefined ? text("Nobody has asked.") : replyOf(kind, standing);
  });
  await town.fleet.start();
  const limit = AbortSignal.timeout(durationMs + PATIENCE_MS);
  const killing = kill({ town, takeovers, random, times: Math.ceil(storm.seconds / KILL_EVERY_S) - 1 });
  const progress = telling(storm, takeovers);
  const tasks = conversations.flatMap((each): readonly Task[] => [
    { name: `${each.number} (${each.kind.name}, ${each.place.name})`, play: () => talk(each, limit) },
    ...(each.number % A_JOB_AMONG === 0
      ? [{ name: markOfJob(each.number), play: () => scheduled(town, each.number, limit) }]
      : []),
  ]);
  const outcomes = await spread(tasks, durationMs, (task) => progress.play(task));
  progress.stop();
  await killing;
  storm.tell("the killing is over");
  await calm(town, limit);
  storm.tell("everything has come to rest");
  const jobs = conversations.flatMap(({ number }) => (number % A_JOB_AMONG === 0 ? [markOfJob(number)] : []));
  const talked = outcomes.flatMap((outcome): Talked[] =>
    outcome.status === "fulfilled" && outcome.value !== undefined ? [outcome.value] : [],
  );
  const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
  const problems = [...failed, ...(await problemsOf({ town, talked, jobs })), ...(await stopProblems(town))];
  if (problems.length > 0) keepOutput(town);
  return { problems, kills: takeovers.kills, takeoversMs: takeovers.tookMs() };
}

function planned({ conversations, places }: Storm, town: Town, random: () => number): readonly Conversation[] {
  return Array.from({ length: conversations }, (_, number) => {
    const place = town.places[places[number % places.length] ?? "slack"];
    return { number, place, kind: drawn(place.name, random()), denies: number % 11 === 3 };
  });
}

function drawn(place: Place["name"], share: number): Conversation["kind"] {
  const [first] = KINDS;
  if (first === undefined) throw new Error("there are kinds");
  let left = share * 100;
  return KINDS.find((kind) => (left -= kind.share[place]) < 0) ?? first;
}

interface Task {
  readonly name: string;
  readonly play: () => Promise<Talked | void>;
}

/** Interval between lines about the progress. In milliseconds. */
const TELL_EVERY_MS = 15_000;

/** Prints the progress until everything is over, and the failures. */
function telling({ tell }: Storm, takeovers: Takeovers) {
  const going = new Set<string>();
  let over = 0;
  const line = () => `${over} are over after ${takeovers.kills} kills; ${going.size} go on: ${[...going].join(", ")}`;
  const timer = setInterval(() => tell(line()), TELL_EVERY_MS);
  return {
    async play({ name, play }: Task): Promise<Talked | void> {
      going.add(name);
      try {
        return await play();
      } catch (error) {
        tell(`${name}: ${String(error)}`);
        throw error;
      } finally {
        going.delete(name);
        over += 1;
      }
    },
    stop: () => clearInterval(timer),
  };
}

/** Begins one after the other, spread over this time, but later while too many are at work. */
async function spread<T, R>(
  all: readonly T[],
  durationMs: number,
  work: (one: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> {
  const going = new Set<Promise<unknown>>();
  const begun: Promise<PromiseSettledResult<R>[]>[] = [];
  for (const one of all) {
    await pause(durationMs / all.length);
    while (going.size >= AT_ONCE) await Promise.race(going);
    const outcome = Promise.allSettled([work(one)]);
    going.add(outcome);
    begun.push(outcome);
    outcome.finally(() => going.delete(outcome)).catch(() => undefined); // The promise never rejects.
  }
  return (await Promise.all(begun)).flat();
}

interface Killing {
  readonly town: Town;
  readonly takeovers: Takeovers;
  readonly times: number;
  readonly random: () => number;
}

/** Kills a replica every five seconds, or later if not all replicas are ready by then. */
async function kill({ town, takeovers, times, random }: Killing): Promise<void> {
  const { replicas } = town.fleet;
  for (let time = 0; time < times; time += 1) {
    await pause(KILL_EVERY_S * 1_000);
    await town.fleet.ready();
    const replica = replicas[Math.floor(random() * replicas.length)];
    if (replica !== undefined) await takeovers.kill(replica);
  }
}

/** Waits until no work is left and no message has an open button. */
async function calm(town: Town, limit: AbortSignal): Promise<void> {
  const isQuiet = async () => {
    if (!(await isIdle(town.fleet))) return false;
    const { slack, discord, page } = town.places;
    const all = (await Promise.all([slack.all(), discord.all(), page.all()])).flat();
    return all.every((shown) => openButtons(shown).length === 0);
  };
  // The judge reports whatever has not come to rest.
  await until(isQuiet, { limit, what: () => "everything to come to rest" }).catch(() => undefined);
}

/**
 * Stops all replicas. A stop that a busy machine cuts off is fine if the log says so. The replicas are ready first
 * because a starting one ignores a stop.
 */
async function stopProblems({ fleet }: Town): Promise<readonly string[]> {
  await fleet.ready();
  const codes = await Promise.all(fleet.replicas.map((replica) => replica.stop()));
  return codes.flatMap((code, index) => {
    const isCutOff = code === 1 && (fleet.replicas[index]?.bot.output().includes("stop_cut_off") ?? false);
    return code === 0 || isCutOff ? [] : [`replica ${index} ended with ${String(code)} when stopped`];
  });
}

function keepOutput({ fleet }: Town): void {
  const file = process.env["PROOF_LOG"];
  if (file !== undefined) writeFileSync(file, fleet.output());
}
