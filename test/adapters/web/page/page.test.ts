import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { WebPlatform } from "../../../../src/adapters/web/adapter.ts";
import type { Form } from "../../../../src/core/protocol/form.ts";
import { Inbox } from "../../../contracts/inbox.ts";
import { plainMessage } from "../../../contracts/platform-steps.ts";
import { MemoryThreadStore } from "../../../support/database/memory-thread-store.ts";
import { visitIn } from "../../../support/program/page-visit.ts";
import { useWindow } from "../../../support/program/window.ts";
import { foldedMessage, liveMessage } from "../../../support/run-messages.ts";
import { entryUrl, openPlatform } from "../web-setup.ts";
import { NAMELESS_CONTROLS, WEAK_TEXTS } from "./page-probes.ts";
import { composerOf, messagesOf, sayOn } from "./page-steps.ts";

const { signal } = new AbortController();
const STOP = [{ id: "stop:run_1", label: "Stop", style: "danger" as const }];

let store: MemoryThreadStore;
let inbox: Inbox;
let platform: WebPlatform;
let page: Page;
/** Errors of scripts and on the console; ordinary use causes none. */
let complaints: readonly string[];

const window = useWindow();

beforeEach(async () => {
  store = new MemoryThreadStore();
  inbox = new Inbox();
  platform = openPlatform({ store, port: window.port() });
  await platform.start(inbox.receive, signal);
  ({ page, complaints } = await visitIn(await window.open(), entryUrl(platform)));
});

afterEach(async () => {
  await window.leave();
  await platform.stop();
});

const composer = () => composerOf(page);
const messages = () => messagesOf(page);
const say = (text: string) => sayOn(page, inbox, text);

test("a message is sent, its run is followed live, and the answer appears, without a complaint", async () => {
  const thread = await say("change port to 9090 in config.toml");
  await expect.poll(() => page.url()).toBe(new URL(`/#${thread.threadId}`, entryUrl(platform)).href);
  await composer().and(page.locator(":focus")).waitFor(); // The new thread's own composer takes the focus.
  await page.keyboard.type("and");
  await expect.poll(() => composer().inputValue()).toBe("and");
  await composer().fill("");
  await messages().getByText("Sent", { exact: true }).waitFor();
  await platform.react(thread, thread.threadId ?? "", "seen");
  await messages().getByText("read", { exact: true }).waitFor();

  const steps = ["✓ read `config.toml` · 12 lines", "✓ edit `config.toml`"];
  const live = await platform.post(thread, liveMessage("**build** · turn 1 · 1 s", ...steps), "live");
  const details = page.getByRole("complementary", { name: "Details" });
  await details.getByText("Working").waitFor();
  await expect.poll(() => page.title()).toBe("⏳ change port to 9090 in config.toml · Deckhand");

  await platform.edit(live, foldedMessage("3 turns · 2 tools · 6 s · $0.004"));
  await platform.post(thread, plainMessage("The port is **9090** now.\n\n```toml\nport = 9090\n```"), "answer");
  await messages().locator("strong", { hasText: "9090" }).waitFor();
  await details.getByText("Done").waitFor();
  expect(await details.textContent()).toContain("3 turns · 2 tools · 6 s · $0.004");
  expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
  expect(await page.getByRole("list", { name: "Threads" }).getByRole("link").count()).toBe(1);
  expect(complaints).toEqual([]);
});

test("an empty page teaches: a suggestion is one click away from being sent", async () => {
  await page.getByRole("button", { name: /create config.toml/u }).click();
  expect((await inbox.nextMessage()).text).toBe("create config.toml with port = 8080");
});

describe("by keyboard", () => {
  test("/ writes, Shift+Enter breaks the line, Ctrl+Enter sends", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two / three?");
    await page.keyboard.press("Control+Enter");
    expect((await inbox.nextMessage()).text).toBe("one\ntwo / three?");
    await expect.poll(() => composer().inputValue()).toBe("");
  });

  test("Escape presses the newest Stop, once, however often it is pressed", async () => {
    const thread = await say("go");
    await platform.post(thread, liveMessage("**build** · turn 1"), "live");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    const release = inbox.hold();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    expect(await inbox.next()).toMatchObject({ kind: "action", action: "stop:run_1", thread });
    release();
    await page.locator('button[aria-busy="true"]').waitFor({ state: "detached" });
    expect(inbox.fresh).toHaveLength(2);
  });

  test("? lists the shortcuts, and Escape then closes the list rather than stopping anything", async () => {
    const thread = await say("go");
    await platform.post(thread, liveMessage("**build** · turn 1"), "live");
    await page.getByRole("button", { name: "Stop" }).focus();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await platform.stop();
    expect(inbox.fresh).toHaveLength(1);
  });
});

describe("when something is lost", () => {
  test("over a restart of the server the page says so, keeps what is written, and catches up", async () => {
    const { port } = new URL(entryUrl(platform));
    const thread = await say("go");
    const live = await platform.post(thread, liveMessage("**build** · turn 1"), "live");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await platform.stop();
    await page.getByText(/Connection lost/u).waitFor();
    await composer().fill("and then this");
    await composer().press("Enter");
    await messages().getByText("Sending…").waitFor();

    platform = openPlatform({ store, port: Number(port) });
    const next = new Inbox();
    await platform.listen();
    await platform.edit(live, foldedMessage("1 turn · 2 s"));
    await platform.post(thread, plainMessage("The answer."), "answer");
    await platform.start(next.receive, signal);
    await messages().getByText("The answer.").waitFor();
    expect((await next.nextMessage()).text).toBe("and then this");
    await messages().getByText("Sent", { exact: true }).waitFor();
    await page.getByText(/Connection lost/u).waitFor({ state: "detached" });
    expect(await messages().getByRole("listitem").count()).toBe(4);
  });

  test("what is written before the server's welcome has come goes out once", async () => {
    const { promise: welcome, resolve: letIn } = Promise.withResolvers<void>();
    await page.routeWebSocket(/\/live$/u, (socket) => {
      socket.connectToServer().onMessage(async (frame) => {
        await welcome;
        socket.send(frame);
      });
    });
    await page.reload();
    await composer().fill("first");
    await composer().press("Enter");
    await messages().getByText("Sending…").waitFor();
    letIn();
    await messages().getByText("Sent", { exact: true }).waitFor();
    await composer().fill("second");
    await composer().press("Enter");
    const texts = () => inbox.events.map((event) => (event.kind === "message" ? event.text : ""));
    await inbox.until(() => texts().includes("second"));
    expect(texts()).toEqual(["first", "second"]);
    // Closed because the route would otherwise apply to the next tests, which use the same window.
    await page.close();
  });

  test("a page whose socket something in between lets not through says so", async () => {
    const refusing = "super(); queueMicrotask(() => this.dispatchEvent(new Event('close')))";
    await page.addInitScript(
      `WebSocket = class extends EventTarget { static OPEN = 1; constructor() { ${refusing}; } };`,
    );
    await page.reload();
    await page.getByText(/must let WebSockets through/u).waitFor();
    // Closed because the script would otherwise apply to the next tests, which use the same window.
    await page.close();
  });

  test("a message that is not taken stays, says why, and goes out on a second try", async () => {
    const mend = inbox.refuse();
    await composer().fill("do not lose me");
    await composer().press("Enter");
    const failure = page.getByRole("alert").filter({ hasText: "Not sent." });
    await failure.waitFor();
    await page.reload();
    mend();
    await failure.getByRole("button", { name: "Try again" }).click();
    expect((await inbox.nextMessage()).text).toBe("do not lose me");
    await failure.waitFor({ state: "detached" });
    expect(await messages().getByText("do not lose me").count()).toBe(1);
  });

  test("a draft survives a reload, each thread its own", async () => {
    await say("a thread");
    await composer().fill("half a thought");
    await page.getByRole("button", { name: "New thread" }).click();
    await expect.poll(() => composer().inputValue()).toBe("");
    await page.goBack();
    await page.reload();
    await expect.poll(() => composer().inputValue()).toBe("half a thought");
  });

  test("a page whose key the server no longer knows says what to do", async () => {
    const { port } = new URL(entryUrl(platform));
    await platform.stop();
    platform = openPlatform({ store, port: Number(port), token: "another-token-altogether" });
    await platform.start(inbox.receive, signal);
    await page.getByText("Deckhand's key has changed.").waitFor();
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
  const dialog = () => page.getByRole("dialog", { name: form.title });
  /** Sends the command and waits for its form. */
  const asked = async () => {
    inbox.answerWith({ type: "reply", message: lacking, form });
    const thread = await say("/skill front-component-generator");
    await dialog().waitFor();
    return thread;
  };

  test("is asked by a form, which keeps what is typed until it is right", async () => {
    const thread = await asked();
    const [name, description] = [dialog().getByLabel(/^name/u), dialog().getByLabel(/^description/u)];
    await expect.poll(() => name.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    expect(await name.evaluate((field) => field.matches(":invalid"))).toBe(true);
    const here = await page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone");
    expect(await dialog().getByLabel("Zone").inputValue()).toBe(here);
    await page.keyboard.type("date picker");
    await description.fill("a pasted log ".repeat(50_000));
    await dialog().getByRole("button", { name: "Go ahead" }).click();
    await dialog().getByText("longer than 512 KB").waitFor();
    await description.fill("A calendar\nto choose from");
    inbox.answerWith({ type: "reply", message: lacking, form, problems: { name: "A name has no blanks." } });
    await dialog().getByRole("button", { name: "Go ahead" }).click();
    await dialog().getByText("A name has no blanks.").waitFor();
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    expect(await description.inputValue()).toBe("A calendar\nto choose from");
    await name.fill("DatePicker");
    await name.press("Enter");
    await dialog().waitFor({ state: "detached" });
    expect(inbox.events.slice(1)).toMatchObject([
      { kind: "command", name: "skill", args: form.line, thread, filled: { name: "date picker" } },
      { kind: "command", filled: { name: "DatePicker", description: "A calendar\nto choose from" } },
    ]);
    expect(new Set(inbox.events.slice(1).map(({ key }) => key)).size).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("is given up by Escape, and the button that asked for it has the focus again", async () => {
    inbox.answerWith({ type: "reply", message: lacking, form });
    const add = page.getByRole("button", { name: "Add a job" });
    await add.click();
    await dialog().waitFor();
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    expect(await add.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
  });

  test("is given up by Escape, which stops nothing and sends nothing", async () => {
    const thread = await asked();
    await platform.post(thread, liveMessage("**build** · turn 1"), "live");
    await page.getByRole("button", { name: "Stop", includeHidden: true }).waitFor();
    await page.keyboard.type("DatePicker");
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await expect.poll(() => composer().evaluate((box) => box === box.ownerDocument.activeElement)).toBe(true);
    await platform.stop();
    expect(inbox.events).toHaveLength(1);
  });
});

test("on a narrow screen one column shows at a time, and each leads to the others", async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  const thread = await say("go");
  inbox.answerWith({ type: "reply", message: plainMessage("every step") });
  const buttons = [{ id: "details:run_1", label: "Steps", style: "default" as const }];
  await platform.post(thread, foldedMessage("1 turn · 2 s", buttons), "live");
  const columns = [
    page.getByRole("navigation", { name: "Threads and jobs" }),
    page.locator("main.thread"),
    page.getByRole("complementary", { name: "Details" }),
  ];
  const shown = () => Promise.all(columns.map((column) => column.isVisible()));
  await expect.poll(shown).toEqual([false, true, false]);
  await page.getByRole("button", { name: "Steps" }).click();
  await columns[2]?.getByText("every step").waitFor();
  await expect.poll(shown).toEqual([false, false, true]);
  await page.getByRole("button", { name: "Back to the thread" }).click();
  await page.getByRole("button", { name: "Threads and jobs" }).click();
  await expect.poll(shown).toEqual([true, false, false]);
  await page.keyboard.press("/");
  await composer().and(page.locator(":focus")).waitFor();
  await page.getByRole("button", { name: "Threads and jobs" }).click();
  await page.getByRole("link", { name: "go" }).click();
  await expect.poll(shown).toEqual([false, true, false]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
});

describe("for a screen reader", () => {
  test("every control has a name, and landmarks and headings say where one is", async () => {
    await say("go");
    expect(await page.evaluate(NAMELESS_CONTROLS)).toBe(0);
    for (const role of ["main", "navigation", "complementary"] as const)
      expect(await page.getByRole(role).count()).toBe(1);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
  });

  test("progress and answers are announced, the ticking of the clock is not", async () => {
    const thread = await say("go");
    const announced = () => page.locator('[aria-live="polite"]').textContent();
    const live = await platform.post(thread, liveMessage("**build** · turn 1 · 1 s", "⏳ read `a`"), "live");
    await expect.poll(announced).toBe("Deckhand is working: read a");
    await platform.edit(live, liveMessage("**build** · turn 1 · 2 s", "⏳ read `a`"));
    await messages().getByText("2 s").waitFor();
    expect(await announced()).toBe("Deckhand is working: read a");
    await platform.post(thread, plainMessage("The port is **9090**."), "answer");
    await expect.poll(announced).toBe("Deckhand: The port is 9090.");
  });

  test.each(["light", "dark"] as const)(
    "text contrasts with its ground by 4.5 to 1 in the %s scheme",
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const thread = await say("go");
      const text = "✓ read `a`\n\n> quote\n\n```diff\n-a\n+b\n```\n\n[link](https://x.example)";
      const buttons = [...STOP, { id: "a", label: "Allow", style: "primary" as const }];
      await platform.post(thread, plainMessage(text, { footer: "footer", buttons }), "k1");
      await platform.post(thread, plainMessage("✗ failed", { tone: "error" }), "k2");
      await platform.post(thread, plainMessage("task", { tone: "task" }), "k3");
      await messages().getByText("task", { exact: true }).first().waitFor();
      expect(await page.evaluate(WEAK_TEXTS)).toEqual([]);
    },
  );
});
