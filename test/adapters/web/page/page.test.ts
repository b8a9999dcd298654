import { describe, expect, test } from "vitest";
import type { Form } from "../../../../src/core/protocol/form.ts";
import { Inbox } from "../../../contracts/inbox.ts";
import { plainMessage } from "../../../contracts/platform-steps.ts";
import { foldedMessage, liveMessage } from "../../../support/run-messages.ts";
import { entryUrl } from "../web-setup.ts";
import { NAMELESS_CONTROLS, WEAK_TEXTS } from "./page-probes.ts";
import { usePage } from "./page-under-test.ts";

const { signal } = new AbortController();
const STOP = [{ id: "stop:run_1", label: "Stop", style: "danger" as const }];

const at = usePage();
const { composer, messages, say } = at;

test("a message is sent, its run is followed live, and the answer appears, without a complaint", async () => {
  const thread = await say("change port to 9090 in config.toml");
  await expect.poll(() => at.page.url()).toBe(new URL(`/#${thread.threadId}`, entryUrl(at.platform)).href);
  await composer().and(at.page.locator(":focus")).waitFor(); // The new thread's own composer takes the focus.
  await at.page.keyboard.type("and");
  await expect.poll(() => composer().inputValue()).toBe("and");
  await composer().fill("");
  await messages().getByText("Sent", { exact: true }).waitFor();
  await at.platform.react(thread, thread.threadId ?? "", "seen");
  await messages().getByText("read", { exact: true }).waitFor();

  const steps = ["✓ read `config.toml` · 12 lines", "✓ edit `config.toml`"];
  const live = await at.platform.post(thread, liveMessage("**build** · turn 1 · 1 s", ...steps), "live");
  const details = at.page.getByRole("complementary", { name: "Details" });
  await details.getByText("Working").waitFor();
  await expect.poll(() => at.page.title()).toBe("⏳ change port to 9090 in config.toml · Deckhand");

  await at.platform.edit(live, foldedMessage("3 turns · 2 tools · 6 s · $0.004"));
  await at.platform.post(thread, plainMessage("The port is **9090** now.\n\n```toml\nport = 9090\n```"), "answer");
  await messages().locator("strong", { hasText: "9090" }).waitFor();
  await details.getByText("Done").waitFor();
  expect(await details.textContent()).toContain("3 turns · 2 tools · 6 s · $0.004");
  expect(await at.page.getByRole("button", { name: "Stop" }).count()).toBe(0);
  expect(await at.page.getByRole("list", { name: "Threads" }).getByRole("link").count()).toBe(1);
  expect(at.complaints).toEqual([]);
});

test("an empty page teaches: a suggestion is one click away from being sent", async () => {
  await at.page.getByRole("button", { name: /create config.toml/u }).click();
  expect((await at.inbox.nextMessage()).text).toBe("create config.toml with port = 8080");
});

describe("by keyboard", () => {
  test("/ writes, Shift+Enter breaks the line, Ctrl+Enter sends", async () => {
    await at.page.keyboard.press("/");
    await at.page.keyboard.type("one");
    await at.page.keyboard.press("Shift+Enter");
    await at.page.keyboard.type("two / three?");
    await at.page.keyboard.press("Control+Enter");
    expect((await at.inbox.nextMessage()).text).toBe("one\ntwo / three?");
    await expect.poll(() => composer().inputValue()).toBe("");
  });

  test("Escape presses the newest Stop, once, however often it is pressed", async () => {
    const thread = await say("go");
    await at.platform.post(thread, liveMessage("**build** · turn 1"), "live");
    await at.page.getByRole("button", { name: "Stop" }).waitFor();
    const release = at.inbox.hold();
    await at.page.keyboard.press("Escape");
    await at.page.keyboard.press("Escape");
    expect(await at.inbox.next()).toMatchObject({ kind: "action", action: "stop:run_1", thread });
    release();
    await at.page.locator('button[aria-busy="true"]').waitFor({ state: "detached" });
    expect(at.inbox.fresh).toHaveLength(2);
  });

  test("? lists the shortcuts, and Escape then closes the list rather than stopping anything", async () => {
    const thread = await say("go");
    await at.platform.post(thread, liveMessage("**build** · turn 1"), "live");
    await at.page.getByRole("button", { name: "Stop" }).focus();
    await at.page.keyboard.press("?");
    const dialog = at.page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.waitFor();
    await at.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await at.platform.stop();
    expect(at.inbox.fresh).toHaveLength(1);
  });
});

describe("when something is lost", () => {
  test("over a restart of the server the page says so, keeps what is written, and catches up", async () => {
    const thread = await say("go");
    const live = await at.platform.post(thread, liveMessage("**build** · turn 1"), "live");
    await at.page.getByRole("button", { name: "Stop" }).waitFor();
    await at.platform.stop();
    await at.page.getByText(/Connection lost/u).waitFor();
    await composer().fill("and then this");
    await composer().press("Enter");
    await messages().getByText("Sending…").waitFor();

    at.reopen();
    const next = new Inbox();
    await at.platform.listen();
    await at.platform.edit(live, foldedMessage("1 turn · 2 s"));
    await at.platform.post(thread, plainMessage("The answer."), "answer");
    await at.platform.start(next.receive, signal);
    await messages().getByText("The answer.").waitFor();
    expect((await next.nextMessage()).text).toBe("and then this");
    await messages().getByText("Sent", { exact: true }).waitFor();
    await at.page.getByText(/Connection lost/u).waitFor({ state: "detached" });
    expect(await messages().getByRole("listitem").count()).toBe(4);
  });

  test("what is written before the server's welcome has come goes out once", async () => {
    const { promise: welcome, resolve: letIn } = Promise.withResolvers<void>();
    await at.page.routeWebSocket(/\/live$/u, (socket) => {
      socket.connectToServer().onMessage(async (frame) => {
        await welcome;
        socket.send(frame);
      });
    });
    await at.page.reload();
    await composer().fill("first");
    await composer().press("Enter");
    await messages().getByText("Sending…").waitFor();
    letIn();
    await messages().getByText("Sent", { exact: true }).waitFor();
    await composer().fill("second");
    await composer().press("Enter");
    const texts = () => at.inbox.events.map((event) => (event.kind === "message" ? event.text : ""));
    await at.inbox.until(() => texts().includes("second"));
    expect(texts()).toEqual(["first", "second"]);
    // Closed because the route would otherwise apply to the next tests, which use the same window.
    await at.page.close();
  });

  test("a page whose socket something in between lets not through says so", async () => {
    const refusing = "super(); queueMicrotask(() => this.dispatchEvent(new Event('close')))";
    await at.page.addInitScript(
      `WebSocket = class extends EventTarget { static OPEN = 1; constructor() { ${refusing}; } };`,
    );
    await at.page.reload();
    await at.page.getByText(/must allow WebSockets/u).waitFor();
    // Closed because the script would otherwise apply to the next tests, which use the same window.
    await at.page.close();
  });

  test("a message that is not taken stays, says why, and goes out on a second try", async () => {
    const mend = at.inbox.refuse();
    await composer().fill("do not lose me");
    await composer().press("Enter");
    const failure = at.page.getByRole("alert").filter({ hasText: "Not sent." });
    await failure.waitFor();
    await at.page.reload();
    mend();
    await failure.getByRole("button", { name: "Try again" }).click();
    expect((await at.inbox.nextMessage()).text).toBe("do not lose me");
    await failure.waitFor({ state: "detached" });
    expect(await messages().getByText("do not lose me").count()).toBe(1);
  });

  test("a draft survives a reload, each thread its own", async () => {
    await say("a thread");
    await composer().fill("half a thought");
    await at.page.getByRole("button", { name: "New thread" }).click();
    await expect.poll(() => composer().inputValue()).toBe("");
    await at.page.goBack();
    await at.page.reload();
    await expect.poll(() => composer().inputValue()).toBe("half a thought");
  });

  test("a page whose key the server no longer knows says what to do", async () => {
    await at.platform.stop();
    await at.restart({ token: "another-token-altogether" });
    await at.page.getByText("Deckhand's key has changed.").waitFor();
  });
});

describe("what a command lacks", () => {
  const form: Form = {
    title: "front-component-generator",
    command: "skill",
    line: "front-component-generator",
    fields: [
      { name: "name", label: "name: The component's name", required: true, kind: "text" },
      { name: "description", label: "description: What it shows", required: false, kind: "multiline" },
      { name: "timezone", label: "Zone", required: false, kind: "text", value: "Etc/GMT+12", isMachinesZone: true },
    ],
  };
  const lacking = plainMessage("The skill needs **name**.");
  const dialog = () => at.page.getByRole("dialog", { name: form.title });
  /** Sends the command and waits for its form. */
  const asked = async () => {
    at.inbox.answerWith({ type: "reply", message: lacking, form });
    const thread = await say("/skill front-component-generator");
    await dialog().waitFor();
    return thread;
  };

  test("is asked by a form, which keeps what is typed until it is right", async () => {
    const thread = await asked();
    const [name, description] = [dialog().getByLabel(/^name/u), dialog().getByLabel(/^description/u)];
    await expect.poll(() => name.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await at.page.keyboard.press("Enter");
    expect(await name.evaluate((field) => field.matches(":invalid"))).toBe(true);
    const here = await at.page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone");
    expect(await dialog().getByLabel("Zone").inputValue()).toBe(here);
    await at.page.keyboard.type("date picker");
    await description.fill("a pasted log ".repeat(50_000));
    await dialog().getByRole("button", { name: "Go ahead" }).click();
    await dialog().getByText("longer than 512 KB").waitFor();
    await description.fill("A calendar\nto choose from");
    at.inbox.answerWith({ type: "reply", message: lacking, form, problems: { name: "A name has no blanks." } });
    await dialog().getByRole("button", { name: "Go ahead" }).click();
    await dialog().getByText("A name has no blanks.").waitFor();
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    expect(await description.inputValue()).toBe("A calendar\nto choose from");
    await name.fill("DatePicker");
    await name.press("Enter");
    await dialog().waitFor({ state: "detached" });
    expect(at.inbox.events.slice(1)).toMatchObject([
      { kind: "command", name: "skill", args: form.line, thread, filled: { name: "date picker" } },
      { kind: "command", filled: { name: "DatePicker", description: "A calendar\nto choose from" } },
    ]);
    expect(new Set(at.inbox.events.slice(1).map(({ key }) => key)).size).toBe(1);
    expect(at.complaints).toEqual([]);
  });

  test("is given up by Escape, and the button that asked for it has the focus again", async () => {
    at.inbox.answerWith({ type: "reply", message: lacking, form });
    const add = at.page.getByRole("button", { name: "Add a job" });
    await add.click();
    await dialog().waitFor();
    await at.page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    expect(await add.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
  });

  test("is given up by Escape, which stops nothing and sends nothing", async () => {
    const thread = await asked();
    await at.platform.post(thread, liveMessage("**build** · turn 1"), "live");
    await at.page.getByRole("button", { name: "Stop", includeHidden: true }).waitFor();
    await at.page.keyboard.type("DatePicker");
    await at.page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await expect.poll(() => composer().evaluate((box) => box === box.ownerDocument.activeElement)).toBe(true);
    await at.platform.stop();
    expect(at.inbox.events).toHaveLength(1);
  });
});

test("on a narrow screen one column shows at a time, and each leads to the others", async () => {
  await at.page.setViewportSize({ width: 390, height: 800 });
  const thread = await say("go");
  at.inbox.answerWith({ type: "reply", message: plainMessage("every step") });
  const buttons = [{ id: "details:run_1", label: "Steps", style: "default" as const }];
  await at.platform.post(thread, foldedMessage("1 turn · 2 s", buttons), "live");
  const columns = [
    at.page.getByRole("navigation", { name: "Threads and jobs" }),
    at.page.locator("main.thread"),
    at.page.getByRole("complementary", { name: "Details" }),
  ];
  const shown = () => Promise.all(columns.map((column) => column.isVisible()));
  await expect.poll(shown).toEqual([false, true, false]);
  await at.page.getByRole("button", { name: "Steps" }).click();
  await columns[2]?.getByText("every step").waitFor();
  await expect.poll(shown).toEqual([false, false, true]);
  await at.page.getByRole("button", { name: "Back to the thread" }).click();
  await at.page.getByRole("button", { name: "Threads and jobs" }).click();
  await expect.poll(shown).toEqual([true, false, false]);
  await at.page.keyboard.press("/");
  await composer().and(at.page.locator(":focus")).waitFor();
  await at.page.getByRole("button", { name: "Threads and jobs" }).click();
  await at.page.getByRole("link", { name: "go" }).click();
  await expect.poll(shown).toEqual([false, true, false]);
  expect(await at.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
});

describe("for a screen reader", () => {
  test("every control has a name, and landmarks and headings say where one is", async () => {
    await say("go");
    expect(await at.page.evaluate(NAMELESS_CONTROLS)).toBe(0);
    for (const role of ["main", "navigation", "complementary"] as const)
      expect(await at.page.getByRole(role).count()).toBe(1);
    expect(await at.page.getByRole("heading", { level: 1 }).count()).toBe(1);
  });

  test("progress and answers are announced, the ticking of the clock is not", async () => {
    const thread = await say("go");
    const announced = () => at.page.locator('[aria-live="polite"]').textContent();
    const live = await at.platform.post(thread, liveMessage("**build** · turn 1 · 1 s", "⏳ read `a`"), "live");
    await expect.poll(announced).toBe("Deckhand is working: read a");
    await at.platform.edit(live, liveMessage("**build** · turn 1 · 2 s", "⏳ read `a`"));
    await messages().getByText("2 s").waitFor();
    expect(await announced()).toBe("Deckhand is working: read a");
    await at.platform.post(thread, plainMessage("The port is **9090**."), "answer");
    await expect.poll(announced).toBe("Deckhand: The port is 9090.");
  });

  test.each(["light", "dark"] as const)(
    "text contrasts with its ground by 4.5 to 1 in the %s scheme",
    async (colorScheme) => {
      await at.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const thread = await say("go");
      const text = "✓ read `a`\n\n> quote\n\n```diff\n-a\n+b\n```\n\n[link](https://x.example)";
      const buttons = [...STOP, { id: "a", label: "Allow", style: "primary" as const }];
      await at.platform.post(thread, plainMessage(text, { footer: "footer", buttons }), "k1");
      await at.platform.post(thread, plainMessage("✗ failed", { tone: "error" }), "k2");
      await at.platform.post(thread, plainMessage("task", { tone: "task" }), "k3");
      await messages().getByText("task", { exact: true }).first().waitFor();
      expect(await at.page.evaluate(WEAK_TEXTS)).toEqual([]);
    },
  );
});
