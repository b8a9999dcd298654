import { afterEach, beforeEach, expect, test } from "vitest";
import type { Message } from "../../../src/core/protocol/messages.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { createProviderRegistry } from "../../../src/core/providers/registry/registry.ts";
import { MemoryJournal } from "../../support/database/memory-journal.ts";
import { type AnthropicServer, startAnthropicServer } from "../../support/model/anthropic-server.ts";
import {
  hold,
  overloadedMidStream,
  rawToolUse,
  stop,
  text,
  thinking,
  tokens,
  toolUse,
  usage,
} from "../../support/model/model-script.ts";
import { silentLog } from "../../support/silent-log.ts";
import { drive, resultTexts, ScriptedModel, scenario, tool, userMessage } from "./query-fixture.ts";

let server: AnthropicServer;

beforeEach(async () => {
  server = await startAnthropicServer({ key: "test-key" });
});

afterEach(async () => {
  await server.close();
});

/** A query that talks to the local server through the provider's real SDK. */
function overTheWire(history: readonly Message[] = [userMessage("change port to 9090 in config.toml")]) {
  const given = scenario({
    model: ScriptedModel.inOrder(),
    tools: [tool("read"), tool("edit", { permission: "write", parallel: false })],
    journal: new MemoryJournal(history),
    config: { model: "anthropic/claude-sonnet-5-5" },
  });
  const registry = createProviderRegistry({
    settings: { anthropic: { apiKey: "test-key", baseUrl: server.url } },
    runtime: given.query.runtime,
    log: silentLog,
  });
  return { ...given, query: { ...given.query, registry } };
}

test("a strict server accepts a conversation of reads, an edit and faulty calls", async () => {
  const { query, journal } = overTheWire();
  server.script((_request, index) => {
    switch (index) {
      case 0:
        return [
          thinking("Look first."),
          text("Looking."),
          toolUse("read", { path: "config.toml" }, "call_0"),
          rawToolUse("read", '{"path": ', "call_1"),
          toolUse("reed", {}, "call_2"),
        ];
      case 1:
        return [toolUse("edit", { path: "config.toml" }, "call_0")];
      default:
        return [text("The port is 9090."), usage({ input: 10, output: 5, cacheRead: 100 })];
    }
  });

  const { outcome } = await drive(query);

  expect(server.violations).toEqual([]);
  expect(outcome).toMatchObject({
    type: "end_turn",
    message: { content: [{ type: "text", text: "The port is 9090." }] },
  });
  expect(server.requests).toHaveLength(3);
  expect(server.requests[0]?.lastUserText).toMatch(
    /^change port to 9090 in config\.toml\n\[Thu 1970-01-01 00:00 UTC\]$/,
  );
  expect(server.requests[1]?.toolResults.map((result) => result.isError)).toEqual([false, true, true]);
  expect(await resultTexts(journal)).toEqual([
    "read config.toml",
    expect.stringMatching(/not valid JSON/),
    expect.stringMatching(/^Unknown tool: reed/),
    "edit config.toml",
  ]);
  expect(journal.responses[2]).toMatchObject({ usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 100 } });
  expect(journal.responses[2]?.costUsd).toBeGreaterThan(0);
});

test("an overload in the middle of the stream discards the shown text and is retried", async () => {
  const { query, clock } = overTheWire();
  server.script((_request, index) => (index === 0 ? [text("Half"), overloadedMidStream()] : text("Whole")));
  const waits: Promise<void>[] = [];

  const { events, outcome } = await drive(query, undefined, (event) => {
    if (event.type === "status") waits.push(clock.advance(5000));
  });
  await Promise.all(waits);

  expect(events.map((event) => (event.type === "token" ? event.text : event.type))).toEqual([
    "turn_start",
    "Half",
    "text_discarded",
    "status",
    "Whole",
    "turn_end",
  ]);
  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "Whole" }] } });
});

test("a cancel in the middle of the stream closes the provider's connection", async () => {
  const { query } = overTheWire();
  const gate = hold();
  server.script(() => [tokens(3), gate.part, text("never")]);
  const cancel = new AbortController();

  const run = drive(query, cancel.signal);
  await gate.reached;
  cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));

  expect((await run).outcome).toEqual({ type: "cancelled", cause: { by: "person", name: "@ana" } });
  expect(await (await server.request(0)).ended).toBe("aborted");
});

test("a thread continues after a tool call that was cut by the token limit", async () => {
  const first = overTheWire();
  server.script(() => [text("Editing."), rawToolUse("edit", '{"pa', "call_0"), stop("max_tokens")]);
  const cut = await drive(first.query);
  expect(cut.outcome.type).toBe("max_tokens");

  const { messages } = await first.journal.load();
  const second = overTheWire([...messages, userMessage("go on", "msg_next")]);
  server.script(() => text("Done."));
  const { outcome } = await drive(second.query);

  expect(outcome.type).toBe("end_turn");
  expect(server.violations).toEqual([]);
  expect(server.requests[1]?.toolResults).toEqual([
    { id: "call_0", text: "Not run: the output token limit cut the response off.", isError: true },
  ]);
});

test.each([
  { model: "claude-haiku-4-5", carried: 0.3, version: "2023-06-01" },
  { model: "claude-sonnet-5-5", carried: undefined, version: "2026-10-21" },
])(
  "$model: a temperature is sent only to models and API versions that accept one",
  async ({ model, carried, version }) => {
    const { query } = overTheWire();
    const config = { ...query.config, model: `anthropic/${model}`, temperature: 0.3 };
    server.script(() => text("Done."));
    const { outcome } = await drive({ ...query, config });
    expect(outcome.type).toBe("end_turn");
    expect(server.requests).toHaveLength(1);
    expect(server.violations).toEqual([]);
    const { body, headers } = await server.request(0);
    expect(body).toMatchObject(carried === undefined ? {} : { temperature: carried });
    expect(JSON.stringify(body).includes('"temperature"')).toBe(carried !== undefined);
    expect(headers["anthropic-version"]).toBe(version);
  },
);
