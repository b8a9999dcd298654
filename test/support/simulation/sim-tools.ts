import { z } from "zod";
import { errorResult, textResult } from "../../../src/core/protocol/tool-result.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { defineTool, type Tool, type ToolContext } from "../../../src/core/tool.ts";
import type { SimProcess, World } from "./world.ts";

const input = z.object({ n: z.number() });
type Input = z.infer<typeof input>;

/** What the tools of all processes have done. */
export class Deeds {
  readonly #store: Store;
  readonly #mode: "write" | "agi";
  readonly #launches = new Map<string, number>();
  readonly #unallowed: string[] = [];

  constructor(store: Store, mode: "write" | "agi") {
    this.#store = store;
    this.#mode = mode;
  }

  /** Calls, by run and id, of the tool that must never run again, that did. */
  repeated(): string[] {
    return [...this.#launches].filter(([, times]) => times > 1).map(([key]) => key);
  }

  /** Calls that ran although nobody had allowed them. */
  unallowed(): readonly string[] {
    return this.#unallowed;
  }

  launched(call: ToolContext): void {
    const key = `${call.runId}:${call.callId}`;
    this.#launches.set(key, (this.#launches.get(key) ?? 0) + 1);
  }

  /** Looks for what allows the call now: the decision on it, or else grants of everyone whose words are in the run. */
  async check(call: ToolContext, key: string): Promise<void> {
    if (this.#mode === "agi") return;
    const approval = await this.#store.approvals.get(`${call.runId}:${call.turn}`);
    const isAsked = approval?.calls.some(({ callId }) => callId === call.callId) ?? false;
    const isAllowed = isAsked ? approval?.status === "allowed" : await this.#isGranted(call, key);
    if (!isAllowed) this.#unallowed.push(`${call.runId}:${call.callId}`);
  }

  async #isGranted({ runId, sessionId, channelKey }: ToolContext, key: string): Promise<boolean> {
    const authors = await this.#store.messages.authorsOfRun(runId);
    const grants = await this.#store.grants.inForce({ sessionId, channelId: channelKey });
    return authors.every(({ id }) => grants.some((grant) => grant.personId === id && grant.key === key));
  }
}

/** One that looks, one that must never run again, and one that may. */
export function simTools(world: World, process: SimProcess, deeds: Deeds): Tool[] {
  const base = { input, title: () => "", grant: ({ n }: Input) => ({ key: String(n % 2), label: "l" }) };
  const clock = world.clockOf(process);
  const look = defineTool({
    ...base,
    name: "look",
    description: "Looks.",
    permission: "read",
    parallel: true,
    afterCrash: "replay",
    execute: async (_input, _ctx, signal) => {
      await clock.sleep(world.random.next() * 900, signal);
      return world.random.next() < 0.1 ? errorResult("nothing there") : textResult("seen");
    },
  });
  const launch = defineTool({
    ...base,
    name: "launch",
    description: "Launches.",
    permission: "execute",
    parallel: false,
    afterCrash: "never",
    execute: async ({ n }, ctx, signal) => {
      deeds.launched(ctx);
      await world.real(process, () => deeds.check(ctx, `launch:${n % 2}`));
      await world.step(process);
      await clock.sleep(world.random.next() * 2_000, signal);
      return textResult("launched");
    },
  });
  const note = defineTool({
    ...base,
    name: "note",
    description: "Notes.",
    permission: "write",
    parallel: true,
    afterCrash: "replay",
    execute: async ({ n }, ctx, signal) => {
      await world.real(process, () => deeds.check(ctx, `note:${n % 2}`));
      await clock.sleep(world.random.next() * 300, signal);
      return textResult("noted");
    },
  });
  return [look, launch, note];
}
