import { startTcpProxy, type TcpProxy } from "../../support/database/network/tcp-proxy.ts";
import { hold, type Reply, text } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { until } from "../../support/program/bot.ts";
import { LOOK_MS, type Replica } from "../../support/replicas/fleet.ts";
import { openButtons, type Place, type Shown, type Thread } from "../../support/replicas/place.ts";
import { answerTo, isAside, nothingLearned, type Standing, standingOf } from "../../support/replicas/script.ts";
import { isIdle } from "../../support/replicas/takeovers.ts";
import { openTown, type Town, type TownOptions } from "../../support/replicas/town.ts";

/** Maximum time for any step on a slow machine. In milliseconds. */
const PATIENCE_MS = 300_000;

export interface Stage extends AsyncDisposable {
  readonly town: Town;
  /** The proxy between the replicas and the database. */
  readonly database: TcpProxy;
  /** Says something in a new thread; the model plays the script. */
  ask(place: Place["name"], script?: Play, channel?: number): Promise<Asked>;
  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
  /** The only replica with a run at work. */
  worker(): Promise<Replica>;
  /** Resolves once all replicas are ready and nothing is at work. */
  settled(): Promise<void>;
}

export type Play = (standing: Standing, request: RecordedRequest, index: number) => Reply;

export interface Asked {
  readonly mark: string;
  readonly thread: Thread;
  /** Number of model requests in the thread. */
  readonly requests: () => number;
  /** Resolves once the complete answer is shown. */
  answered(): Promise<void>;
  /** The bot's messages that contain the answer. */
  readonly answers: () => readonly Shown[];
}

/** Starts replicas of the whole program, with a proxy to the database that can fail. */
export async function openStage(options: TownOptions): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  let database: TcpProxy | null = null;
  const by = async (url: string) => {
    database = parts.use(await startTcpProxy(url));
    return database.urlOf(url);
  };
  const town = parts.use(await openTown({ by, ...options }));
  if (database === null) throw new Error("there is no network");
  const stage = staged(town, database);
  const owned = parts.move();
  return { ...stage, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function staged(town: Town, database: TcpProxy): Omit<Stage, typeof Symbol.asyncDispose> {
  const plays = new Map<number, Play>();
  const asks = new Map<number, number>();
  town.model.script((request) => {
    if (isAside(request)) return nothingLearned;
    const standing = standingOf(request);
    const play = plays.get(standing?.number ?? -1);
    if (standing === null || play === undefined) return text("Nobody has asked.");
    const index = asks.get(standing.number) ?? 0;
    asks.set(standing.number, index + 1);
    return play(standing, request, index);
  });
  const wait: Stage["until"] = (what, condition) =>
    until(condition, {
      limit: AbortSignal.timeout(PATIENCE_MS),
      everyMs: LOOK_MS,
      what: () => `${what}; the replicas said:\n${town.fleet.output()}`,
    });
  const running = () => Promise.all(town.fleet.replicas.map((replica) => replica.running()));
  return {
    town,
    database,
    until: wait,
    async ask(name, play = answer, channel = 0) {
      const number = plays.size;
      plays.set(number, play);
      const mark = `c${number}.1`;
      const thread = await town.places[name].begin(`This is ${mark}.`, channel);
      const answers = () => thread.byBot().filter((shown) => shown.text.includes(answerTo(mark)));
      return {
        mark,
        thread,
        requests: () => asks.get(number) ?? 0,
        answers,
        answered: () =>
          wait(`the answer of ${mark}, where ${JSON.stringify(thread.byBot())} stands`, () =>
            answers().some((shown) => openButtons(shown).length === 0),
          ),
      };
    },
    async worker() {
      let at = -1;
      await wait("a replica at a run", async () => {
        at = (await running()).findIndex((count) => count > 0);
        return at >= 0;
      });
      const replica = town.fleet.replicas[at];
      if (replica === undefined) throw new Error("there is no such replica");
      return replica;
    },
    async settled() {
      await town.fleet.ready();
      await wait("everything to come to rest", () => isIdle(town.fleet));
    },
  };
}

export const answer: Play = (standing) => text(`${answerTo(`c${standing.number}.${standing.turn}`)} So it is.`);

/** A script whose first request starts an answer and stalls, and whose later requests answer. */
export function heldAtFirst(): { readonly play: Play; readonly reached: Promise<void>; release(): void } {
  const gate = hold();
  return {
    play: (standing, request, index) =>
      index === 0 ? [text("I am thinking"), gate.part] : answer(standing, request, index),
    reached: gate.reached,
    release: () => gate.release(),
  };
}
