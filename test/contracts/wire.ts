import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ContentBlock, Message } from "../../src/core/protocol/messages.ts";
import type { Clock } from "../../src/core/protocol/runtime.ts";
import type { LlmProvider, ModelRequest, ModelResponse, StreamEvent } from "../../src/core/providers/provider.ts";
import { createProviderRegistry } from "../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { ManualClock } from "../support/manual-clock.ts";
import {
  dribble,
  hold,
  httpError,
  type Part,
  ping,
  type Reply,
  rawToolUse,
  reset,
  silent,
  stall,
  stop,
  text,
  thinking,
  tokens,
  toolUse,
  usage,
} from "../support/model/model-script.ts";
import type { ModelServer } from "../support/model/model-server.ts";
import { passTime } from "../support/pass-time.ts";
import { silentLog } from "../support/silent-log.ts";
import { PIXEL, READ_TOOL, results, said, user } from "../support/talk/conversation.ts";
import { FAILURES } from "./wire-failures.ts";
import { textArrives, type WireHarness } from "./wire-harness.ts";

export function describeWire(harness: WireHarness): void {
  const [providerId = "", ...rest] = harness.ref.split("/");
  const model = rest.join("/");
  const never = new AbortController().signal;
  let server: ModelServer;

  beforeEach(async () => {
    server = await harness.startServer();
  });
  afterEach(async () => {
    await server.close();
  });

  async function provider(clock?: Clock, settings = harness.settings(server.url)): Promise<LlmProvider> {
    const runtime = clock === undefined ? systemRuntime() : { ...systemRuntime(), clock };
    const registry = createProviderRegistry({
      settings: { [providerId]: settings },
      runtime,
      log: silentLog,
      ...(harness.fetch === undefined ? {} : { fetch: harness.fetch }),
    });
    const resolved = (await registry.resolve(harness.ref)).provider;
    if (clock !== undefined) await harness.beforehand?.(resolved);
    return resolved;
  }

  function request(messages: readonly Message[], extra: Partial<ModelRequest> = {}): ModelRequest {
    return { model, system: [], messages, tools: [READ_TOOL], maxTokens: 4_000, ...extra };
  }

  async function ask(messages: readonly Message[], extra: Partial<ModelRequest> = {}): Promise<ModelResponse> {
    return (await provider()).createMessage(request(messages, extra), never);
  }

  async function answersTo(reply: Reply, events: StreamEvent[] = []): Promise<StreamEvent[]> {
    server.script(() => reply);
    for await (const event of (await provider()).createMessageStream(request([user("hi")]), never)) events.push(event);
    return events;
  }

  describe(`${harness.name} keeps the wire contract:`, () => {
    test("a plain answer streams its text and ends once, with one request", async () => {
      const events = await answersTo([text("Hello, world. How are you today?"), usage({ input: 12, output: 7 })]);
      const streamed = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
      expect(streamed).toBe("Hello, world. How are you today?");
      expect(events.filter(({ type }) => type === "end")).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({
        type: "end",
        response: {
          content: [{ type: "text", text: streamed }],
          stopReason: "end_turn",
          usage: { inputTokens: 12, outputTokens: 7 },
        },
      });
      expect(server.requests).toHaveLength(1);
      expect(server.violations).toEqual([]);
    });

    test("text whose characters are split across chunks arrives whole", async () => {
      const words = "naïve 日本語 👩‍👩‍👧‍👦 🏳️‍🌈 ∑ż";
      const events = await answersTo([dribble(1), text(words, { chunkChars: 3 })]);
      expect(events.at(-1)).toMatchObject({ response: { content: [{ type: "text", text: words }] } });
    });

    test("a tool call and its result are passed back to the model", async () => {
      server.script((_, index) =>
        index === 0 ? [text("I'll look."), toolUse("read", { path: "a.txt" })] : text("It says A."),
      );
      const question = user("what is in a.txt?");
      const first = await ask([question]);
      expect(first.stopReason).toBe("tool_use");
      const call = first.content.find((block) => block.type === "tool_use");
      expect(call).toMatchObject({ name: "read", input: { path: "a.txt" } });
      await ask([
        question,
        said("assistant", first.content),
        results({ id: call?.type === "tool_use" ? call.id : "", text: "A" }),
      ]);
      expect(server.violations).toEqual([]);
      expect((await server.request(1)).toolResults).toMatchObject([{ text: "A", isError: false }]);
    });

    test("parallel tool calls keep their order and their results", async () => {
      server.script((_, index) =>
        index === 0
          ? [toolUse("read", { path: "a" }), toolUse("read", { path: "b" }), toolUse("read", { path: "c" })]
          : text("ok"),
      );
      const question = user("read them all");
      const first = await ask([question]);
      const calls = first.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
      expect(calls.map(({ input }) => input)).toEqual([{ path: "a" }, { path: "b" }, { path: "c" }]);
      const answers = calls.map(({ id }, index) => ({ id, text: `result ${index}`, isError: index === 1 }));
      await ask([question, said("assistant", first.content), results(...answers)]);
      expect(server.violations).toEqual([]);
      const told = (await server.request(1)).toolResults;
      expect(told.map(({ isError }) => isError)).toEqual([false, true, false]);
      expect(told.map((result) => result.text.replace("Error: ", ""))).toEqual(["result 0", "result 1", "result 2"]);
    });

    test("a call without arguments has empty input", async () => {
      const events = await answersTo(rawToolUse("read", ""));
      expect(events.at(-1)).toMatchObject({ response: { content: [{ type: "tool_use", input: {} }] } });
      expect(JSON.stringify(events.at(-1))).not.toContain("invalidJson");
    });

    test("a call's arguments are streamed as they arrive", async () => {
      const input = { path: "a".repeat(200) };
      const events = await answersTo([text("Reading."), toolUse("read", input)]);
      const pieces = events.flatMap((event) => (event.type === "tool_input" ? [event.json] : []));
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join("")).toBe(JSON.stringify(input));
    });

    test("sending is reported before any response, and an empty answer keeps its counted usage", async () => {
      const events: StreamEvent[] = [];
      const answer = answersTo([usage({ input: 100, output: 5 })], events);
      await expect(answer).rejects.toMatchObject({ code: "empty_response" });
      expect(events[0]).toEqual({ type: "sent", maxTokens: 4_000 });
      expect(events.at(-1)).toMatchObject({ type: "usage", usage: { inputTokens: 100, outputTokens: 5 } });
    });

    test("invalid JSON of a tool call is data, and is sent back in a form that the provider accepts", async () => {
      server.script((_, index) => (index === 0 ? rawToolUse("read", '{"path": "a') : text("ok")));
      const question = user("go");
      const first = await ask([question]);
      expect(first.content).toMatchObject([{ type: "tool_use", input: {}, invalidJson: '{"path": "a' }]);
      const id = first.content[0]?.type === "tool_use" ? first.content[0].id : "";
      await ask([question, said("assistant", first.content), results({ id, text: "not JSON", isError: true })]);
      expect(server.violations).toEqual([]);
    });

    test("an answer cut at the output limit is kept, with max_tokens", async () => {
      const events = await answersTo([text("This is as far as"), stop("max_tokens")]);
      expect(events.at(-1)).toMatchObject({
        response: { stopReason: "max_tokens", content: [{ text: "This is as far as" }] },
      });
    });

    test("a call cut at the output limit is never run", async () => {
      const events = await answersTo([text("Writing."), rawToolUse("read", ""), stop("max_tokens")]);
      expect(events.at(-1)).toMatchObject({
        response: { stopReason: "max_tokens", content: [{}, { type: "tool_use", input: {}, invalidJson: "" }] },
      });
    });

    test("usage separates cached tokens from the input", async () => {
      const events = await answersTo([text("x"), usage({ input: 100, output: 5, cacheRead: 2_000, cacheWrite: 300 })]);
      expect(events.at(-1)).toMatchObject({
        response: { usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 2_000, cacheWriteTokens: 300 } },
      });
    });

    test("thinking is sent back to its own model and removed for another", async () => {
      server.script((_, index) =>
        index === 0 ? [thinking("pondering", "sealed"), toolUse("read", { path: "a" })] : text("ok"),
      );
      const question = user("think");
      const first = await ask([question]);
      expect(first.content[0]).toMatchObject({
        type: "thinking",
        thinking: "pondering",
        origin: { provider: providerId, model },
      });
      const call = first.content.find((block) => block.type === "tool_use");
      const history = [
        question,
        said("assistant", first.content),
        results({ id: call?.type === "tool_use" ? call.id : "", text: "A" }),
      ];
      await ask(history);
      await ask(history, { model: "another-model" });
      expect(server.violations).toEqual([]);
      expect(JSON.stringify((await server.request(1)).body)).toContain(harness.thoughtMark);
      expect(JSON.stringify((await server.request(2)).body)).not.toContain(harness.thoughtMark);
    });

    test("images are sent, also those in tool results", async () => {
      server.script(() => text("a pixel"));
      const image: ContentBlock = { type: "image", mediaType: "image/png", data: PIXEL };
      await ask([said("user", [{ type: "text", text: "what is it?" }, image])]);
      await ask([
        user("read pixel.png"),
        said("assistant", [{ type: "tool_use", id: "call_1", name: "read", input: { path: "pixel.png" } }]),
        said("user", [{ type: "tool_result", toolUseId: "call_1", content: [image], isError: false }]),
      ]);
      expect(server.violations).toEqual([]);
      for (const { body } of server.requests) expect(JSON.stringify(body)).toContain(PIXEL);
    });

    test("documents are sent as text, as PDF, or by name", async () => {
      server.script(() => text("read"));
      const pdf = Buffer.from("%PDF-1.7").toString("base64");
      await ask([
        said("user", [
          { type: "document", name: "notes.txt", mediaType: "text/plain", text: "the notes" },
          { type: "document", name: "paper.pdf", mediaType: "application/pdf", data: pdf },
          { type: "document", name: "tool.bin", mediaType: "application/octet-stream", data: "AAAA" },
        ]),
      ]);
      expect(server.violations).toEqual([]);
      const sent = JSON.stringify(server.requests[0]?.body);
      for (const mark of ["the notes", "notes.txt", "paper.pdf", "tool.bin"]) expect(sent).toContain(mark);
    });

    test("the system prompt's parts are sent in order", async () => {
      server.script(() => text("ok"));
      const system = [
        { text: "Role.", cacheBreakpoint: true },
        { text: "Rules.", cacheBreakpoint: true },
        { text: " ", cacheBreakpoint: true },
        { text: "Channel.", cacheBreakpoint: false },
      ];
      await ask([user("hi")], { system, cacheKey: "slack:C1" });
      expect(server.violations).toEqual([]);
      const sent = JSON.stringify(server.requests[0]?.body);
      expect(sent.indexOf("Role.")).toBeLessThan(sent.indexOf("Rules."));
      expect(sent.indexOf("Rules.")).toBeLessThan(sent.indexOf("Channel."));
    });

    test("a history that providers would refuse is repaired before sending", async () => {
      server.script(() => text("ok"));
      await ask([
        said("assistant", [{ type: "text", text: "Good morning." }]),
        user("one", { author: { id: "slack:U1", name: "Ana" } }),
        user("two", { author: { id: "slack:U2", name: "Ben" } }),
        said("assistant", [
          { type: "text", text: " " },
          { type: "tool_use", id: "lost", name: "read", input: null },
        ]),
        user("three"),
        said("user", [
          { type: "tool_result", toolUseId: "stray", content: [{ type: "text", text: "left over" }], isError: false },
        ]),
        said("assistant", [{ type: "text", text: "" }]),
        said("assistant", [{ type: "text", text: "done" }]),
      ]);
      expect(server.violations).toEqual([]);
      const sent = JSON.stringify(server.requests[0]?.body);
      expect(sent).toContain("No result was recorded");
      expect(sent).toContain("left over");
      expect(sent).toContain("Ben: two");
      expect(sent).not.toContain("Ana: one");
    });

    test("an abort during the stream ends the call and its connection within milliseconds", async () => {
      server.script(() => [text("first"), stall()]);
      const stopping = new AbortController();
      const stream = (await provider()).createMessageStream(request([user("hi")]), stopping.signal);
      const events = stream[Symbol.asyncIterator]();
      await textArrives(events);
      const waiting = events.next();
      const before = performance.now();
      stopping.abort(new Error("stopped by a person"));
      await expect(waiting).rejects.toThrow("stopped by a person");
      expect(performance.now() - before).toBeLessThan(100);
      expect(await server.requests[0]?.ended).toBe("aborted");
    });

    test("an abort before the response ends the call, too", async () => {
      server.script(() => silent());
      const stopping = new AbortController();
      const waiting = (await provider()).createMessage(request([user("hi")]), stopping.signal);
      await server.request(0);
      stopping.abort(new Error("stopped by a person"));
      await expect(waiting).rejects.toThrow("stopped by a person");
      expect(await server.requests[0]?.ended).toBe("aborted");
    });

    test("leaving the stream early closes the connection", async () => {
      server.script(() => [text("first"), stall()]);
      for await (const event of (await provider()).createMessageStream(request([user("hi")]), never)) {
        if (event.type === "text") break;
      }
      expect(await server.requests[0]?.ended).toBe("aborted");
    });

    const silences: readonly { what: string; reply: Reply; leastMs: number; mostMs: number }[] = [
      { what: "a connection that never answers", reply: silent(), leastMs: 45_000, mostMs: 60_000 },
      { what: "a stream that falls silent", reply: [text("a"), stall()], leastMs: 45_000, mostMs: 60_000 },
    ];
    test.each(silences)("$what is reported as a stall", async ({ reply, leastMs, mostMs }) => {
      server.script(() => reply);
      const clock = new ManualClock();
      const begun = clock.now();
      const call = (await provider(clock)).createMessage(request([user("hi")]), never);
      await passTime(clock, call);
      await expect(call).rejects.toMatchObject({ code: "stalled", detail: { provider: providerId, model } });
      expect(clock.now() - begun).toBeGreaterThanOrEqual(leastMs);
      expect(clock.now() - begun).toBeLessThanOrEqual(mostMs);
      expect(await server.requests[0]?.ended).toBe("aborted");
    });

    test("keep-alives without content become a stall in the end", async () => {
      const gates = Array.from({ length: 40 }, () => hold());
      const parts = gates.flatMap((gate): Part[] => [ping(), gate.part]);
      server.script(() => [text("a"), ...parts, stall()]);
      const clock = new ManualClock();
      const begun = clock.now();
      const call = (await provider(clock)).createMessage(request([user("hi")]), never);
      const ended = call.then(
        () => true,
        () => true,
      );
      for (const gate of gates) {
        if (await Promise.race([gate.reached.then(() => false), ended])) break;
        await clock.advance(20_000);
        gate.release();
      }
      await expect(call).rejects.toMatchObject({ code: "stalled" });
      expect(clock.now() - begun).toBeGreaterThanOrEqual(300_000);
      expect(await server.requests[0]?.ended).toBe("aborted");
    });

    test.each(FAILURES)("$what is reported as $code", async ({ reply, code, retryAfterMs }) => {
      server.script(() => reply);
      const call = ask([user("hi")]);
      await expect(call).rejects.toMatchObject({ code, retryAfterMs, detail: { provider: providerId, model } });
      const refusedKey = typeof reply === "object" && "status" in reply && reply.status === 401;
      expect(server.requests).toHaveLength(refusedKey ? (harness.requestsOfRefusedKey ?? 1) : 1);
    });

    test("a connection cut in mid-stream is an incomplete stream", async () => {
      const gate = hold();
      server.script(() => [text("first"), gate.part, reset()]);
      const events = (await provider()).createMessageStream(request([user("hi")]), never);
      const iterator = events[Symbol.asyncIterator]();
      await textArrives(iterator);
      gate.release();
      await expect(iterator.next()).rejects.toMatchObject({ code: "incomplete_stream" });
    });

    test("a refused connection is a network error", async () => {
      const gone = await harness.startServer();
      await gone.close();
      const call = (await provider(undefined, harness.settings(gone.url))).createMessage(request([user("hi")]), never);
      await expect(call).rejects.toMatchObject({ code: "network" });
    });

    test("an optional field that the provider refuses is omitted from then on", async () => {
      const { field } = harness.optional;
      server.script(({ body }) =>
        typeof body === "object" && body !== null && field in body
          ? httpError(400, "invalid_request_error", `Unsupported parameter: '${field}'`)
          : text("ok"),
      );
      const asking = await provider();
      const wanted = request([user("hi")], harness.optional.request);
      await asking.createMessage(wanted, never);
      await asking.createMessage(wanted, never);
      const carried = server.requests.map(({ body }) => typeof body === "object" && body !== null && field in body);
      expect(carried).toEqual([true, false, false]);
    });

    test("the provider's models can be listed", async () => {
      const models = await (await provider()).listModels(never);
      expect(models.length).toBeGreaterThan(0);
    });

    test("a long answer is streamed in pieces as it arrives", async () => {
      const events = await answersTo(tokens(2_000));
      expect(events.length).toBeGreaterThan(1_500);
      const end = events.at(-1);
      const whole = end?.type === "end" && end.response.content[0]?.type === "text" ? end.response.content[0].text : "";
      expect(whole.trimEnd().endsWith("word2000")).toBe(true);
    });
  });
}
