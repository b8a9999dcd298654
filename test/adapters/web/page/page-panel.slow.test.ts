import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JobOverview, JobView } from "../../../../src/core/jobs/job-control.ts";
import type { OutgoingMessage, PostedMessage } from "../../../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../../../src/core/platform/thread.ts";
import type { SessionSummary } from "../../../../src/core/protocol/session-summary.ts";
import { plainMessage } from "../../../contracts/platform-steps.ts";
import { liveMessage } from "../../../support/run-messages.ts";
import { SERVERS_PANEL } from "../web-setup.ts";
import { NAMELESS_CONTROLS, WEAK_TEXTS } from "./page-probes.ts";
import { usePage } from "./page-under-test.ts";

const ASKED = "**Change config.toml?**   asked by @operator";
const CARD: OutgoingMessage = {
  ...plainMessage(`⏸ ${ASKED}\n\`\`\`diff\n-port = 8080\n+port = 9090\n\`\`\``),
  lane: "approval",
  shows: { type: "card", card: "approval", head: ASKED, asks: ASKED },
  footer: "Waiting for @operator · expires in 60 min",
  buttons: [
    { id: "approve:y:run_1:1", label: "Allow once", style: "primary" },
    { id: "approve:n:run_1:1", label: "Deny", style: "danger" },
    { id: "approve:a:run_1:1", label: "Allow for this session", style: "default" },
    { id: "approve:A:run_1:1", label: "Always allow", style: "default" },
  ],
};
const DECIDED: OutgoingMessage = { ...plainMessage("✓ Allowed by @operator: edit `config.toml`"), lane: "approval" };

const SESSION: SessionSummary = {
  agent: "build",
  mode: "write",
  model: "anthropic/claude-sonnet-5-5",
  steps: [
    {
      id: "run_1:c1",
      agent: null,
      tool: "read",
      title: "config.toml",
      state: "done",
      input: '{\n  "path": "config.toml"\n}',
      result: "1\tport = 8080",
      durationMs: 640,
    },
    {
      id: "run_2:c1",
      agent: "explorer",
      tool: "bash",
      title: "make",
      state: "failed",
      input: "{}",
      result: "make: no targets",
      durationMs: 12,
    },
  ],
  files: [
    { path: "config.toml", isGone: false },
    { path: "old.toml", isGone: true },
  ],
  context: { tokens: 164_000, window: 200_000 },
  costUsd: 0.0421,
  waiting: [{ kind: "approval", id: "run_1:1", title: "edit `config.toml`", expiresAt: 3_600_000 }],
  grants: [{ id: "grt_1", what: "changing config.toml", scope: "session", grantedBy: "@operator" }],
};

/** The server's data, which a test changes as the program would. */
interface World {
  session: SessionSummary | null;
  busy: ReadonlyMap<string, "working" | "waiting">;
  jobs: readonly JobOverview[];
  /** The complete view of one of the jobs. */
  view: JobView | null;
}

/** State of a job that the person made here. */
const OWN = { isDone: false, isFromFile: false, isTheirs: true };

let world: World;

const at = usePage(
  () => ({
    overview: {
      panels: [SERVERS_PANEL],
      summaries: { of: () => Promise.resolve(world.session), busyThreads: () => Promise.resolve(world.busy) },
      jobs: {
        overview: () => Promise.resolve(world.jobs),
        view: (id) => Promise.resolve(world.view?.id === id ? world.view : null),
      },
    },
  }),
  { reducedMotion: "reduce" },
);
const { composer, say } = at;

beforeEach(() => {
  world = { session: null, busy: new Map(), jobs: [], view: null };
});

afterEach(() => {
  expect(at.complaints).toEqual([]);
});

const details = () => at.page.getByRole("complementary", { name: "Details" });
const card = () => at.page.getByRole("group", { name: CARD_NAME });
const announced = () => at.page.locator('[aria-live="polite"]').textContent();
const focused = () =>
  at.page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
const CARD_NAME = "Deckhand asks: Change config.toml? asked by @operator";

async function asked(): Promise<{ thread: ThreadRef; posted: PostedMessage }> {
  const thread = await say("change port to 9090 in config.toml");
  await at.platform.post(thread, liveMessage("**build** · turn 2", "✓ read `config.toml`"), "live");
  const posted = await at.platform.post(thread, CARD, "card");
  await card().waitFor();
  return { thread, posted };
}

describe("a card that asks", () => {
  test("is decided by keyboard alone, and the line that stays has the focus", async () => {
    const { posted } = await asked();
    await at.page.getByRole("button", { name: "New thread" }).focus();
    await at.page.keyboard.press("w");
    await expect.poll(focused).toBe(CARD_NAME);
    await card().getByRole("button", { name: "Allow once" }).focus();
    await at.page.keyboard.press("Enter");
    expect(await at.inbox.next()).toMatchObject({ kind: "action", action: "approve:y:run_1:1" });
    await at.platform.edit(posted, DECIDED);
    await card().waitFor({ state: "detached" });
    await expect.poll(focused).toContain("Allowed by @operator: edit config.toml");
    expect(await at.page.getByRole("button", { name: /Allow|Deny/u }).count()).toBe(0);
  });

  test("keeps the focus where it is while the thread goes on", async () => {
    const { thread } = await asked();
    await card().getByRole("button", { name: "Deny" }).focus();
    await at.platform.post(thread, plainMessage("Something else."), "more");
    await at.page.getByText("Something else.").first().waitFor();
    expect(await focused()).toBe("Deny");
  });

  test("is announced once, with its choices, and then what was decided", async () => {
    const { thread, posted } = await asked();
    const words =
      "Deckhand asks: Change config.toml? asked by @operator Changes: 1 added, 1 removed. Choices: Allow once, Deny, Allow for this session, Always allow.";
    await expect.poll(announced).toBe(words);
    await at.page.evaluate(`{
      window.spoken = [];
      const region = document.querySelector('[aria-live="polite"]');
      new MutationObserver(() => window.spoken.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
    }`);
    await at.platform.post(thread, plainMessage("By the way."), "more");
    await at.page.getByText("By the way.").first().waitFor();
    await at.platform.edit(posted, DECIDED);
    await expect.poll(announced).toBe("Deckhand: done: Allowed by @operator: edit config.toml");
    expect(await at.page.evaluate("window.spoken")).toEqual(["Deckhand: done: Allowed by @operator: edit config.toml"]);
  });

  test("marks changed lines by sign and element, not by colour alone", async () => {
    await asked();
    const changes = card().getByRole("region", { name: "Changes: 1 added, 1 removed" });
    expect(await changes.getByRole("deletion").textContent()).toBe("-port = 8080\n");
    expect(await changes.getByRole("insertion").textContent()).toBe("+port = 9090\n");
  });
});

describe("beside the thread", () => {
  test("are its steps with what went in and came out, its files, its context and its cost", async () => {
    world.session = SESSION;
    await asked();
    const steps = details().getByRole("list", { name: "Steps" });
    await steps.getByText("read").click();
    await steps.getByRole("region", { name: "Result" }).getByText("port = 8080").waitFor();
    expect(await steps.getByRole("listitem").allTextContents()).toEqual([
      expect.stringMatching(/read config\.toml0\.6 sInput/u),
      expect.stringMatching(/explorer: bash make/u),
    ]);
    const files = details().getByRole("list", { name: "Files changed" }).getByRole("listitem");
    expect(await files.allTextContents()).toEqual(["config.toml", "old.toml deleted"]);
    const gauge = details().getByRole("meter", { name: "Context" });
    expect(await gauge.getAttribute("aria-valuetext")).toBe("82 % of the model's memory");
    expect(await details().textContent()).toContain("$0.0421 so far");
    await details().getByRole("list", { name: "Waiting for you" }).getByRole("button", { name: "Show" }).click();
    await expect.poll(focused).toBe(CARD_NAME);
  });

  test("are its grants, each of which can be taken back; the answer is this person's alone", async () => {
    world.session = { ...SESSION, waiting: [], steps: [] };
    const { thread } = await asked();
    at.inbox.answerWith({ type: "reply", message: plainMessage("✓ Taken back: changing config.toml.") });
    const release = at.inbox.hold();
    await details().getByRole("button", { name: "Revoke: changing config.toml" }).click();
    expect(await at.inbox.next()).toMatchObject({ kind: "command", name: "approvals", args: "revoke grt_1", thread });
    world.session = { ...world.session, grants: [] };
    release();
    await details().getByRole("region", { name: "Private answer" }).getByText("Taken back").waitFor();
    await details().getByRole("list", { name: "Allowed without asking" }).waitFor({ state: "detached" });
    expect(await at.page.getByRole("list", { name: "Messages" }).getByText("Taken back").count()).toBe(0);
  });
});

test("threads say whether they work or wait, and jobs when they are due and how they went", async () => {
  const jobs = [{ id: "job_1", name: "Daily report", sentence: "every weekday at 09:00", isEnabled: true, ...OWN }];
  const runs = [true, true, false].map((success) => ({ success, durationMs: 1_000 }));
  world.jobs = jobs.map((job) => ({ ...job, nextAt: Date.now() + 5 * 3_600_000, runs }));
  const first = await say("first");
  await at.page.getByRole("button", { name: "New thread" }).click();
  const second = await say("second");
  world.busy = new Map([
    [first.threadId ?? "", "waiting"],
    [second.threadId ?? "", "working"],
  ]);
  await at.platform.post(second, liveMessage("**build** · turn 1"), "live");
  const left = at.page.getByRole("navigation", { name: "Threads and jobs" });
  await left.getByRole("link", { name: /first.*waiting for you/u }).waitFor();
  await left.getByRole("link", { name: /second.*working/u }).waitFor();
  const job = left.getByRole("listitem").filter({ hasText: "Daily report" });
  expect(await job.textContent()).toBe("Daily reportin 5 hevery weekday at 09:00▇▇✗");
  expect(await job.getByRole("img").getAttribute("aria-label")).toBe("of the last 3 runs 1 failed");
  await at.page.setViewportSize({ width: 390, height: 800 });
  await at.page.getByRole("button", { name: "Threads and jobs; another thread is waiting" }).waitFor();
});

describe("a job", () => {
  const runs = [true, false].map((success) => ({ success, durationMs: 1_000 }));
  const overview = {
    id: "job_1",
    name: "Daily report",
    sentence: "every day at 09:00",
    isEnabled: true,
    nextAt: 0,
    runs,
  };
  const job: JobView = {
    ...overview,
    ...OWN,
    pausedBecause: null,
    next: ["Mon 4 Jan 2027 09:00", "Tue 5 Jan 2027 09:00"],
    prompt: "Look around.",
    settings: ["mode read", "at most 300 s"],
    log: [{ id: "occ_1", outcome: "✗ failed", due: "Sun 3 Jan 2027 09:00", words: "1.0 s · no disk", sessionId: null }],
  };
  const button = (name: string | RegExp) => details().getByRole("button", { name });
  const commanded = async () => {
    const event = await at.inbox.next();
    return event.kind === "command" ? `/${event.name} ${event.args}` : event.kind;
  };

  async function opened(view: JobView): Promise<void> {
    world.jobs = [view];
    world.view = view;
    await at.page.reload();
    await at.page.getByRole("button", { name: view.name }).click();
    await details().getByRole("article", { name: view.name }).waitFor();
  }

  test("is shown beside the thread: when it is due, how it went, what it does", async () => {
    await opened(job);
    const text = (await details().getByRole("article").textContent()) ?? "";
    for (const part of [
      job.sentence,
      "Enabled",
      ...job.next,
      "failed",
      "1.0 s · no disk",
      "Look around.",
      "mode read",
    ]) {
      expect(text).toContain(part);
    }
    await at.page.getByRole("button", { name: "Close the job" }).click();
    await details().getByRole("heading", { name: "Details" }).waitFor();
  });

  test("is run, paused, changed and, after one question, removed by commands, with no thread open", async () => {
    await opened(job);
    at.inbox.answerWith({ type: "reply", message: plainMessage("✓ Done.") });
    await button("Run now").click();
    expect(await commanded()).toBe("/jobs run job_1");
    await details().getByRole("region", { name: "Private answer" }).getByText("Done.").waitFor();
    await button("Pause").click();
    expect(await commanded()).toBe("/jobs disable job_1");
    await button("Edit").click();
    expect(await commanded()).toBe("/jobs edit job_1");
    await button("Remove").click();
    await expect.poll(focused).toBe("Remove Daily report?");
    await button("Keep it").click();
    await button("Remove").click();
    const release = at.inbox.hold();
    await button("Remove for good").click();
    expect(await commanded()).toBe("/jobs remove job_1");
    world.view = null;
    world.jobs = [];
    release();
    await details().getByText("This job no longer exists.").waitFor();
    await at.page.getByRole("button", { name: "Add a job" }).click();
    expect(await commanded()).toBe("/jobs add");
  });

  test("of the file, or of somebody else, says why it is not changed here", async () => {
    await opened({ ...job, isFromFile: true, isEnabled: false, pausedBecause: "five failures" });
    await details().getByText("Paused: five failures").waitFor();
    await details().getByText("It comes from the jobs file").waitFor();
    expect(await details().getByRole("group", { name: "Job actions" }).textContent()).toBe("Run nowEnable");
    await opened({ ...job, isTheirs: false, prompt: null });
    await details().getByText("Only its owner and admins").waitFor();
    await details().getByText("Only people in its private channel").waitFor();
    expect(await details().getByRole("group").count()).toBe(0);
  });

  test("takes a narrow screen, and leads back to the list", async () => {
    await at.page.setViewportSize({ width: 390, height: 800 });
    world.jobs = [job];
    world.view = job;
    await at.page.reload();
    await at.page.getByRole("button", { name: "Threads and jobs" }).click();
    await at.page.getByRole("button", { name: job.name }).click();
    await details().getByRole("article").waitFor();
    expect(await at.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await at.page.getByRole("button", { name: "Back to the jobs" }).click();
    await at.page.getByRole("button", { name: job.name }).waitFor();
  });

  test.each(["light", "dark"] as const)("contrasts by 4.5 to 1 in the %s scheme", async (scheme) => {
    await at.page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await opened({ ...job, isEnabled: false });
    await button("Remove").click();
    expect(await at.page.evaluate(WEAK_TEXTS)).toEqual([]);
    expect(await at.page.evaluate(NAMELESS_CONTROLS)).toBe(0);
  });
});

describe("a slash", () => {
  const options = () => at.page.getByRole("listbox", { name: "Commands" }).getByRole("option");

  test("lists commands; letters filter, arrows choose, Tab completes, Enter sends what is complete", async () => {
    await composer().focus();
    await at.page.keyboard.type("/mo");
    await expect.poll(() => options().count()).toBe(2);
    await at.page.keyboard.press("ArrowDown");
    await expect.poll(() => options().nth(1).getAttribute("aria-selected")).toBe("true");
    expect(await composer().getAttribute("aria-activedescendant")).toBe(await options().nth(1).getAttribute("id"));
    await at.page.keyboard.press("Tab");
    await expect.poll(() => composer().inputValue()).toBe("/mode ");
    await at.page.keyboard.type("r");
    await at.page.keyboard.press("Enter");
    await expect.poll(() => composer().inputValue()).toBe("/mode read");
    expect(at.inbox.fresh).toEqual([]);
    await at.page.keyboard.press("Enter");
    expect((await at.inbox.nextMessage()).text).toBe("/mode read");
  });

  test("Escape closes the list and stops nothing", async () => {
    await asked();
    await composer().focus();
    await at.page.keyboard.type("/");
    await options().first().waitFor();
    await at.page.keyboard.press("Escape");
    await options().first().waitFor({ state: "detached" });
    expect(at.inbox.fresh).toHaveLength(1);
  });
});

test.each(["light", "dark"] as const)(
  "everything contrasts by 4.5 to 1 and has a name in the %s scheme",
  async (scheme) => {
    await at.page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    world.session = SESSION;
    world.jobs = [{ id: "j", name: "Report", sentence: "daily", nextAt: null, isEnabled: false, runs: [], ...OWN }];
    await asked();
    await composer().pressSequentially("/");
    await details().getByRole("meter").waitFor();
    await details().getByText("bash").click();
    expect(await at.page.evaluate(WEAK_TEXTS)).toEqual([]);
    expect(await at.page.evaluate(NAMELESS_CONTROLS)).toBe(0);
  },
);
