import { z } from "zod";
import { fromJson } from "../text/from-json.ts";
import { assertNever } from "./assert-never.ts";

const causeSchema = z.discriminatedUnion("by", [
  /** `name`: as people read it, `@ana`. */
  z.object({ by: z.literal("person"), name: z.string() }),
  /** The message that asked for it is deleted. */
  z.object({ by: z.literal("deletion") }),
  /** The agent that began the run, of a sub-agent's. */
  z.object({ by: z.literal("agent") }),
  z.object({ by: z.literal("timeout"), limitMs: z.number() }),
  /** A job's next due time has come, or another run has its place. */
  z.object({ by: z.literal("overlap"), with: z.enum(["due_time", "run"]) }),
  /** A job may not run any more. */
  z.object({ by: z.literal("refusal"), reason: z.string() }),
]);

/** Who or what has stopped a run. */
export type CancelCause = z.infer<typeof causeSchema>;

export function byPerson({ name }: { readonly name: string }): CancelCause {
  return { by: "person", name: `@${name}` };
}

const DELETION = "the deletion of its request";

/** What stands after “stopped by”. */
export function causeText(cause: CancelCause): string {
  switch (cause.by) {
    case "person":
      return cause.name;
    case "deletion":
      return DELETION;
    case "agent":
      return "the agent that began it";
    case "timeout":
      return `its time limit of ${cause.limitMs / 1_000} s`;
    case "overlap":
      return cause.with === "run" ? "another run of the job" : "its next due time";
    case "refusal":
      return `what stands against it: ${cause.reason}`;
    default:
      return assertNever(cause);
  }
}

/**
 * As the store keeps it: a person by name, which begins with `@`, all else as JSON. What a version without it beside this one
 * may read is kept in words, which that takes for a name.
 */
export function storedCause(cause: CancelCause): string {
  return cause.by === "person" || cause.by === "deletion" ? causeText(cause) : JSON.stringify(cause);
}

/** Before there were causes, the store kept the words alone. */
const EARLIER_LIMIT = /^its time limit of (\d+(?:\.\d+)?) s$/u;

/** What a newer version beside this one has stored, or nobody can read: that the run is stopped holds all the same. */
const UNREADABLE: CancelCause = { by: "person", name: "what this version of me does not know" };

export function causeOf(stored: string): CancelCause {
  if (stored === DELETION) return { by: "deletion" };
  if (stored.startsWith("{")) return causeSchema.safeParse(fromJson(stored)).data ?? UNREADABLE;
  const [, seconds] = EARLIER_LIMIT.exec(stored) ?? [];
  return seconds === undefined ? { by: "person", name: stored } : { by: "timeout", limitMs: Number(seconds) * 1_000 };
}
