import { z } from "zod";
import { SLEEP } from "../../core/engine/wake-sleeping-run.ts";
import { textResult } from "../../core/protocol/tool-result.ts";
import { elapsed } from "../../core/text/duration.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";
import type { NativeToolDeps } from "./native-tool-deps.ts";
import { waitingMethods } from "./waiting.ts";

const DAY_S = 86_400;

const input = z.object({
  seconds: z.int().min(1).max(DAY_S).describe("Seconds to pause; at most a day."),
  reason: z.string().trim().max(200).default("").describe("What you are waiting for, in a few words."),
});

/** Creates the tool for a durable pause: its end is in the store, and an event wakes the session then. */
export function createSleep(deps: Pick<NativeToolDeps, "store" | "engine" | "clock">): Tool {
  return defineTool({
    name: SLEEP,
    description:
      "Pauses your work for up to a day, then continues by itself: to check later on something that takes time. A message from a " +
      "person ends the pause early.",
    deferred: { about: "pauses for up to a day" },
    input,
    permission: "none",
    parallel: false,
    afterCrash: "replay",
    grant: () => ({ key: "sleep", label: "pausing" }),
    title: ({ seconds, reason }) =>
      reason === "" ? elapsed(seconds * 1_000) : `${elapsed(seconds * 1_000)}: ${reason}`,
    ...waitingMethods<z.infer<typeof input>>(async ({ seconds }, ctx) => {
      const { store, engine, clock } = deps;
      const { startedAt, dueAt } = await times(seconds * 1_000, ctx, deps);
      const now = clock.now();
      if (now >= dueAt)
        return textResult(`The pause of ${elapsed(dueAt - startedAt)} is over. It is ${timeOf(now)} now.`);
      const messages = await store.inbox.waiting(ctx.sessionId, now);
      if (messages.some(({ body }) => body.kind === "message" && body.addressed)) {
        const slept = elapsed(now - startedAt);
        return textResult(`A message ended the pause after ${slept}; it follows. It is ${timeOf(now)} now.`, {
          summary: `a message came after ${slept}`,
        });
      }
      const key = `sleep:${ctx.runId}:${ctx.callId}`;
      await engine.deliverAt(ctx.sessionId, { key, body: { kind: "resume", of: SLEEP } }, dueAt);
      ctx.waits(`until ${timeOf(dueAt)}`);
      return null;
    }),
  });
}

const timesSchema = z.object({ startedAt: z.number(), dueAt: z.number() });

/** Start and end of the pause as journalled by its first wake, in milliseconds since the epoch. */
async function times(
  ms: number,
  { runId, callId }: ToolContext,
  { store, clock }: Pick<NativeToolDeps, "store" | "clock">,
) {
  const key = `sleep:${callId}`;
  const stored = await store.transaction(async (tx) => {
    const known = await tx.journal.get(runId, key);
    if (known.found) return known.value;
    const at = clock.now();
    const value = { startedAt: at, dueAt: at + ms };
    await tx.journal.put(runId, key, { value, at });
    return value;
  });
  return timesSchema.parse(stored);
}

/** `14:05 UTC`. */
function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(11, 16)} UTC`;
}
