import { duplexPair, PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ChatIo } from "../../../../src/adapters/terminal/client/chat.ts";
import { converse } from "../../../../src/adapters/terminal/client/interactive.ts";
import { askOnce } from "../../../../src/adapters/terminal/client/one-shot.ts";

type Signal = Parameters<Parameters<ChatIo["onSignal"]>[0]>[0];

test.each<{ as: string; prompt: string | null; signals: readonly Signal[]; code: number }>([
  { as: "a conversation, Ctrl-C twice", prompt: null, signals: ["SIGINT", "SIGINT"], code: 130 },
  { as: "a conversation, SIGTERM", prompt: null, signals: ["SIGTERM"], code: 143 },
  { as: "a conversation, a terminal that closes", prompt: null, signals: ["SIGHUP"], code: 129 },
  { as: "one message, Ctrl-C", prompt: "hello", signals: ["SIGINT"], code: 130 },
  { as: "one message, SIGTERM", prompt: "hello", signals: ["SIGTERM"], code: 143 },
])("waiting for an unresponsive program can be aborted: $as", async ({ prompt, signals, code }) => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const takes: ((signal: Signal) => void)[] = [];
  const io: ChatIo = { stdin, stdout, stderr, hasColour: false, onSignal: (take) => takes.push(take) };
  const request = { prompt, agent: null, continues: false, files: [], saveTo: null };
  const begun = prompt === null ? converse : askOnce;
  const ended = begun({ request, io, reach: () => Promise.withResolvers<null>().promise });
  for (const signal of signals) for (const take of takes) take(signal);
  expect(await ended).toBe(code);
});

test.each([{ prompt: "hello" }, { prompt: null }])(
  "waiting for the greeting times out: $prompt",
  async ({ prompt }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const io: ChatIo = { stdin, stdout, stderr, hasColour: false, onSignal: () => undefined };
    const [here, there] = duplexPair();
    there.write('{"type":"welcome","threads":"of another version"}\n');
    const request = { prompt, agent: null, continues: false, files: [], saveTo: null };
    const ended = (prompt === null ? converse : askOnce)({ request, io, reach: () => Promise.resolve(here) });
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0));
    vi.advanceTimersByTime(15_000);
    expect(await ended).toBe(1);
    const said = [stdout, stderr].map((stream) => String(stream.read() ?? "")).join("");
    expect(said).toContain("The bot is not responding");
  },
);
