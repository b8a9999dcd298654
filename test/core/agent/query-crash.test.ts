import { expect, test } from "vitest";
import type { ContentBlock, Message } from "../../../src/core/protocol/messages.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import type { Tool } from "../../../src/core/tool.ts";
import {
  type CrashPoint,
  type JournalWrite,
  MemoryJournal,
  ProcessDied,
} from "../../support/database/memory-journal.ts";
import { drive, ScriptedModel, scenario, tool, userMessage } from "./query-fixture.ts";

const INTERRUPTED =
  "interrupted by a restart; not run again. Anything it had already done remains; check before you repeat it.";

/**
 * A run with every kind of call: parallel reads that may be replayed, a command that must never run twice, and a write
 * that journals its intent; a message arrives in between.
 */
function wholeRun(command: Pick<Tool<{ path: string }>, "describePartialWork"> = {}) {
  const journal = new MemoryJournal([userMessage("go")]);
  const model = ScriptedModel.byTurn(
    {
      text: "Looking.",
      calls: [
        { id: "r1", name: "read", input: { path: "a" } },
        { id: "r2", name: "read", input: { path: "b" } },
        { id: "cmd", name: "bash", input: { path: "make" } },
        { id: "bad", name: "no_such_tool" },
      ],
    },
    { calls: [{ id: "w", name: "write", input: { path: "a" } }] },
    { text: "Done." },
  );
  const world = { file: "old", commands: 0, writes: 0, hasAsked: false };
  const effect = async () => {
    world.file = "new";
    world.writes += 1;
    return textResult("written", { files: [{ path: "a", sha256: "new", action: "wrote" }] });
  };
  const tools: Tool[] = [
    tool("read", {
      execute: async ({ path }) => {
        if (path === "b" && !world.hasAsked) journal.arrives(userMessage("also b", "msg_steering"), "web:2");
        world.hasAsked ||= path === "b";
        return textResult(`content of ${path}`);
      },
    }),
    tool("bash", {
      ...command,
      permission: "execute",
      parallel: false,
      afterCrash: "never",
      execute: async () => {
        world.commands += 1;
        return textResult("made");
      },
    }),
    tool("write", {
      permission: "write",
      parallel: false,
      afterCrash: "reconcile",
      execute: async (_input, ctx) => {
        await ctx.intend({ path: "a", before: "old", after: "new" });
        return effect();
      },
      reconcile: async ({ intent }) => {
        if (world.file !== intent.after) return effect();
        return textResult("written", { files: [{ path: "a", sha256: intent.after, action: "wrote" }] });
      },
    }),
  ];
  return { ...scenario({ model, tools, journal }), model, world };
}

/** A history without the parts that differ between processes. */
function told(messages: readonly Message[]): [string, readonly ContentBlock[]][] {
  return messages.map((message) => [message.role, message.content]);
}

const uncut = wholeRun();
const uncutEnd = await drive(uncut.query);
const uncutState = await uncut.journal.load();

/** Number of the journal write that records the beginning of the command. */
const COMMAND_BEGUN = 7;

const points = uncut.journal.writes.flatMap((name, index) =>
  (["before", "after"] as const).map((when) => ({ write: index + 1, when, name })),
);

test("the run used for crash tests contains every kind of write", () => {
  const expected: JournalWrite[] = [
    "modelResponded",
    "callEnded", // the unknown tool
    "callBegun",
    "callBegun",
    "callEnded",
    "callEnded",
    "callBegun", // bash
    "callEnded",
    "toolResults",
    "takeSteering",
    "modelResponded",
    "callBegun", // write
    "callIntends",
    "callEnded",
    "toolResults",
    "modelResponded",
  ];
  expect(uncut.journal.writes).toEqual(expected);
  expect(uncutEnd.outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "Done." }] } });
  expect(uncut.world).toMatchObject({ file: "new", commands: 1, writes: 1 });
});

test.each(points)("killed $when write $write ($name), the run continues as if uninterrupted", async (point) => {
  const { query, journal, model, world } = wholeRun();
  journal.crashAt(point);
  await expect(drive(query)).rejects.toThrow(ProcessDied);
  const requestsBefore = model.requests.length;
  journal.restart();

  const { events, outcome } = await drive(query);

  const state = await journal.load();
  const commandCut = isCommandCut(point);
  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "Done." }] } });
  expect(told(state.messages)).toEqual(told(commandCut ? withoutCommand(uncutState.messages) : uncutState.messages));
  const { usage, costUsd } = uncutState;
  expect(state).toMatchObject({ turns: 3, toolsRun: 5, usage, costUsd, changedFiles: ["a"] });
  expect(world.writes).toBe(1);
  expect(world.commands).toBe(point.write === COMMAND_BEGUN && point.when === "after" ? 0 : 1);
  // The model is asked again only for a response that was lost with the process.
  const lost = point.name === "modelResponded" && point.when === "before" ? 1 : 0;
  expect(model.requests).toHaveLength(3 + lost);
  expect(requestsBefore).toBeLessThanOrEqual(3);
  const notices = events.flatMap((event) => (event.type === "status" ? [event.text] : []));
  expect(notices).toEqual(
    commandCut ? ["⚠ I was restarted and went on from where I was. `make` had begun; I did not run it again."] : [],
  );
});

/** Whether the crash came between the journal writes that begin and end the command. */
function isCommandCut({ write, when }: CrashPoint): boolean {
  return (write === COMMAND_BEGUN && when === "after") || (write === COMMAND_BEGUN + 1 && when === "before");
}

function withoutCommand(messages: readonly Message[]): Message[] {
  return messages.map((message) => ({
    ...message,
    content: message.content.map((block) =>
      block.type === "tool_result" && block.toolUseId === "cmd"
        ? { ...block, content: [{ type: "text" as const, text: INTERRUPTED }], isError: true }
        : block,
    ),
  }));
}

test("a run that is killed after each of its writes still finishes", async () => {
  const { query, journal, world } = wholeRun();
  let kills = 0;
  for (;;) {
    journal.restart();
    journal.crashAt({ write: journal.writes.length + 1, when: "after" });
    try {
      const { outcome } = await drive(query);
      expect(outcome.type).toBe("end_turn");
      break;
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error;
      kills += 1;
    }
  }
  expect(kills).toBeGreaterThan(10);
  expect(world.commands).toBeLessThanOrEqual(1);
  expect(world.writes).toBe(1);
});

const HAD_BEGUN = "Cancelled by @ana. It had started; anything it had already done remains.";
const accounts: {
  what: string;
  describePartialWork: NonNullable<Tool<{ path: string }>["describePartialWork"]>;
  text: string;
  files: string[];
}[] = [
  {
    what: "tells what it had done",
    describePartialWork: async ({ path }, ctx, signal) =>
      textResult(`${path} of ${ctx.callId}: ${signal.reason.message}`, {
        files: [{ path: "out", sha256: "new", action: "wrote" }],
      }),
    text: "make of cmd: cancelled by @ana",
    files: ["out"],
  },
  { what: "cannot tell", describePartialWork: () => Promise.reject(new Error("gone")), text: HAD_BEGUN, files: [] },
];

test.each(accounts)(
  "a call that was interrupted by a crash and then stopped by a person $what",
  async ({ describePartialWork, text, files }) => {
    const { query, journal, world } = wholeRun({ describePartialWork });
    journal.crashAt({ write: COMMAND_BEGUN, when: "after" });
    await expect(drive(query)).rejects.toThrow(ProcessDied);
    journal.restart();
    const { outcome } = await drive(query, AbortSignal.abort(new CancelSignal({ by: "person", name: "@ana" })));
    expect(outcome).toMatchObject({ type: "cancelled", cause: { by: "person", name: "@ana" } });
    const { messages, changedFiles } = await journal.load();
    const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
    expect(results).toContainEqual(
      expect.objectContaining({ toolUseId: "cmd", content: [expect.objectContaining({ text })] }),
    );
    expect(changedFiles).toEqual(files);
    expect(world.commands).toBe(0);
  },
);

test("a finished run makes no further model call", async () => {
  const before = uncut.model.requests.length;
  const { outcome, events } = await drive(uncut.query);
  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "Done." }] } });
  expect(events).toEqual([]);
  expect(uncut.model.requests).toHaveLength(before);
});
