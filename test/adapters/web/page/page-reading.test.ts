import { expect, test } from "vitest";
import { plainMessage } from "../../../contracts/platform-steps.ts";
import { visitIn } from "../../../support/program/page-visit.ts";
import { entryUrl } from "../web-setup.ts";
import { LINES_OF_FIRST_CELL } from "./page-probes.ts";
import { usePage } from "./page-under-test.ts";

/** Tests that nothing is lost of what is read or written, on any screen or on paper. */

const plainBody = { by: "deckhand", markdown: "a line", tone: "plain", buttons: [], files: [], signs: [] };

const at = usePage();
const { composer, messages, say } = at;

test("threads stay in sight on a low screen, and what cannot stand beside them is scrolled to", async () => {
  await say("first");
  await at.page.setViewportSize({ width: 1280, height: 420 });
  const sidebar = at.page.getByRole("navigation", { name: "Threads and jobs" });
  const box = await sidebar.getByRole("list", { name: "Threads" }).boundingBox();
  expect(box?.height).toBeGreaterThan(100);
  await sidebar.hover();
  await at.page.mouse.wheel(0, 2_000);
  const shortcuts = at.page.getByRole("button", { name: "Keyboard shortcuts" });
  await expect.poll(async () => (await shortcuts.boundingBox())?.y).toBeLessThan(420);
  // The hints on an empty page are shown from their beginning.
  await at.page.getByRole("button", { name: "New thread" }).click();
  await at.page.getByRole("heading", { name: "What needs doing?" }).waitFor();
  expect(await at.page.locator(".scroller").evaluate((element) => element.scrollTop)).toBe(0);
  // What can be read takes most of the screen also at 400 %.
  await at.page.setViewportSize({ width: 320, height: 256 });
  await expect.poll(async () => (await at.page.locator(".scroller").boundingBox())?.height).toBeGreaterThan(100);
});

test("on a narrow screen the focus follows to the column that is shown", async () => {
  await say("go");
  await at.page.setViewportSize({ width: 390, height: 800 });
  const focused = () => at.page.evaluate("document.activeElement.textContent || document.activeElement.id");
  await at.page.getByRole("button", { name: "Details" }).press("Enter");
  await expect.poll(focused).toBe("Details");
  await at.page.getByRole("button", { name: "Back to the thread" }).press("Enter");
  await expect.poll(focused).toBe("composer");
  await at.page.getByRole("button", { name: "Threads and jobs" }).press("Enter");
  await expect.poll(focused).toBe("Deckhand");
  await at.page.getByRole("link", { name: "go" }).press("Enter");
  await expect.poll(focused).toBe("composer");
});

test("on a wide screen, an answer beside the thread moves no focus", async () => {
  const thread = await say("go");
  at.inbox.answerWith({ type: "reply", message: plainMessage("every step") });
  const buttons = [{ id: "details:run_1", label: "Steps", style: "default" as const }];
  await at.platform.post(thread, plainMessage("done", { buttons }), "answer");
  await at.page.getByRole("button", { name: "Steps" }).waitFor();
  // Some browsers do not focus a button that is clicked.
  await at.page.evaluate("document.activeElement.blur(); document.querySelector('.message button').click()");
  await at.page.getByText("every step").waitFor();
  expect(await at.page.evaluate("document.activeElement === document.body")).toBe(true);
});

test("in forced colours, without backgrounds, what is open and chosen has an outline", async () => {
  await say("go");
  await at.page.emulateMedia({ forcedColors: "active" });
  await composer().fill("/s");
  const outlineOf = (selector: string) =>
    at.page.evaluate(`getComputedStyle(document.querySelector('${selector}')).outlineStyle`);
  await at.page.getByRole("option", { selected: true }).waitFor();
  for (const selector of ["[role=option][aria-selected=true]", ".threads [aria-current]", ".composer-box"]) {
    expect(await outlineOf(selector)).toBe("double");
  }
  expect(await outlineOf("[role=option][aria-selected=false]")).toBe("none");
});

test("an answer reads in the direction of its words, its code from the left, and its tables break no words", async () => {
  await at.page.setViewportSize({ width: 390, height: 800 });
  const thread = await say("go");
  const table = `| Service | Note |\n|---|---|\n| billing | ${"a long note ".repeat(20)} |`;
  await at.platform.post(thread, plainMessage(`مرحبا: جواب\n\n\`\`\`sh\nls\n\`\`\`\n\n${table}`), "answer");
  await messages().getByRole("cell", { name: "billing" }).waitFor();
  const direction = (selector: string) =>
    at.page.evaluate(`getComputedStyle(document.querySelector("${selector}")).direction`);
  expect(await direction(".markdown:has(table)")).toBe("rtl");
  expect(await direction(".markdown:has(table) pre")).toBe("ltr");
  expect(await at.page.evaluate(LINES_OF_FIRST_CELL)).toBe(1);
});

test("the end of a thread stays in sight while what is below it grows", async () => {
  const thread = await say("go");
  await at.platform.post(thread, plainMessage("a line\n\n".repeat(80)), "answer");
  await messages().getByText("a line").last().waitFor();
  const hidden = () =>
    at.page.locator(".scroller").evaluate((one) => Math.round(one.scrollHeight - one.scrollTop - one.clientHeight));
  await expect.poll(hidden).toBe(0);
  // As if command suggestions opened below and the browser reported that it kept the scroll position.
  await at.page.locator(".scroller").evaluate((one) => {
    one.style.marginBottom = "100px";
    one.dispatchEvent(new Event("scroll"));
  });
  await expect.poll(hidden).toBe(0);
  // A reader who has scrolled up keeps the place.
  await at.page.locator(".scroller").hover();
  await at.page.mouse.wheel(0, -400);
  await expect.poll(hidden).toBeGreaterThan(200);
  await at.platform.post(thread, plainMessage("more\n\n".repeat(9)), "more");
  await messages().getByText("more").last().waitFor({ state: "attached" });
  expect(await hidden()).toBeGreaterThan(200);
  // What the reader sends is brought into view.
  await say("mine");
  await expect.poll(hidden).toBe(0);
});

test("what is sent late does not move a reader who has scrolled up, though an older message was refused", async () => {
  const thread = await say("go");
  await at.platform.post(thread, plainMessage("a line\n\n".repeat(80)), "answer");
  await messages().getByText("a line").last().waitFor();
  // A file that the server no longer has.
  const json = { id: "0".repeat(40), name: "notes.txt", mediaType: "text/plain", size: 5 };
  await at.page.route("**/files?*", (route) => route.fulfill({ json }));
  const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") };
  await at.page.locator('input[type="file"]').setInputFiles([notes]);
  await at.page.locator(".upload:not(.busy)").waitFor();
  await composer().press("Enter");
  await at.page.getByText("Not sent. An attachment didn't arrive.").waitFor();
  await at.platform.stop();
  await at.page.getByText(/Connection lost/u).waitFor();
  await composer().fill("late");
  await composer().press("Enter");
  const hidden = () =>
    at.page.locator(".scroller").evaluate((one) => Math.round(one.scrollHeight - one.scrollTop - one.clientHeight));
  await expect.poll(hidden).toBe(0);
  await at.page.locator(".scroller").hover();
  await at.page.mouse.wheel(0, -600);
  await expect.poll(hidden).toBeGreaterThan(400);
  await at.restart();
  await messages().getByText("Sending…").waitFor({ state: "detached" });
  expect(await hidden()).toBeGreaterThan(400);
});

test("earlier messages come above what is read, and of many threads the list says where the older ones are", async () => {
  const { threadId } = await say("go");
  await at.platform.stop();
  const said = { fromPerson: false, at: Date.now(), body: JSON.stringify(plainBody) };
  const later = { ...said, at: said.at + 60_000 };
  for (let index = 0; index < 210; index += 1) {
    await at.store.insert({ ...said, id: `m${index}`, threadId: threadId ?? "", key: `m${index}` }, null);
    await at.store.insert(
      { ...later, id: `t${index}`, threadId: `t${index}`, key: `t${index}` },
      { title: `t${index}` },
    );
  }
  const notes = { id: "0".repeat(40), name: "notes.txt", mediaType: "text/plain", size: 5 };
  const file = { ...said, body: JSON.stringify({ ...plainBody, markdown: "", files: [notes] }) };
  await at.store.insert({ ...file, id: "f", threadId: "f", key: "f" }, { title: "notes.txt" });
  await at.restart();
  await at.page.reload();
  await at.page.getByText("Older ones are under Sessions.").waitFor({ state: "attached" });
  // The thread is not in the list; its title is its first words.
  await at.page.getByRole("heading", { name: "a line", level: 1 }).waitFor();
  const earlier = at.page.getByRole("button", { name: "Show earlier messages" });
  await earlier.waitFor({ state: "attached" });
  const first = messages().locator(".message-body").first();
  const id = await first.getAttribute("id");
  await at.page.locator(".scroller").evaluate((one) => one.scrollTo(0, 0));
  const top = () => at.page.locator(`#${id}`).evaluate((one) => Math.round(one.getBoundingClientRect().top));
  const before = await top();
  await earlier.press("Enter");
  await expect.poll(() => messages().locator(".message").count()).toBe(211);
  // The first message now follows another one, with a slightly smaller gap.
  expect(Math.abs((await top()) - before)).toBeLessThan(20);
  // The focus moves to the message because the button is gone.
  expect(await at.page.evaluate("document.activeElement.id")).toBe(id);
  await at.page.evaluate("location.hash = 'f'");
  await at.page.getByRole("heading", { name: "notes.txt", level: 1 }).waitFor();
});

test("what one window could not send is not forgotten with what another one has sent", async () => {
  const other = await visitIn(await at.page.context().newPage(), new URL("/", entryUrl(at.platform)).href);
  const mend = at.inbox.refuse();
  await composer().fill("from the first window");
  await composer().press("Enter");
  const failure = at.page.getByRole("alert").filter({ hasText: "Not sent." });
  await failure.waitFor();
  mend();
  await other.say("from the second window");
  await other.messages.getByText("Sent", { exact: true }).waitFor();
  await other.page.close();
  await at.page.reload();
  await failure.waitFor();
});

test("a part of the page that cannot come without a connection comes with the next one", async () => {
  await composer().waitFor();
  await at.page.route("**/usage-*.js", (route) => route.abort());
  await at.platform.stop();
  await at.page.getByText(/Connection lost/u).waitFor();
  await at.page.getByRole("link", { name: "Usage" }).click();
  await at.page.getByText("This loads once the connection is back.").waitFor();
  await at.page.unrouteAll();
  await at.restart();
  await at.page.getByRole("combobox", { name: "Group by" }).waitFor();
});

test("what is too long for a message stays where it is written, and the connection with it", async () => {
  // The text is longer than a frame may be as well.
  await composer().fill("a pasted log ".repeat(50_000));
  await at.page.getByRole("button", { name: "Send" }).click();
  const notice = at.page.getByRole("alert").filter({ hasText: "longer than 40,000 characters. Attach it as a file." });
  await notice.waitFor();
  expect((await composer().inputValue()).length).toBeGreaterThan(600_000);
  await say("shorter");
  await notice.waitFor({ state: "detached" });
  await messages().getByText("Sent", { exact: true }).waitFor();
});

test("on paper stands the thread, all of it, and nothing else", async () => {
  const thread = await say("go");
  await at.platform.post(thread, plainMessage("a line\n\n".repeat(80)), "answer");
  await messages().getByText("a line").last().waitFor();
  await at.page.emulateMedia({ media: "print" });
  expect(await at.page.getByRole("navigation").isVisible()).toBe(false);
  expect(await composer().isVisible()).toBe(false);
  expect(await at.page.evaluate("document.documentElement.scrollHeight")).toBeGreaterThan(2_000);
});

test("a card shows all of what it asks, without a scroller of its own, below a tag that is an outline", async () => {
  const thread = await say("write it");
  const lines = Array.from({ length: 40 }, (_, index) => `+key_${index} = ${index}`);
  const buttons = [{ id: "approve:y:run_1:1", label: "Allow once", style: "primary" as const }];
  const card = plainMessage(`⏸ **Create it?**\n\`\`\`diff\n${lines.join("\n")}\n\`\`\``, { buttons });
  await at.platform.post(thread, { ...card, lane: "approval" }, "card");
  const changes = at.page.getByRole("region", { name: "Changes: 40 added, 0 removed" });
  await changes.waitFor();
  expect(await changes.evaluate((pre) => pre.scrollHeight - pre.clientHeight)).toBe(0);
  const ground = `getComputedStyle(document.querySelector(".tag.approval")).backgroundColor`;
  expect(await at.page.evaluate(ground)).toBe("rgba(0, 0, 0, 0)");
});

test("a page that was away while its thread was deleted says so, and loses nothing that was begun", async () => {
  const thread = await say("go");
  await messages().getByText("Sent", { exact: true }).waitFor();
  await at.page.getByRole("button", { name: "New thread" }).click();
  await at.page.getByRole("heading", { name: "What needs doing?" }).waitFor();
  await composer().fill("begun first");
  await at.page.getByRole("list", { name: "Threads" }).getByRole("link").click();
  await messages().getByText("go", { exact: true }).waitFor();
  await at.platform.stop();
  await at.page.getByText(/Connection lost/u).waitFor();
  await composer().fill("sent too late");
  await composer().press("Enter");
  await messages().getByText("Sending…").waitFor();
  await composer().fill("begun here");
  at.store.deleteThread(thread.threadId ?? "");
  await at.restart();
  await at.page.getByText("This thread was deleted. You can start a new one here.").waitFor();
  expect(await at.page.getByRole("list", { name: "Threads" }).count()).toBe(0);
  expect(await composer().inputValue()).toBe("begun first\n\nsent too late\n\nbegun here");
});

test("the address of a thread that is gone leads to a new one, and the page says so", async () => {
  await at.page.goto(new URL("/#gone", entryUrl(at.platform)).href);
  await at.page.getByText("Your thread no longer exists").waitFor();
  expect((await say("hello")).threadId).not.toBe("gone");
  await messages().getByText("Sent", { exact: true }).waitFor();
});
