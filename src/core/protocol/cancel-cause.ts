import { z } from "zod";
import { fromJson } from "../text/from-json.ts";
import { assertNever } from "./assert-never.ts";

const causeSchema = z.discriminatedUnion("by", [
  /** `name`: as people read it, `@ana`. */
  z.object({ by: z.literal("person"), name: z.string() }),
  /** The message that requested the run was deleted. */
  z.object({ by: z.literal("deletion") }),
  /** A sub-agent's run, stopped by the agent that started it. */
  z.object({ by: z.literal("agent") }),
  z.object({ by: z.literal("timeout"), limitMs: z.number() }),
  /** A run of a job, stopped because the job was due again or another of its runs took its place. */
  z.object({ by: z.literal("overlap"), with: z.enum(["due_time", "run"]) }),
  /** The job may no longer run. */
  z.object({ by: z.literal("refusal"), reason: z.string() }),
]);

/** Who or what has stopped a run. */
export type CancelCause = z.infer<typeof causeSchema>;

export function cancelledByPerson({ name }: { readonly name: string }): CancelCause {
  return { by: "person", name: `@${name}` };
}

const DELETION = "the deletion of its request";

/** The words after “stopped by”. */
export function causeText(cause: CancelCause): string {
  switch (cause.by) {
    case "person":
      return cause.name;
    case "deletion":
      return DELETION;
    case "agent":
      return "the agent that started it";
    case "timeout":
      return `its time limit of ${cause.limitMs / 1_000} s`;
    case "overlap":
      return cause.with === "run" ? "another run of the job" : "its next due time";
    case "refusal":
      return `a check that failed: ${cause.reason}`;
    default:
      return assertNever(cause);
  }
}

/**
 * Returns the cause as the store keeps it: a person as the name, which begins with `@`; a deletion in words, since an
 * older version running at the same time takes them for a name; all others as JSON.
 */
export function storedCause(cause: CancelCause): string {
  return cause.by === "person" || cause.by === "deletion" ? causeText(cause) : JSON.stringify(cause);
}

/** A time limit in older rows, which store every cause in words. */
const EARLIER_LIMIT = /^its time limit of (\d+(?:\.\d+)?) s$/u;

/** Stands for an unreadable cause, such as one that a newer version stored. The run counts as stopped anyway. */
const UNREADABLE: CancelCause = { by: "person", name: "a cause this version of me doesn't know" };

export function causeOf(stored: string): CancelCause {
  if (stored === DELETION) return { by: "deletion" };
  if (stored.startsWith("{")) return causeSchema.safeParse(fromJson(stored)).data ?? UNREADABLE;
  const [, seconds] = EARLIER_LIMIT.exec(stored) ?? [];
  return seconds === undefined ? { by: "person", name: stored } : { by: "timeout", limitMs: Number(seconds) * 1_000 };
}
