import { PassThrough, Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ChatCommandRequest } from "../../src/cli/chat.ts";
import { runCli } from "../support/program/cli.ts";

async function asked(args: readonly string[], piped?: Uint8Array | string) {
  const requests: ChatCommandRequest[] = [];
  const stdin = piped === undefined ? undefined : Readable.from([Buffer.from(piped)]);
  const result = await runCli(["chat", ...args], {
    ...(stdin === undefined ? {} : { stdin }),
    chat: (_config, request) => requests.push(request),
  });
  return { ...result, request: requests[0] };
}

const USUAL = { agent: null, continues: false, files: [], attached: [], saveTo: null };

test.each([
  { name: "nothing", args: [], request: { ...USUAL, prompt: null } },
  { name: "words", args: ["which", "port?"], request: { ...USUAL, prompt: "which port?" } },
  { name: "an agent", args: ["--agent", "plan", "hi"], request: { ...USUAL, prompt: "hi", agent: "plan" } },
  { name: "--continue", args: ["--continue"], request: { ...USUAL, prompt: null, continues: true } },
  { name: "--save", args: ["--save", "out", "hi"], request: { ...USUAL, prompt: "hi", saveTo: "out" } },
  {
    name: "--attach",
    args: ["--attach", "a.md", "--attach", "b.md", "hi"],
    request: { ...USUAL, prompt: "hi", attached: ["a.md", "b.md"] },
  },
  { name: "--new", args: ["--new", "hi"], request: { ...USUAL, prompt: "hi" } },
])("$name on the command line", async ({ args, request }) => {
  expect(await asked(args)).toMatchObject({ failed: false, request });
});

test.each([
  { name: "text beside a message", args: ["review"], piped: "a\nb", prompt: "review", files: ["stdin.txt"] },
  {
    name: "bytes beside a message",
    args: ["what is it?"],
    piped: Uint8Array.of(1, 0, 255),
    prompt: "what is it?",
    files: ["stdin.bin"],
  },
  { name: "text alone", args: [], piped: " hello \n", prompt: "hello", files: [] },
  { name: "nothing beside a message", args: ["hi"], piped: "", prompt: "hi", files: [] },
])("$name is piped in", async ({ args, piped, prompt, files }) => {
  const { request } = await asked(args, piped);
  expect(request?.prompt).toBe(prompt);
  expect(request?.files.map(({ name }) => name)).toEqual(files);
});

test.each([
  { name: "nothing at all", args: [], piped: "", says: "There is no message" },
  { name: "more than an attachment may have", args: ["hi"], piped: "x".repeat(11_000_000), says: "larger than 10 MB" },
  { name: "what excludes each other", args: ["--new", "--continue"], piped: "", says: "cannot be used with" },
])("$name is refused", async ({ args, piped, says }) => {
  const { request, error, failed } = await asked(args, piped);
  expect({ request, failed }).toEqual({ request: undefined, failed: true });
  expect(error).toContain(says);
});

test("waiting for piped input that does not arrive is announced", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stdin = new PassThrough();
  const asking = runCli(["chat", "hi"], { stdin, chat: () => undefined });
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
  vi.advanceTimersByTime(3_000);
  stdin.end();
  expect((await asking).error).toContain("add </dev/null to the command");
});

test("--help describes the exit codes", async () => {
  expect((await asked(["--help"])).out).toContain("Exit codes: 0 answered");
});
