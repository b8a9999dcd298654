import { type Message, type ToolUseBlock, textOf, toolUsesOf } from "../../../src/core/protocol/messages.ts";
import type { Random } from "../../../src/core/protocol/runtime.ts";

const KINDS = ["works", "asks", "fails", "delegates"] as const;

/** A sub-agent's assignment: a number of turns with tools, then a report that contains the mark. */
export interface Errand {
  readonly mark: string;
  readonly turns: number;
  readonly kind: (typeof KINDS)[number];
}

/** The errand of a sub-agent's conversation; null for a person's. */
export function errandOf(messages: readonly Message[]): Errand | null {
  const [, mark, turns, name] = /errand (\S+) (\d+) (\w+)/.exec(textOf(messages[0]?.content ?? [])) ?? [];
  const kind = KINDS.find((each) => each === name);
  return mark === undefined || kind === undefined ? null : { mark, turns: Number(turns), kind };
}

/** Text that the report of an errand contains. */
export function reportMark(mark: string): string {
  return `report-${mark}.`;
}

const OUTPUT = "agent_output";
const ACTIONS = ["read", "wait", "wait", "cancel"];
/** Tools of a sub-agent that is to start others. */
const ALL_TOOLS = ["look", "launch", "note", "ask_user_question", "agent", OUTPUT];

/** How a model delegates work: in the foreground, in the background, several at once, and nested. */
export class Delegation {
  readonly #random: Random;
  #marks = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * The calls of a turn; empty if the turn is for other tools. `turn` must be different for each turn of the
   * conversation.
   */
  calls(messages: readonly Message[], turn: number): ToolUseBlock[] {
    const errand = errandOf(messages);
    const called = messages.flatMap(({ content }) => toolUsesOf(content).map(({ name }) => name));
    if (errand?.kind === "asks" && !called.includes("ask_user_question")) return [question(turn)];
    if (errand !== null && errand.kind !== "delegates") return [];
    const asked = untold(messages).filter(() => this.#luck(0.5));
    const outputs = asked.map((id, index) => this.#output(id, `${turn}_${index}`));
    const isEnough = errand === null ? !this.#luck(0.6) : called.includes("agent");
    return isEnough ? outputs : [...outputs, ...this.#agents(turn)];
  }

  #agents(turn: number): ToolUseBlock[] {
    const beside: ToolUseBlock[] = this.#luck(0.3)
      ? [{ type: "tool_use", id: `beside_${turn}`, name: "look", input: { n: turn } }]
      : [];
    const several = this.#luck(0.35) ? 2 : 1;
    const agents = Array.from({ length: several }, (_, index) => this.#agent(`agent_${turn}_${index}`));
    return [...beside, ...agents];
  }

  #agent(id: string): ToolUseBlock {
    this.#marks += 1;
    const mark = `m${this.#marks}`;
    const kind = KINDS[Math.floor(this.#random.next() * KINDS.length)] ?? "works";
    const turns = Math.floor(this.#random.next() * 2) + (kind === "asks" || kind === "delegates" ? 1 : 0);
    const input = {
      description: `piece ${mark}`,
      prompt: `errand ${mark} ${turns} ${kind}`,
      run_in_background: this.#luck(0.45),
      ...(kind === "delegates" ? { tools: ALL_TOOLS } : {}),
      // If the only turn is spent on tools, the sub-agent never gets to its report.
      ...(this.#luck(0.1) ? { max_turns: 1 } : {}),
    };
    return { type: "tool_use", id, name: "agent", input };
  }

  #output(agentId: string, name: string): ToolUseBlock {
    const action = ACTIONS[Math.floor(this.#random.next() * ACTIONS.length)] ?? "read";
    return { type: "tool_use", id: `output_${name}`, name: OUTPUT, input: { agent_id: agentId, action } };
  }

  #luck(chance: number): boolean {
    return this.#random.next() < chance;
  }
}

function question(turn: number): ToolUseBlock {
  const input = { question: "Which?", options: ["red", "blue"] };
  return { type: "tool_use", id: `question_${turn}`, name: "ask_user_question", input };
}

/** Background sub-agents whose end the conversation has not been notified of. */
function untold(messages: readonly Message[]): string[] {
  const uses = new Map(messages.flatMap(({ content }) => toolUsesOf(content).map((use) => [use.id, use])));
  const begun: string[] = [];
  const told = new Set<string>();
  for (const { content } of messages) {
    for (const [, id = ""] of textOf(content).matchAll(/\[Sub-agent \S+ \((\w+)\)/gu)) told.add(id);
    for (const block of content) {
      if (block.type !== "tool_result") continue;
      const text = block.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const use = uses.get(block.toolUseId);
      const [, id] = /^agent_id: (\w+)/u.exec(text) ?? [];
      if (use?.name === "agent" && id !== undefined) begun.push(id);
      if (use?.name === OUTPUT && !/, working: |, waiting in the queue/u.test(text)) told.add(agentIdOf(use));
    }
  }
  return begun.filter((id) => !told.has(id));
}

/** Id of the sub-agent that a call of agent_output is about. */
export function agentIdOf({ input }: Pick<ToolUseBlock, "input">): string {
  return typeof input === "object" && input !== null && "agent_id" in input ? String(input.agent_id) : "";
}
