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
  const need = `${sizeText(more)} more would be too much`;
  switch (kind) {
    case "root":
      return `This root holds ${figures}; ${need}. Remove what is not needed, or have whoever runs Deckhand raise quotas.rootMb.`;
    case "given":
      return `This root has grown by ${figures}; ${need}. Remove what is not needed, or have whoever runs Deckhand raise quotas.rootMb.`;
    case "person":
      return `This person's requests have added ${figures} to files today; ${need}. Remove what is not needed of it, or go on after 00:00 UTC; quotas.userMb sets this.`;
    case "kept":
      return `This person's requests have had ${figures} kept today, so that changes can be taken back; ${need}.`;
    case "channel":
      return `This channel's requests have added ${figures} to files today; ${need}. Remove what is not needed of it, or go on after 00:00 UTC; quotas.channelMb sets this.`;
    default:
      return assertNever(kind);
  }
}
