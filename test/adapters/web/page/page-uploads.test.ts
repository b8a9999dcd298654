import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { PIXEL } from "../../../support/talk/conversation.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";
import { dragFile, PASTE_CELLS } from "./page-probes.ts";
import { usePage } from "./page-under-test.ts";

/** Tests of the files that people attach. */

const at = usePage();
const { composer, messages, say } = at;

/** Drops files and folders of this machine on the page, as from a file manager. */
async function dropFromDisk(files: string[]): Promise<void> {
  const session = await at.page.context().newCDPSession(at.page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await session.send("Input.dispatchDragEvent", { type, x: 600, y: 400, data });
  }
  await session.detach();
}

test("files are attached by choosing or dropping, shown when they are pictures, and offered for download", async () => {
  const files = [
    { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") },
    { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") },
  ];
  const place = () => composer().getAttribute("placeholder");
  await at.page.locator('input[type="file"]').setInputFiles(files);
  await at.page.evaluate(dragFile("dragover"));
  await expect.poll(place).toBe("Drop the files to attach them");
  await at.page.evaluate(dragFile("dragleave"));
  await expect.poll(place).toBe("Ask Deckhand to do something");
  await at.page.evaluate(dragFile("drop"));
  await at.page.evaluate(PASTE_CELLS);
  await at.page.getByRole("button", { name: "Remove dropped.txt" }).waitFor();
  await at.page.getByRole("button", { name: "Remove notes.txt" }).click();
  await at.page.locator(".upload.busy").first().waitFor({ state: "detached" });
  await at.page.getByRole("button", { name: "Send" }).click();
  const event = await at.inbox.nextMessage();
  expect(event.attachments.map(({ name, mediaType }) => [name, mediaType])).toEqual([
    ["dot.png", "image/png"],
    ["dropped.txt", "text/plain"],
  ]);
  await messages().getByRole("img", { name: "dot.png" }).waitFor();
  await expect.poll(() => at.page.evaluate("document.querySelector('.files img').naturalWidth")).toBe(1);
  const { width = 0, height = 0 } = (await messages().getByRole("link", { name: "dropped.txt" }).boundingBox()) ?? {};
  expect(width, "its name is on one line").toBeGreaterThan(2 * height);
  const [download] = await Promise.all([at.page.waitForEvent("download"), messages().getByText("dropped.txt").click()]);
  expect(download.suggestedFilename()).toBe("dropped.txt");
  expect(at.complaints).toEqual([]);
});

test("of what is dropped, folders are not attached, and a line says so; files are", async () => {
  const directory = tempDirectory();
  mkdirSync(path.join(directory, "reports"));
  writeFileSync(path.join(directory, "notes.txt"), "notes");
  await dropFromDisk([path.join(directory, "reports"), path.join(directory, "notes.txt")]);
  await at.page.getByText("Folders cannot be attached, only the files in them: reports.").waitFor();
  await at.page.locator(".upload.busy").waitFor({ state: "detached" });
  await composer().press("Enter");
  expect((await at.inbox.nextMessage()).attachments.map(({ name }) => name)).toEqual(["notes.txt"]);
  expect(at.complaints).toEqual([]);
});

test("what is not attached is told in words: a file that does not arrive, and those beyond a message's number", async () => {
  const picker = at.page.locator('input[type="file"]');
  const file = { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") };
  const refused = [
    { answer: { status: 503, json: { error: "It is away." } }, said: "It is away." },
    { answer: { status: 413, body: "<h1>Too Large</h1>" }, said: "It is larger than a proxy" },
  ];
  for (const { answer, said } of refused) {
    await at.page.route("**/files?*", (route) => route.fulfill(answer), { times: 1 });
    await picker.setInputFiles(file);
    await at.page.getByText(`a.txt was not attached. ${said}`).waitFor();
  }
  const directory = tempDirectory();
  const put = (name: string, bytes: number) => {
    const target = path.join(directory, name);
    writeFileSync(target, "a");
    truncateSync(target, bytes);
    return target;
  };
  const large = ["large.txt", "larger.txt"].map((name) => put(name, 20 * 1024 * 1024 + 1));
  const others = Array.from({ length: 11 }, (_, at) => put(`${at}.txt`, 1));
  await picker.setInputFiles([...large, ...others]);
  const TOLD = "Not attached because they are larger than 20 MB: large.txt, larger.txt. A message can have 10 files.";
  await at.page.getByText(`${TOLD} The rest was not attached.`).waitFor();
  await expect.poll(() => at.page.locator(".upload").count()).toBe(10);
  await picker.setInputFiles(file);
  await at.page.getByText("A message can have 10 files. The rest was not attached.").waitFor();
});

test("of too many files, which the draft of a deleted thread may bring, some are to be removed first", async () => {
  const attach = (count: number) =>
    at.page.locator('input[type="file"]').setInputFiles(
      Array.from({ length: count }, (_, index) => {
        const name = `${count}-${index}.txt`;
        return { name, mimeType: "text/plain", buffer: Buffer.from(name) };
      }),
    );
  const arrived = () => at.page.locator(".upload:not(.busy)").count();
  const thread = await say("go");
  await attach(5);
  await expect.poll(arrived).toBe(5);
  await at.page.getByRole("button", { name: "New thread" }).click();
  await attach(6);
  await expect.poll(arrived).toBe(6);
  await at.page.getByRole("link", { name: "go" }).click();
  await expect.poll(arrived).toBe(5);
  await at.platform.stop();
  at.store.deleteThread(thread.threadId ?? "");
  await at.restart();
  await expect.poll(arrived).toBe(11);
  await composer().press("Enter");
  const notice = at.page.getByText("A message can have 10 files. Remove some.");
  await notice.waitFor();
  await at.page.getByRole("button", { name: "Remove 5-0.txt" }).click();
  await composer().press("Enter");
  expect((await at.inbox.nextMessage()).attachments).toHaveLength(10);
  await notice.waitFor({ state: "detached" });
});

test("what is attached and not sent is there again in its thread, also after a reload, and goes out once", async () => {
  const attached = at.page.getByRole("button", { name: "Remove notes.txt" });
  const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") };
  await at.page.locator('input[type="file"]').setInputFiles([notes]);
  await expect.poll(() => at.page.evaluate("localStorage.length")).toBe(1);
  await at.page.reload();
  await attached.waitFor();
  await composer().fill("with notes");
  await composer().press("Enter");
  expect((await at.inbox.nextMessage()).attachments.map(({ name }) => name)).toEqual(["notes.txt"]);
  await at.page.getByRole("button", { name: "New thread" }).click();
  await at.page.getByRole("heading", { name: "What needs doing?" }).waitFor();
  expect(await attached.count()).toBe(0);
});

describe("a file that is still on its way when its thread is left", () => {
  /** Attaches a file; its upload goes on once the returned function is called. */
  const attach = async (answer: Parameters<Route["fulfill"]>[0] | null = null): Promise<() => void> => {
    const { promise: wait, resolve } = Promise.withResolvers<void>();
    await at.page.route("**/files?*", (route) =>
      wait.then(() => (answer === null ? route.continue() : route.fulfill(answer))),
    );
    const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") };
    await at.page.locator('input[type="file"]').setInputFiles([notes]);
    await at.page.getByText("uploading…").waitFor();
    return resolve;
  };
  const leave = async (): Promise<void> => {
    await at.page.getByRole("link", { name: "Usage" }).click();
    await composer().waitFor({ state: "detached" });
  };
  const comeBack = () => at.page.getByRole("button", { name: "New thread" }).click();
  const isStored = () => expect.poll(() => at.page.evaluate("localStorage.length")).toBe(1);

  test("is attached where it was chosen", async () => {
    const letIn = await attach();
    await leave();
    letIn();
    await isStored();
    await comeBack();
    await at.page.getByRole("button", { name: "Remove notes.txt" }).waitFor();
  });

  test("is attached there also after a return", async () => {
    const letIn = await attach();
    await leave();
    await comeBack();
    await at.page.getByText("uploading…").waitFor();
    letIn();
    await at.page.getByText("uploading…").waitFor({ state: "detached" });
    await composer().press("Enter");
    expect((await at.inbox.nextMessage()).attachments.map(({ name }) => name)).toEqual(["notes.txt"]);
  });

  test("is attached to a new thread if its own is deleted", async () => {
    const thread = await say("go");
    await messages().getByText("Sent", { exact: true }).waitFor();
    const letIn = await attach();
    await at.platform.stop();
    at.store.deleteThread(thread.threadId ?? "");
    await at.restart();
    await at.page.getByText("This thread was deleted. You can start a new one here.").waitFor();
    letIn();
    await at.page.getByText("uploading…").waitFor({ state: "detached" });
    await composer().press("Enter");
    expect((await at.inbox.nextMessage()).attachments.map(({ name }) => name)).toEqual(["notes.txt"]);
  });

  test("is told about after a return if it does not arrive", async () => {
    const letIn = await attach({ status: 503, json: { error: "It is away." } });
    await leave();
    const failed = at.page.waitForResponse("**/files?*");
    letIn();
    await failed;
    await comeBack();
    await at.page.getByText("notes.txt was not attached. It is away.").waitFor();
  });
});
