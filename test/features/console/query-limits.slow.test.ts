import { Client } from "pg";
import type { APIResponse, Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { countOnTheWire, type WireCounter } from "../../support/program/wire-counter.ts";
import { useShared } from "../../support/run/use-shared.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, originOf, signedIn } from "./console-world.ts";
import { openTeam } from "./team-office.ts";

/** Bounds on the page's queries in a database with the rows of a large team. */

const TEAM = { sessions: 2_400, jobs: 400, memories: 10_000 };

/** Background statements: locks, timers of jobs, and polling for other processes' changes. */
const ELSEWHERE = /advisory|^SELECT 1|^(?:BEGIN|COMMIT)$|"LoginSession"|"Revision"|"ProviderKey"/;

/** Half of all jobs are visible, and each ran on twenty days. */
const JOBS_BY_DAY = TEAM.jobs * 11;
/** All jobs are searched for visible ones, of which fifty are shown with their runs. */
const JOBS_LISTED = TEAM.jobs * 2 + 800;

let postgres: Postgres;
let wire: WireCounter;
let browser: Browser;
let at: SlackOffice;
let page: Page;
let jobId = "";
let url: string;

useShared(
  async () => {
    [postgres, browser] = await Promise.all([startPostgres(), sharedBrowser()]);
    url = await postgres.createDatabase();
    wire = await countOnTheWire(url);
    ({ at, page } = await openTeam(browser, { team: TEAM, database: url, program: wire.url }));
    await addAccount(at, { name: "ada", role: "admin" });
    jobId = (await listedJobs("")).ids[0] ?? "";
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
    await wire[Symbol.asyncDispose]();
    await postgres.stop();
  },
);

const listSchema = z.object({ rows: z.array(z.object({ id: z.string() })).min(1), next: z.string().nullable() });

async function listedJobs(after: string): Promise<{ readonly ids: readonly string[]; readonly next: string | null }> {
  const { answer } = await asked(page, `/features/console/jobs?after=${encodeURIComponent(after)}`);
  const { rows, next } = listSchema.parse(await answer.json());
  return { ids: rows.map(({ id }) => id), next };
}

interface Cost {
  readonly sent: readonly string[];
  readonly rows: number;
  readonly answer: APIResponse;
}

async function asked(by: Page, path: string): Promise<Cost> {
  wire.take();
  wire.takeRows();
  const answer = await by.request.get(`${originOf(at)}${path}`);
  expect(answer.status(), `${path}: ${await answer.text()}`).toBe(200);
  return { sent: wire.take().filter((statement) => !ELSEWHERE.test(statement)), rows: wire.takeRows(), answer };
}

/** Number of attempts, because other requests of the page occasionally add to the cost. */
const TRIES = 4;

/** Checks the cost of a request once the channels' members are cached. */
async function bounded(by: Page, { path, statements, rows }: { path: string; statements: number; rows: number }) {
  await asked(by, path);
  let cost = await asked(by, path);
  for (let tries = 1; tries < TRIES && (cost.sent.length > statements || cost.rows > rows); tries += 1)
    cost = await asked(by, path);
  expect(cost.sent.length, cost.sent.join("\n")).toBeLessThanOrEqual(statements);
  expect(cost.rows).toBeLessThanOrEqual(rows);
}

test.each([
  ["/sessions", 16, 450],
  // A search reads a thousand sessions at a time.
  ["/sessions?text=number+8", 130, 3_500],
  ["/sessions?text=line+9+of+8", 130, 3_500],
  ["/sessions?text=nobody+says+this", 70, 3_500],
  ["/sessions?person=slack%3AU0ANA", 18, 450],
  ["/sessions?state=waiting", 10, 20],
  ["/sessions/choices", 10, 120],
  ["/sessions/s0", 34, 40],
  ["/features/console/overview", 14, 20],
  // One sum for each day.
  ["/features/console/usage?by=day&days=31", 40, 200],
  ["/features/console/usage?by=channel&days=31", 40, 450],
  ["/features/console/usage?by=job&days=31", 40, JOBS_BY_DAY],
  ["/features/console/jobs", 10, JOBS_LISTED],
  ["/features/console/jobs?text=count-99", 10, JOBS_LISTED],
  ["/features/console/jobs/one?id=JOB", 10, 40],
  ["/features/memory/list?channel=slack%3AC90", 10, 80],
  // A search reads only its best matches.
  ["/features/memory/list?channel=slack%3AC90&query=gulls+of+the+pier", 12, 2_000],
  ["/features/providers/list", 5, 10],
  ["/features/tools/list", 3, 3],
])("%s executes at most %d statements and reads at most %d rows", async (path, statements, rows) => {
  await bounded(page, { path: path.replace("=JOB", `=${jobId}`), statements, rows });
});

test("reading the audit log is paginated", async () => {
  const ada = await signedIn(at, browser, { name: "ada" });
  await ada.goto(`${originOf(at)}/#/audit`);
  await ada.getByRole("table", { name: "Audit log" }).waitFor();
  await bounded(ada, { path: "/features/audit/list", statements: 8, rows: 120 });
});

test("the next page of jobs follows the previous one whose last job was removed meanwhile", async () => {
  const first = await listedJobs("");
  const { ids } = await listedJobs(first.next ?? "");
  const database = new Client({ connectionString: url });
  await database.connect();
  await database.query('DELETE FROM "Job" WHERE "id" = $1', [first.ids.at(-1)]);
  await database.end();
  expect(first.ids).toHaveLength(50);
  expect((await listedJobs(first.next ?? "")).ids).toEqual(ids);
  const all = [...first.ids, ...ids];
  expect(new Set(all).size).toBe(all.length);
});
