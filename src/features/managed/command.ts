import { readArguments } from "../../core/command-line/arguments.ts";
import type { ChatCommand, CommandContext } from "../../core/command-line/command.ts";
import { describedCompletion } from "../../core/command-line/completions.ts";
import { didYouMean, nearest } from "../../core/command-line/nearest.ts";
import { quoteInput } from "../../core/command-line/quote-input.ts";
import { effectiveSession, NO_THREAD, sessionToChange } from "../../core/command-line/session-to-change.ts";
import type { SessionSettings } from "../../core/events/session-settings.ts";
import type { Completion } from "../../core/platform/inbound.ts";
import { privateMessage } from "../../core/platform/replies.ts";
import { dollars } from "../../core/text/dollars.ts";
import { AGENT } from "../../tools/native/agent-assignment.ts";
import { type ManagedAgents, onBy } from "./managed-agents.ts";
import type { ManagedMode } from "./presets.ts";

/** `/managed` shows whether managed mode is on in a thread, and turns it on and off there. */
export function managedCommand(mode: ManagedMode): ChatCommand["run"] {
  return async (line, context) => {
    const read = readArguments(line, { words: 2 });
    if (read.type === "broken") return privateMessage(read.reason);
    const words = read.words.map((word) => word.toLowerCase());
    if (words.length === 0) return privateMessage(current(context, mode));
    const wanted = wantedOf(words, mode);
    return privateMessage(typeof wanted === "string" ? wanted : await set(wanted, context, mode));
  };
}

export function presetCompletions({ presets }: ManagedMode): Completion[] {
  return [...presets].map(([name, managed]) => describedCompletion(name, limitsOf(managed)));
}

interface Wanted {
  readonly isOn: boolean;
  readonly preset: string | null;
}

/** The requested change, or a sentence that says why it is impossible. */
function wantedOf([first = "", second]: readonly string[], mode: ManagedMode): Wanted | string {
  const presets = [...mode.presets.keys()];
  if (first !== "on" && first !== "off") {
    if (second === undefined && mode.presets.has(first)) return { isOn: true, preset: first };
    return unknown(first, ["on", "off", ...presets]);
  }
  if (second === undefined) return { isOn: first === "on", preset: null };
  if (first === "off") return "`/managed off` doesn't take a preset.";
  return mode.presets.has(second) ? { isOn: true, preset: second } : unknown(second, presets);
}

function unknown(word: string, known: readonly string[]): string {
  const all = `Use ${known.map((name) => `\`${name}\``).join(", ")}.`;
  return `I don't know ${quoteInput(word)} here.${didYouMean(nearest(word, known), all)}`;
}

function current(context: CommandContext, mode: ManagedMode): string {
  const here = effectiveSession(context);
  const managed = mode.of(here.settings);
  const presets = [...mode.presets].map(([name, preset]) => `\`${name}\`: ${limitsOf(preset)}`);
  const state =
    managed === null
      ? "Managed mode is **off**. With `/managed on`, I plan and executors do the work."
      : `Managed mode is ${onBy(managed)}: ${limitsOf(managed)}. \`/managed off\` ends it for this thread.${unlessHandedOn(context, here.settings)}`;
  return [state, ...presets, "`/managed on <preset>` uses one of these."].join("\n");
}

function limitsOf(managed: ManagedAgents): string {
  const { maxConcurrentExecutors: most, totalBudgetUsd: usd, managerModel, executorModel } = managed;
  return [
    most === 1 ? "one executor at a time" : `at most ${most} executors at once`,
    `${managed.executorMaxTurns} turns each`,
    ...(managed.executorIsolation ? ["each in its own worktree"] : []),
    ...(usd === undefined ? [] : [`${dollars(usd)} per request`]),
    ...(managerModel === undefined ? [] : [`\`${managerModel}\` manages`]),
    ...(executorModel === undefined ? [] : [`\`${executorModel}\` executes`]),
  ].join(", ");
}

async function set({ isOn, preset }: Wanted, context: CommandContext, mode: ManagedMode): Promise<string> {
  const session = await sessionToChange(context);
  if (session === null) return NO_THREAD;
  const { store, runtime } = context;
  const usual = mode.of({}) !== null;
  const change = { managed: isOn === usual ? null : isOn, managedPreset: preset };
  const changed = await store.transaction((tx) => tx.sessions.changeSettings(session.id, change, runtime.clock.now()));
  const isRunning = (await store.runs.open(session.id)) !== null;
  const since = isRunning ? " from my next run" : "";
  const managed = mode.of(changed);
  if (managed === null) return `✓ Managed mode **off**${since}: I work myself.`;
  return `✓ Managed mode ${onBy(managed)}${since}: I plan and executors do the work; ${limitsOf(managed)}.${unlessHandedOn(context, changed)}`;
}

/** A warning if the mode is on, but the agent here may not delegate. */
function unlessHandedOn(context: CommandContext, settings: SessionSettings): string {
  const { agentDefinition, delegation } = context.delegate(
    context.configOf({ ...effectiveSession(context), settings }),
    settings,
  );
  if (delegation !== undefined) return "";
  return `\n⚠ **${agentDefinition.name}** can't use the tool \`${AGENT}\`, so it does the work itself. \`/agent\` chooses another one.`;
}
