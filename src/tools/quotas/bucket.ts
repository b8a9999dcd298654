import { z } from "zod";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { sizeText } from "../../core/text/sizes.ts";

/**
 * One limit that a call's writes count against: its root's, or a person's or channel's for the day. Former contents
 * that are kept for undoing changes have a limit of their own.
 */
export const bucketSchema = z.object({
  /** `root:/srv/checkout`, `person:slack:U1`, `channel:slack:C1`, `kept:slack:U1` */
  key: z.string(),
  /** `given` is a root of the operator's, in which only what was added counts. */
  kind: z.enum(["root", "given", "person", "channel", "kept"]),
  /** In bytes. */
  limit: z.int(),
  /** Remaining bytes; negative if a limit was lowered. */
  left: z.int(),
  /**
   * False if another call counts against the same limit; the remaining bytes are then known only where the calls run.
   */
  isAlone: z.boolean(),
});
export type Bucket = z.infer<typeof bucketSchema>;

/** Whether a bucket counts what a day's calls add to files. */
export function isOfDay({ kind }: Pick<Bucket, "kind">): boolean {
  return kind === "person" || kind === "channel";
}

/** Explains why so many more bytes are not written, and what can be done about it. */
export function fullText({ kind, limit }: Pick<Bucket, "kind" | "limit">, left: number, more: number): string {
  const figures = `${sizeText(limit - left)} of ${sizeText(limit)}`;
  const need = `${sizeText(more)} more would exceed the limit`;
  switch (kind) {
    case "root":
      return `The files here take up ${figures}; ${need}. Remove what is not needed, or have an operator raise quotas.rootMb.`;
    case "given":
      return `The files here have grown by ${figures}; ${need}. Remove what is not needed, or have an operator raise quotas.rootMb.`;
    case "person":
      return `This person's requests have added ${figures} to files today; ${need}. Remove what is not needed, or continue after 00:00 UTC; quotas.userMb sets the limit.`;
    case "kept":
      return `The earlier contents kept today to undo changes that this person requested take up ${figures}; ${need}.`;
    case "channel":
      return `This channel's requests have added ${figures} to files today; ${need}. Remove what is not needed, or continue after 00:00 UTC; quotas.channelMb sets the limit.`;
    default:
      return assertNever(kind);
  }
}
