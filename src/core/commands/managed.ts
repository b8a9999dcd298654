import { MANAGED_DEFAULTS } from "../agent/managed-agents.ts";
import { readArguments } from "./arguments.ts";
import type { ChatCommand, CommandContext } from "./command.ts";
import { privately } from "./private-reply.ts";
import { hereOf, NO_THREAD, sessionToChange } from "./session-to-change.ts";

const CHOICES = ["on", "off"];

export const managedCommand: ChatCommand = {
  name: "managed",
  description: "let a manager plan and executors do the work in this thread",
  usage: "[on|off]",
  permission: "people",
  options: [{ name: "state", description: "on: I plan and hand work on; off: I work myself", choices: CHOICES }],
  async run(line, context) {
    const read = readArguments(line, { words: 1 });
    if (read.type === "broken") return privately(read.reason);
    const wanted = read.words[0]?.toLowerCase();
    if (wanted === undefined) return privately(current(context));
    if (!CHOICES.includes(wanted)) return privately("It is `/managed on` or `/managed off`.");
    return privately(await set(wanted === "on", context));
  },
};

function current(context: CommandContext): string {
  const { managedAgents } = context.configOf(hereOf(context));
  if (managedAgents === undefined)
    return "Managed mode is **off**. `/managed on` lets me plan, and executors do the work.";
  const { maxConcurrentExecutors: most, totalBudgetUsd: usd, executorIsolation } = managedAgents;
  const parts = [
    `at most ${most} executors at once`,
    ...(usd === undefined ? [] : [`$${usd} for one request`]),
    ...(executorIsolation ? ["each in a copy of the files"] : []),
  ];
  return `Managed mode is **on**: ${parts.join(", ")}. \`/managed off\` ends it for this thread.`;
}

async function set(managed: boolean, context: CommandContext): Promise<string> {
  const session = await sessionToChange(context);
  if (session === null) return NO_THREAD;
  const { store, runtime } = context;
  const usual = context.configOf({ ...hereOf(context), settings: {} }).managedAgents !== undefined;
  const change = { managed: managed === usual ? null : managed };
  await store.transaction((tx) => tx.sessions.changeSettings(session.id, change, runtime.clock.now()));
  const isRunning = (await store.runs.open(session.id)) !== null;
  const since = isRunning ? " from my next run on" : "";
  if (!managed) return `✓ Managed mode **off**${since}: I work myself.`;
  const { maxConcurrentExecutors: most } =
    context.configOf({ ...session, settings: { managed } }).managedAgents ?? MANAGED_DEFAULTS;
  return `✓ Managed mode **on**${since}: I plan, and up to ${most} executors at once do the work.`;
}
