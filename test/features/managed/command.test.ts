import { expect, test } from "vitest";
import type { AgentDefinition } from "../../../src/core/agents/query-config.ts";
import type { ChatCommand } from "../../../src/core/command-line/command.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { managedBy } from "../../../src/features/managed/as-manager.ts";
import { managedCommand, presetCompletions } from "../../../src/features/managed/command.ts";
import { managedFeature } from "../../../src/features/managed/feature.ts";
import { managedMode } from "../../../src/features/managed/presets.ts";
import { intakeOptions, mention, privateText } from "../../core/inbound/intake-fixture.ts";

const MODE = managedMode({
  maxConcurrentExecutors: 3,
  totalBudgetUsd: 0.2,
  presets: {
    fast: { maxConcurrentExecutors: 20, executorModel: "openai/gpt-6-sol" },
    thorough: { executorMaxTurns: 40 },
  },
});
const ON = { managed: true };
const TOOLS = [
  { name: "bash", permission: "execute", source: "built in" },
  { name: "read", permission: "read", source: "built in" },
] as const;

/** Commands typed one after the other in one thread. */
const managed: readonly (readonly [typed: string, answer: string | RegExp, settings: object])[] = [
  ["/managed", /^Managed mode is \*\*off\*\*.*\n`careful`: at most 2 executors at once, 20 turns each, each in/u, {}],
  ["/managed", "\n`cheap`: one executor at a time, 6 turns each, $0.20 per request\n", {}],
  [
    "/managed",
    "\n`fast`: at most 20 executors at once, 10 turns each, $0.20 per request, `openai/gpt-6-sol` executes\n",
    {},
  ],
  ["/managed on", "✓ Managed mode **on**: I plan and executors do the work; at most 3 executors at once, 10 turns", ON],
  ["/managed on careful", "✓ Managed mode **on** by **careful**: I plan", { ...ON, managedPreset: "careful" }],
  ["/managed", "Managed mode is **on** by **careful**: at most 2", { ...ON, managedPreset: "careful" }],
  ["/status", "Managed mode **on** by **careful**.", { ...ON, managedPreset: "careful" }],
  [
    "/tools",
    /^Agent \*\*build\*\* \(manager\), mode \*\*write\*\*: 1 of 2 tools\.\n.*executors[\s\S]*bash +execute +no/u,
    { ...ON, managedPreset: "careful" },
  ],
  [
    "/managed on carefull",
    "I don't know `carefull` here. Did you mean `careful`?",
    { ...ON, managedPreset: "careful" },
  ],
  ["/managed on slow", "Use `careful`, `cheap`, `fast`, `thorough`.", { ...ON, managedPreset: "careful" }],
  ["/managed fsat", "Did you mean `fast`?", { ...ON, managedPreset: "careful" }],
  ["/managed off fast", "`/managed off` doesn't take a preset.", { ...ON, managedPreset: "careful" }],
  ["/managed Thorough", "40 turns each", { ...ON, managedPreset: "thorough" }],
  ["/managed on", "✓ Managed mode **on**: ", ON],
  ["/managed off", "✓ Managed mode **off**: I work myself.", {}],
];

/** A thread in which commands are typed, with managed mode configured for its agent. */
async function typing(agent: Partial<AgentDefinition> = {}) {
  const { options, session, recorder } = await intakeOptions();
  const commands: readonly ChatCommand[] = [
    ...CHAT_COMMANDS,
    ...(managedFeature.commands ?? []).map((described) => ({ ...described, run: managedCommand(MODE) })),
  ];
  const receive = createIntake({
    ...options,
    commands,
    tools: async () => TOOLS,
    configOf: (session) => {
      const config = options.configOf(session);
      return { ...config, agentDefinition: { ...config.agentDefinition, ...agent } };
    },
    delegate: (config, settings) => managedBy(MODE, config, settings),
  });
  return { receive, session, recorder };
}

test("/managed shows, searches and sets managed mode and its presets", async () => {
  const { receive, session } = await typing();
  for (const [typed, answer, settings] of managed) {
    const said = privateText(await receive(mention(typed)));
    if (typeof answer === "string") expect(said).toContain(answer);
    else expect(said).toMatch(answer);
    expect((await session())?.settings ?? {}).toEqual(settings);
  }
});

test("an agent without the agent tool does the work itself in managed mode, and /managed says so", async () => {
  const { receive } = await typing({ name: "solo", disallowedTools: ["agent"] });
  const works = "⚠ **solo** can't use the tool `agent`, so it does the work itself.";
  expect(privateText(await receive(mention("/managed on")))).toContain(works);
  expect(privateText(await receive(mention("/managed")))).toContain(works);
  expect(privateText(await receive(mention("/status")))).not.toContain("Managed mode");
  expect(privateText(await receive(mention("/tools")))).toContain(
    "Agent **solo** (full), mode **write**: 2 of 2 tools.",
  );
  expect(privateText(await receive(mention("/managed off")))).not.toContain("⚠");
});

test("a person outside the thread's participants cannot turn managed mode on or off", async () => {
  const { receive, recorder } = await typing();
  await receive(mention("begin"));
  await recorder.ended(1);
  const ben = { person: { id: "slack:U2", name: "ben", roles: [], isBot: false, isGuest: false, isExternal: false } };
  expect(privateText(await receive(mention("/managed on", ben)))).toContain(
    "is for people who work with me in this thread",
  );
  expect(privateText(await receive(mention("/managed off", ben)))).toContain(
    "is for people who work with me in this thread",
  );
});

test("a long hostile argument is quoted on one short line that it cannot escape", async () => {
  const { receive } = await typing();
  await receive(mention("begin"));
  const text = privateText(await receive(mention(`/managed a\`*b*${"x".repeat(30_000)}`)));
  expect(text).toContain("I don't know `` a`*b*xxx");
  expect(text).toMatch(/`` [^\n]*x… ``/u);
  expect(text.length).toBeLessThan(1_000);
});

test("presets with their limits are suggested while somebody types", () => {
  expect(presetCompletions(MODE).map(({ value }) => value)).toEqual(["careful", "cheap", "fast", "thorough"]);
});
