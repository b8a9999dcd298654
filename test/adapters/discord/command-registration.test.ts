import { expect, test } from "vitest";
import type { CommandForm } from "../../../src/adapters/discord/interactions/command-registration.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { type Harbour, openHarbour } from "../../support/discord/harness.ts";

const JOBS: CommandForm = {
  name: "jobs",
  description: "what runs by the clock",
  options: [
    {
      name: "add",
      description: "a new job",
      options: [
        { name: "skill", description: "what it follows" },
        { name: "cron", description: "when it runs", required: true },
      ],
    },
  ],
};

/** Starts and stops an adapter; the stop waits for work in the background such as the registration. */
async function startOnce(harbour: Harbour, commands?: readonly CommandForm[]): Promise<void> {
  const adapter = harbour.adapter(commands === undefined ? {} : { commands });
  await adapter.start(() => Promise.resolve({ type: "ignored" }), new AbortController().signal);
  await adapter.stop();
}

test("commands are registered only if they have changed", async () => {
  await using harbour = await openHarbour();
  const { registrations } = harbour.server.api;
  const path = `/applications/${harbour.server.world.bot.id}/commands`;
  await startOnce(harbour, CHAT_COMMANDS);
  expect(registrations).toEqual([path]);
  await startOnce(harbour, CHAT_COMMANDS);
  expect(registrations).toEqual([path]);
  await startOnce(harbour, [...CHAT_COMMANDS, JOBS]);
  expect(registrations).toEqual([path, path]);
  await startOnce(harbour);
  expect(registrations).toEqual([path, path]);
});

test("a command's arguments become options, subcommands with required options first, or one text field", async () => {
  await using harbour = await openHarbour();
  const agent: CommandForm = {
    name: "mode",
    description: "what I may do",
    options: [{ name: "mode", description: "one of three", choices: ["read", "write"] }],
  };
  const line: CommandForm = { name: "skill", description: "follows a skill", usage: "<name> [args]" };
  await startOnce(harbour, [JOBS, agent, line, { name: "stop", description: "stops" }]);
  const path = `/applications/${harbour.server.world.bot.id}/commands`;
  expect(harbour.server.api.commands.get(path)).toEqual([
    {
      type: 1,
      name: "jobs",
      description: "what runs by the clock",
      options: [
        {
          type: 1,
          name: "add",
          description: "a new job",
          options: [
            { type: 3, name: "cron", description: "when it runs", required: true },
            { type: 3, name: "skill", description: "what it follows" },
          ],
        },
      ],
    },
    {
      type: 1,
      name: "mode",
      description: "what I may do",
      options: [
        {
          type: 3,
          name: "mode",
          description: "one of three",
          choices: [
            { name: "read", value: "read" },
            { name: "write", value: "write" },
          ],
        },
      ],
    },
    {
      type: 1,
      name: "skill",
      description: "follows a skill",
      options: [{ type: 3, name: "args", description: "<name> [args]" }],
    },
    { type: 1, name: "stop", description: "stops" },
    { type: 3, name: "Ask Deckhand about this message", description: "" },
  ]);
});

test("a refused registration is logged and leaves the connection open", async () => {
  await using harbour = await openHarbour();
  await startOnce(harbour, [{ name: "Not A Name", description: "refused" }]);
  expect(harbour.log.lines.map(({ event }) => event)).toContain("discord.commands_not_registered");
});
