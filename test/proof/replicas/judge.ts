import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { openButtons, type Place, type Shown } from "../../support/replicas/place.ts";
import { answerTo, heard, isAside, type Standing, standingOf } from "../../support/replicas/script.ts";
import type { Town } from "../../support/replicas/town.ts";
import type { Talked } from "./conversation.ts";
import { effectFile, noteOf, siteName } from "./kinds.ts";

export interface Played {
  readonly town: Town;
  readonly talked: readonly Talked[];
  /** Marks of the jobs, each of which was due once. */
  readonly jobs: readonly string[];
}

/** Everything that is wrong, one sentence each, judged from outside once all work has ended. */
export async function problemsOf({ town, talked, jobs }: Played): Promise<readonly string[]> {
  const { slack, discord, page } = town.places;
  const all = (await Promise.all([slack.all(), discord.all(), page.all()])).flat();
  const asked = await askedIn(town);
  return [
    ...talked.flatMap((each) => [
      ...answerProblems(each, all),
      ...orderProblems(each, asked),
      ...effectProblems(each, town, asked),
    ]),
    ...jobs.flatMap((mark) => countProblem(`reports of ${mark}`, timesSaid(all, mark), 1)),
    ...all.flatMap((shown) =>
      openButtons(shown).map((button) => `a button ${button} is left over on “${shown.text.slice(0, 80)}”`),
    ),
    ...Object.values(town.places).flatMap(rateProblems),
    ...town.model.violations,
    ...(await keptProblems(talked, town, asked)),
  ];
}

interface AskedOfModel {
  readonly request: RecordedRequest;
  readonly standing: Standing;
}
type Asked = ReadonlyMap<number, readonly AskedOfModel[]>;

/**
 * The model's requests of each conversation, oldest first, by the conversation's number. Requests that learn from a
 * thread are left out.
 */
async function askedIn({ model }: Town): Promise<Asked> {
  const asked: AskedOfModel[] = [];
  for (const request of model.requests) {
    // There may be thousands of requests; the event loop serves the replicas' sockets in between.
    await nextTurn();
    const standing = isAside(request) ? null : standingOf(request);
    if (standing?.who === "c") asked.push({ request, standing });
  }
  return Map.groupBy(asked, ({ standing }) => standing.number);
}

/** Number of 429 responses for each call. */
function rateProblems({ name, rateLimited }: Place): readonly string[] {
  const refused = Map.groupBy(rateLimited(), (call) => call);
  return [...refused].map(([call, all]) => `${all.length} × 429 on ${name} for ${call}`);
}

function countProblem(what: string, count: number, wanted: number): readonly string[] {
  return count === wanted ? [] : [`${what}: ${count} in place of ${wanted}`];
}

function timesSaid(all: readonly Shown[], mark: string): number {
  return all.reduce((sum, { text }) => sum + text.split(answerTo(mark)).length - 1, 0);
}

function marksOf({ number, kind }: Talked): readonly string[] {
  return Array.from({ length: kind.turns }, (_, index) => `c${number}.${index + 1}`);
}

/** Each message must be answered once; a message sent during a run may be answered together with the next one. */
function answerProblems(talked: Talked, all: readonly Shown[]): readonly string[] {
  const { kind, thread } = talked;
  const marks = marksOf(talked);
  const problems = marks.flatMap((mark, index) => {
    const count = timesSaid(all, mark);
    const isLast = index === marks.length - 1;
    const isFine = kind.isHasty === true && !isLast ? count <= 1 : count === 1;
    return isFine ? [] : [`${mark} (${kind.name}, ${talked.place.name}) is answered ${count} times`];
  });
  const shown = thread.byBot();
  const places = marks.flatMap((mark) => {
    const place = shown.findIndex(({ text }) => text.includes(answerTo(mark)));
    return place === -1 ? [] : [place];
  });
  if (places.some((place, index) => place < (places[index - 1] ?? 0))) {
    problems.push(`the answers of ${marks.join(", ")} are out of order`);
  }
  const folds = shown.filter(({ buttons }) => buttons.some(({ id }) => id.startsWith("details:"))).length;
  if (folds > kind.turns) problems.push(`${folds} live messages for ${kind.turns} runs of ${marks.join(", ")}`);
  return problems;
}

/** The model must have received each message once, in the order in which they were sent. */
function orderProblems(talked: Talked, asked: Asked): readonly string[] {
  const last = asked.get(talked.number)?.at(-1);
  const marks = marksOf(talked);
  const said = last === undefined ? [] : heard(last.request).filter((mark) => mark.startsWith(`c${talked.number}.`));
  return said.join() === marks.join() ? [] : [`the model heard ${said.join()} in place of ${marks.join()}`];
}

/**
 * Each effect must be in its file once, unless the model has read that the call was denied, was not run or was
 * interrupted.
 */
function effectProblems({ number, kind, thread }: Talked, { fleet }: Town, asked: Asked): readonly string[] {
  if (kind.name !== "tools") return [];
  const file = path.join(fleet.sandboxRoot(thread.folder), effectFile(number));
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
  const told = asked.get(number)?.at(-1)?.standing.results.at(1);
  const isDone = told !== undefined && !/interrupted by a restart|denied|not run/iu.test(told);
  if (lines > 1) return [`${lines} lines in ${effectFile(number)}`];
  return isDone ? countProblem(`lines in ${effectFile(number)} (the model was told ${told})`, lines, 1) : [];
}

const countsSchema = z.array(z.object({ name: z.string(), count: z.coerce.number() }));

/** Each note and each site must be stored once, and so must each due time of a job, which must have ended. */
async function keptProblems(
  talked: readonly Talked[],
  { databaseUrl }: Town,
  asked: Asked,
): Promise<readonly string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const counts = async (sql: string) =>
    new Map(countsSchema.parse((await client.query(sql)).rows).map(({ name, count }) => [name, count]));
  try {
    const notes = await counts('SELECT text AS name, count(*) FROM "Memory" GROUP BY text');
    const sites = await counts('SELECT "siteName" AS name, count(*) FROM "SiteVersion" GROUP BY "siteName"');
    const due = await counts(
      `SELECT "jobName" || ' at ' || "scheduledFor" AS name, count(*) FROM "JobOccurrence" GROUP BY "jobName", "scheduledFor"`,
    );
    const open = await counts(
      `SELECT "jobName" || ' is still ' || status AS name, count(*) FROM "JobOccurrence" WHERE status IN ('waiting', 'running', 'retrying') GROUP BY "jobName", status`,
    );
    const of = (kind: string) => talked.filter((each) => each.kind.name === kind && !each.denies);
    const told = (number: number) => (asked.get(number) ?? []).flatMap(({ standing }) => standing.results).join(" | ");
    return [
      ...of("memory").flatMap(({ number }) =>
        countProblem(`${noteOf(number)} (the model was told ${told(number)})`, notes.get(noteOf(number)) ?? 0, 1),
      ),
      ...of("site").flatMap(({ number }) =>
        countProblem(`${siteName(number)} (the model was told ${told(number)})`, sites.get(siteName(number)) ?? 0, 1),
      ),
      ...[...due].flatMap(([name, count]) => countProblem(name, count, 1)),
      ...open.keys(),
    ];
  } finally {
    await client.end();
  }
}
