import { SHIPPED_PRESETS } from "../agents/managed-presets.ts";
import type { ManagedAgents } from "../agents/managed-settings.ts";
import { readArguments } from "../command-line/arguments.ts";
import { asTyped } from "../command-line/as-typed.ts";
import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { described } from "../command-line/completions.ts";
import { didYouMean, nearest } from "../command-line/nearest.ts";
import { hereOf, NO_THREAD, sessionToChange } from "../command-line/session-to-change.ts";
import { privately } from "../protocol/private-reply.ts";
import { dollars } from "../text/dollars.ts";

export const managedCommand: ChatCommand = {
  name: "managed",
  description: "let a manager plan and executors do the work in this thread",
  usage: "[on|off] [preset]",
  permission: "people",
  options: [
    {
      name: "state",
      description: "on: I plan and hand work on; off: I work myself; a preset: on, by its limits",
      choices: ["on", "off", ...SHIPPED_PRESETS],
    },
    {
      name: "preset",
      description: "after on: the name of a preset; /managed alone shows them",
      complete: ({ managedPresets }) =>
        Promise.resolve([...managedPresets].map(([name, managed]) => described(name, limitsOf(managed)))),
    },
  ],
  async run(line, context) {
    const read = readArguments(line, { words: 2 });
    if (read.type === "broken") return privately(read.reason);
    const words = read.words.map((word) => word.toLowerCase());
    if (words.length === 0) return privately(current(context));
    const wanted = wantedOf(words, context);
    return privately(typeof wanted === "string" ? wanted : await set(wanted, context));
  },
};

interface Wanted {
  readonly isOn: boolean;
  readonly preset: string | null;
}

/** What is asked for, or a sentence that says why it cannot be. */
function wantedOf([first = "", second]: readonly string[], { managedPresets }: CommandContext): Wanted | string {
  const presets = [...managedPresets.keys()];
  if (first !== "on" && first !== "off") {
    if (second === undefined && managedPresets.has(first)) return { isOn: true, preset: first };
    return unknown(first, ["on", "off", ...presets]);
  }
  if (second === undefined) return { isOn: first === "on", preset: null };
  if (first === "off") return "`/managed off` takes no preset.";
  return managedPresets.has(second) ? { isOn: true, preset: second } : unknown(second, presets);
}

function unknown(word: string, known: readonly string[]): string {
  const all = `There is ${known.map((name) => `\`${name}\``).join(", ")}.`;
  return `I don't know ${asTyped(word)} here.${didYouMean(nearest(word, known), all)}`;
}

function current(context: CommandContext): string {
  const { managedAgents } = context.configOf(hereOf(context));
  const presets = [...context.managedPresets].map(([name, managed]) => `\`${name}\`: ${limitsOf(managed)}`);
  const state =
    managedAgents === undefined
      ? "Managed mode is **off**. `/managed on` lets me plan, and executors do the work."
      : `Managed mode is ${onBy(managedAgents)}: ${limitsOf(managedAgents)}. \`/managed off\` ends it for this thread.`;
  return [state, ...presets, "`/managed on <preset>` goes by one of these."].join("\n");
}

/** `**on** by **careful**` */
export function onBy({ preset }: ManagedAgents): string {
  return preset === undefined ? "**on**" : `**on** by **${preset}**`;
}

function limitsOf(managed: ManagedAgents): string {
  const { maxConcurrentExecutors: most, totalBudgetUsd: usd, managerModel, executorModel } = managed;
  return [
    most === 1 ? "one executor at a time" : `at most ${most} executors at once`,
    `${managed.executorMaxTurns} turns each`,
    ...(managed.executorIsolation ? ["each in a worktree of its own"] : []),
    ...(usd === undefined ? [] : [`${dollars(usd)} for one request`]),
    ...(managerModel === undefined ? [] : [`\`${managerModel}\` manages`]),
    ...(executorModel === undefined ? [] : [`\`${executorModel}\` executes`]),
  ].join(", ");
}

async function set({ isOn, preset }: Wanted, context: CommandContext): Promise<string> {
  const session = await sessionToChange(context);
  if (session === null) return NO_THREAD;
  const { store, runtime } = context;
  const usual = context.configOf({ ...hereOf(context), settings: {} }).managedAgents !== undefined;
  const change = { managed: isOn === usual ? null : isOn, managedPreset: preset };
  const changed = await store.transaction((tx) => tx.sessions.changeSettings(session.id, change, runtime.clock.now()));
  const isRunning = (await store.runs.open(session.id)) !== null;
  const since = isRunning ? " from my next run on" : "";
  const { managedAgents } = context.configOf({ ...session, settings: changed });
  if (managedAgents === undefined) return `✓ Managed mode **off**${since}: I work myself.`;
  return `✓ Managed mode ${onBy(managedAgents)}${since}: I plan, and executors do the work; ${limitsOf(managedAgents)}.`;
}
