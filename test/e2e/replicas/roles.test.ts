import { randomUUID } from "node:crypto";
import path from "node:path";
import { expect, test } from "vitest";
import { openSocket, socketPath } from "../../../src/adapters/terminal/socket.ts";
import { TerminalClient } from "../../adapters/terminal/terminal-client.ts";
import { text } from "../../support/model/model-script.ts";
import type { Bot } from "../../support/program/bot.ts";
import { startReplicas } from "../../support/program/replicas.ts";

function roles(bot: Bot): string[] {
  return [...bot.output().matchAll(/"role":"([^"]+)","event":"role_taken"/gu)].map(([, role = ""]) => role).toSorted();
}

test("one of two has the terminals' socket and what is done once, and the other has it all when that one is killed", async () => {
  await using at = await startReplicas();
  at.model.script((_request, index) => text(`Answer ${index}.`));
  const socket = socketPath(path.join(at.one.home, "data"), true);
  const wanted = ["memory:work", "retention:deletions", `terminal:${socket}`];
  const ours = (bot: Bot) => roles(bot).filter((role) => wanted.includes(role));
  await expect.poll(() => [...ours(at.one), ...ours(at.other)].toSorted()).toEqual(wanted);
  const [holder, heir] = ours(at.one).includes(`terminal:${socket}`) ? [at.one, at.other] : [at.other, at.one];

  const terminal = await TerminalClient.open(socket);
  const threadId = randomUUID();
  terminal.say({ type: "send", clientId: threadId, threadId: null, text: "hello", fileIds: [] });
  await terminal.next("message", ({ message }) => message.body.markdown === "Answer 0.");

  await holder.kill("SIGKILL");
  await expect.poll(() => ours(heir)).toEqual(wanted);
  await expect.poll(async () => (await openSocket(socket))?.destroy() !== undefined).toBe(true);
  const again = await TerminalClient.open(socket);
  again.say({ type: "send", clientId: randomUUID(), threadId, text: "and again", fileIds: [] });
  await again.next("message", ({ message }) => message.body.markdown === "Answer 1.");
  again.drop();
  expect(heir.output()).not.toMatch(/"level":(50|60)/u);
});
