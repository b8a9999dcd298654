import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { text } from "../../support/model/model-script.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { inDatabase, privateChannel, typed } from "../../support/talk/memory-talk.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, expectSound, handMade, leave, link, originOf, signedIn } from "./console-world.ts";

/** Jobs of Slack's channels on the page, by whom its accounts are linked to; and what the work has cost. */

let browser: Browser;
let at: SlackOffice;
let channel: string;
let board: string;

async function add(name: string, where: string): Promise<void> {
  const line = `add --name "${name}" --cron "0 9 * * 1-5" --prompt "Count the <b>herons</b>."`;
  const told = await typed(at, line, { channel: where, name: "jobs" });
  if (!told.includes("every weekday")) throw new Error(told);
}

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await consoleOffice();
    at.model.script(() => text("Seven herons."));
    [channel, board] = [at.channel(), privateChannel(at)];
    for (const [account, role, user] of [
      ["ana", "operator", "U0ANA"],
      ["cleo", "operator", "U0CLEO"],
      ["ada", "admin", null],
      ["vera", "viewer", null],
    ] as const) {
      await addAccount(at, { name: account, role });
      if (user === null) continue;
      const page = await signedIn(at, browser, { name: account });
      await link(at, page, user);
      await leave(page);
    }
    for (const words of ["one thing", "another thing"])
      await at.talk({ text: words, channel: at.channel() }).answered(1);
    await add("Morning count", channel);
    await add("Plans of the board", board);
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

const rows = (page: Page) => page.getByRole("table", { name: "All jobs", exact: true }).locator("tbody tr");
const spent = (page: Page, name: string) => page.getByRole("table", { name }).locator("tbody tr");

const opened = (name: string) => signedIn(at, browser, { name, section: "jobs" });

/** Counts the chart's pixels in the colour of its first series. */
const COLOURED = `(() => {
  const [canvas, swatch] = [document.querySelector(".chart canvas"), document.querySelector(".chart .swatch")];
  if (canvas === null || canvas.width === 0) return 0;
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(swatch).color;
  probe.fillRect(0, 0, 1, 1);
  const wanted = [...probe.getImageData(0, 0, 1, 1).data].join();
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if ([...data.slice(at, at + 4)].join() === wanted) count += 1;
  return count;
})()`;

const coloured = async (page: Page) => Number(await page.evaluate(COLOURED));

test("axe finds no accessibility violation in the usage, on any screen, and its chart uses each theme's colours", async () => {
  const page = await signedIn(at, browser, { name: "ana", section: "usage" });
  await spent(page, "Spending by day").first().waitFor();
  await expectSound(page, "usage");
  await page.getByRole("combobox", { name: "Group by" }).selectOption("model");
  await spent(page, "Spending by model").first().waitFor();
  await expectSound(page, "usage-model", { also: () => expect.poll(() => coloured(page)).toBeGreaterThan(100) });
  await leave(page);
});

test("a usage row can be opened step by step and left again by keyboard alone", async () => {
  const page = await signedIn(at, browser, { name: "ana" });
  await page.getByRole("list", { name: "Manage" }).getByRole("link", { name: "Usage" }).focus();
  await page.keyboard.press("Enter");
  const total = page.getByText("in channels that you can see");
  await total.filter({ hasText: "2 model calls" }).waitFor();
  await page.getByRole("combobox", { name: "Group by" }).focus();
  await page.keyboard.type("By channel");
  const channels = spent(page, "Spending by channel");
  await expect.poll(() => channels.count()).toBe(2);
  await channels.first().getByRole("link").focus();
  await page.keyboard.press("Enter");
  await total.filter({ hasText: "1 model call" }).waitFor();
  await spent(page, "Spending by model").getByRole("link").focus();
  await page.keyboard.press("Enter");
  await spent(page, "Spending by person").filter({ hasText: "@ana" }).waitFor();
  // The address alone restores the view.
  await page.reload();
  await spent(page, "Spending by person").filter({ hasText: "@ana" }).waitFor();
  await page
    .getByRole("list", { name: "Only" })
    .getByRole("button", { name: /^Channel/u })
    .focus();
  await page.keyboard.press("Enter");
  await total.filter({ hasText: "2 model calls" }).waitFor();
  await page.goBack();
  await total.filter({ hasText: "1 model call" }).waitFor();
  await leave(page);
});

test("jobs of visible channels are listed with readable schedules; those of other channels are not", async () => {
  const page = await opened("ana");
  const morning = rows(page).filter({ hasText: "Morning count" });
  await morning.filter({ hasText: "every weekday at 09:00" }).waitFor();
  await rows(page).filter({ hasText: "Plans of the board" }).waitFor();
  await page.getByRole("searchbox", { name: "Search in jobs" }).fill("board");
  await expect.poll(() => rows(page).count()).toBe(1);
  await leave(page);

  const others = await opened("cleo");
  await rows(others).filter({ hasText: "Morning" }).waitFor();
  expect(await rows(others).filter({ hasText: "board" }).count()).toBe(0);
  const [known] = await hidden(others, "Plans of the board");
  expect(known).toBe(404);
  await leave(others);
});

/** The server's answer to a request for a hidden job by its id. */
async function hidden(page: Page, name: string): Promise<[number, string]> {
  const shown = await typed(at, `show "${name}"`, { channel: board, name: "jobs" });
  const id = /job_\w+/u.exec(shown)?.[0] ?? "none";
  const answer = await page.request.get(`${originOf(at)}/features/console/jobs/one?id=${id}`);
  return [answer.status(), await answer.text()];
}

/** A person's acts on jobs in the audit log. */
function acts(by: string): readonly unknown[] {
  const sql = "SELECT act FROM AuditEntry WHERE act LIKE 'job.%' AND by = ? ORDER BY act";
  return inDatabase(at, (database) => database.prepare(sql).pluck().all(by));
}

test("a linked person can run, pause, edit and remove a job on the page, and the channel receives its report", async () => {
  await add("Evening count", channel);
  const page = await opened("ana");
  await page.getByRole("link", { name: "Evening count" }).click();
  await page.getByRole("heading", { name: "Evening count" }).waitFor();
  await expect.poll(() => page.getByRole("list", { name: "Next" }).getByRole("listitem").count()).toBe(3);

  const requests = at.model.requests.length;
  await page.getByRole("button", { name: "Run now" }).click();
  await at.until("its run", () => at.model.requests.length > requests);
  await at.until("its report", () =>
    at.slack.workspace.messages.some(
      ({ channel: where, text: said }) => where === channel && said.includes("Seven herons."),
    ),
  );
  await page.getByRole("table", { name: "Runs" }).getByRole("link", { name: "Open session" }).waitFor();
  // The session's title is the job's prompt.
  expect((await handMade(page, "/sessions")).body).toContain('"title":"Count the <b>herons</b>."');

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: "Enable" }).waitFor();

  await page.getByRole("button", { name: "Edit" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel(/^When/u).fill("every now and then");
  await form.getByRole("button", { name: "Go ahead" }).click();
  await form.getByRole("alert").first().waitFor();
  await form.getByLabel(/^When/u).fill("0 18 * * *");
  await form.getByRole("button", { name: "Go ahead" }).click();
  await form.waitFor({ state: "detached" });
  await page.getByText("at 18:00", { exact: false }).first().waitFor();

  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove for good" }).click();
  await rows(page).filter({ hasText: "Morning" }).waitFor();
  expect(await rows(page).filter({ hasText: "Evening" }).count()).toBe(0);
  expect(await typed(at, "list", { channel, name: "jobs" })).not.toContain("Evening count");
  expect(acts("ana")).toEqual(expect.arrayContaining(["job.disable", "job.edit", "job.remove", "job.run"]));
  await leave(page);
});

test("a job can be created in one of the person's channels", async () => {
  await at.talk({ text: "hello", channel }).answered(1);
  const before = acts("ana").length;
  const page = await opened("ana");
  await page.getByLabel("New job in").selectOption(`slack:${channel}`);
  await page.getByRole("button", { name: "Fill in the form" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel(/^When/u).waitFor();
  await form.getByLabel(/^When/u).fill("0 9 * *");
  await form
    .getByRole("status")
    .getByText(/five fields|fields/u)
    .waitFor();
  await form.getByLabel(/^When/u).fill("30 9 * * 1");
  const due = form.getByRole("status").getByText(/Monday.* 09:30.*Next: .*09:30.*; .*09:30.*; .*09:30/u);
  await due.waitFor();
  const { y = Infinity } = (await due.boundingBox()) ?? {};
  expect(y, "it is in sight").toBeLessThan(page.viewportSize()?.height ?? 0);
  await form.getByLabel(/^When/u).fill("@daily");
  const what = form.getByLabel(/^(?:What to do|Prompt|What)/u).first();
  await what.fill("gull ".repeat(220_000));
  await form.getByRole("button", { name: "Go ahead" }).click();
  await form.getByText("It is longer than 1 MB in total. Shorten it.").first().waitFor();
  await what.fill("Count the gulls.");
  await form.getByRole("button", { name: "Go ahead" }).click();
  await form.waitFor({ state: "detached" });
  await at.until("the job", async () => (await typed(at, "list", { channel, name: "jobs" })).includes("gulls"));
  expect(acts("ana")).toHaveLength(before + 1);
  await leave(page);
});

/** The server's answer to a forged command. */
async function commanded(page: Page, target: object): Promise<string> {
  const command = { clickId: randomUUID(), target };
  return (await handMade(page, "/features/console/jobs/command", command)).body;
}

test("jobs of other people are read-only, and a viewer's hand-made request changes nothing", async () => {
  const page = await opened("cleo");
  await page.getByRole("link", { name: /Morning/u }).click();
  await page.getByText("Only its owner and admins").waitFor();
  await leave(page);

  // Whatever the page offers, the channel's rules hold, and what was refused was not done.
  const others = await opened("cleo");
  const shown = await typed(at, 'show "Morning count"', { channel, name: "jobs" });
  const jobId = /job_\w+/u.exec(shown)?.[0] ?? "none";
  const refused = await commanded(others, { verb: "disable", jobId });
  expect(refused).toContain("only they and admins can do that");
  await leave(others);
  expect(acts("cleo")).toEqual([]);

  const viewer = await opened("vera");
  for (const name of ["Fill in the form", "New thread", "Add a job"]) {
    expect(await viewer.getByRole("button", { name }).count()).toBe(0);
  }
  expect(await commanded(viewer, { verb: "add", channelId: `slack:${channel}` })).toContain(
    "Your account may only read",
  );
  await leave(viewer);
});

test("axe finds no accessibility violation in the jobs, on any screen", async () => {
  const page = await opened("ana");
  await rows(page).filter({ hasText: "Morning" }).waitFor();
  await expectSound(page, "jobs");
  await page.getByRole("link", { name: /Morning/u }).click();
  await page.getByRole("button", { name: "Run now" }).waitFor();
  // What people write is text.
  await page.getByText("Count the <b>herons</b>.").waitFor();
  await expectSound(page, "job");
  await leave(page);
});
