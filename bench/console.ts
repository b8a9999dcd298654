import type { Page } from "playwright-core";
import { originOf } from "../test/features/console/console-world.ts";
import { LARGE_TEAM } from "../test/features/console/seed-team.ts";
import { openTeam } from "../test/features/console/team-office.ts";
import { startPostgres } from "../test/support/database/postgres.ts";
import { openBrowser } from "../test/support/program/browser.ts";
import { type Figure, timed } from "./measure.ts";

const RUNS = 5;
const FIRST_VIEW_MS = 1_000;

/** Loads the page of a large team in a real browser with an empty cache. */
export async function benchConsole(): Promise<readonly Figure[]> {
  const [postgres, browser] = await Promise.all([startPostgres(), openBrowser()]);
  const url = await postgres.createDatabase();
  const { at, page: first } = await openTeam(browser, { team: LARGE_TEAM, database: url, program: url });
  const storageState = await first.context().storageState();
  const view = async (hash: string, isDrawn: (page: Page) => Promise<unknown>): Promise<number[]> => {
    const samples: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const context = await browser.newContext({ locale: "en-US", storageState });
      const page = await context.newPage();
      const work = async () => {
        await page.goto(`${originOf(at)}/#/${hash}`, { waitUntil: "commit" });
        await isDrawn(page);
      };
      samples.push(...(await timed(1, work)));
      await context.close();
    }
    return samples;
  };
  try {
    const sessions = await view("sessions", (page) =>
      page.getByRole("list", { name: "Sessions" }).getByRole("link").first().waitFor(),
    );
    const jobs = await view("jobs", (page) =>
      page.getByRole("table", { name: "All jobs", exact: true }).locator("tbody tr").first().waitFor(),
    );
    const figure = { unit: "ms", aim: FIRST_VIEW_MS } as const;
    return [
      { ...figure, name: "the page of 10,000 sessions, until the first are drawn", samples: sessions },
      { ...figure, name: "the page of 1,000 jobs, until the first are drawn", samples: jobs },
    ];
  } finally {
    await browser.close();
    await at[Symbol.asyncDispose]();
    await postgres.stop();
  }
}
