import { z } from "zod";
import type { SessionEventBody } from "../../../src/core/events/session-event.ts";
import { authorOf } from "../../../src/core/people/run-people.ts";
import { errorResult, textResult } from "../../../src/core/protocol/tool-result.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { defineTool, type Tool, type ToolContext } from "../../../src/core/tool.ts";
import { createAgent } from "../../../src/tools/native/agent.ts";
import { createAgentOutput } from "../../../src/tools/native/agent-output.ts";
import { createAskUserQuestion } from "../../../src/tools/native/ask-user-question.ts";
import type { NativeToolDeps } from "../../../src/tools/native/native-tool-deps.ts";
import { NO_OWN_FILES } from "../../../src/tools/own-files.ts";
import type { SimProcess, World } from "./world.ts";

const input = z.object({ n: z.number() });
type Input = z.infer<typeof input>;

/** One use of a tool. */
export interface Use {
  readonly runId: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** Records what the tools of all processes have done. */
export class Deeds {
  readonly #store: Store;
  readonly #mode: "write" | "agi";
  readonly #launches = new Map<string, number>();
  readonly #unallowed: string[] = [];
  readonly #uses: Use[] = [];

  constructor(store: Store, mode: "write" | "agi") {
    this.#store = store;
    this.#mode = mode;
  }

  uses(): readonly Use[] {
    return this.#uses;
  }

  used(use: Use): void {
    this.#uses.push(use);
  }

  /** Calls, by run and id, that repeated the tool that must never run again. */
  repeated(): string[] {
    return [...this.#launches].filter(([, times]) => times > 1).map(([key]) => key);
  }

  /** Calls that ran without permission. */
  unallowed(): readonly string[] {
    return this.#unallowed;
  }

  launched(call: ToolContext): void {
    const key = `${call.runId}:${call.callId}`;
    this.#launches.set(key, (this.#launches.get(key) ?? 0) + 1);
  }

  /**
   * Checks that the call is allowed now: by a decision on it, or else by grants of everyone whose words are in the run.
   */
  async check(call: ToolContext, key: string): Promise<void> {
    if (this.#mode === "agi") return;
    const approvals = await this.#store.approvals.ofRun(call.runId);
    const approval = approvals.find(({ calls }) => calls.some(({ callId }) => callId === call.callId));
    const isAllowed = approval === undefined ? await this.#isGranted(call, key) : approval.status === "allowed";
    if (!isAllowed) this.#unallowed.push(`${call.runId}:${call.callId}`);
  }

  /** A sub-agent has the grants of the session that it descends from. */
  async #isGranted({ runId, sessionId, channelKey }: ToolContext, key: string): Promise<boolean> {
    const { task } = await this.#store.sessions.get(sessionId);
    const root = task?.root.sessionId ?? sessionId;
    const grants = await this.#store.grants.inForce({ sessionId: root, channelId: channelKey });
    const run = await this.#store.runs.get(runId);
    const began = run === null ? null : await this.#store.inbox.get(run.eventSeq);
    const requester = authorOf(began?.body ?? { kind: "resume", of: "nothing" });
    const has = (id: string) => grants.filter((grant) => grant.personId === id && grant.key === key);
    const given = has(requester.id).filter(({ givenIn }) => givenIn === root);
    const people = await this.#peopleOf({ runId, sessionId }, began?.body ?? null);
    return [requester, ...people].every(
      ({ id }) => has(id).length > 0 || (id !== requester.id && given.some(({ words = [] }) => words.includes(id))),
    );
  }

  /** People whose words are in the session, or were in its parent's when it began. */
  async #peopleOf({ runId, sessionId }: Pick<ToolContext, "runId" | "sessionId">, body: SessionEventBody | null) {
    const brought = body?.kind === "child" ? [body.author, ...body.people] : [];
    const history = await this.#store.messages.list(sessionId);
    const said = history.flatMap(({ author = [] }) => author);
    return [...said, ...brought, ...(await this.#store.questions.answerersOf(runId))];
  }
}

/** A tool that only reads, one that must never run again, and one that may. */
export function simTools(world: World, process: SimProcess, deeds: Deeds): Tool[] {
  const base = { input, title: () => "", grant: ({ n }: Input) => ({ key: String(n % 2), label: "l" }) };
  const clock = world.clockOf(process);
  const use = ({ runId }: ToolContext) => deeds.used({ runId, at: world.now() });
  const look = defineTool({
    ...base,
    name: "look",
    description: "Looks.",
    permission: "read",
    parallel: true,
    afterCrash: "replay",
    execute: async (_input, ctx, signal) => {
      use(ctx);
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
      use(ctx);
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
      use(ctx);
      await world.real(process, () => deeds.check(ctx, `note:${n % 2}`));
      await clock.sleep(world.random.next() * 300, signal);
      return textResult("noted");
    },
  });
  return [look, launch, note];
}

/** Plain workers only, with any model, and without files of their own. */
const PLAIN = { agents: new Map(), models: { problemWith: () => Promise.resolve(null) }, ownFiles: () => NO_OWN_FILES };

/** Adds the program's own tools for sub-agents and people. */
export function withAgents(
  own: readonly Tool[],
  deps: Pick<NativeToolDeps, "store" | "engine" | "clock" | "log" | "approvals">,
): readonly Tool[] {
  const agent = createAgent({ ...deps, ...PLAIN, catalogue: () => all });
  const all = [
    ...own,
    createAskUserQuestion(deps),
    agent,
    createAgentOutput({ ...deps, ownFiles: () => NO_OWN_FILES }),
  ];
  return all;
}
