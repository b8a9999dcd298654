import { z } from "zod";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { sizeText } from "../../core/text/sizes.ts";

/** One limit that what a call writes counts against: of its root, or of a person or channel and the day. What is kept so that changes can be taken back has its own. */
export const bucketSchema = z.object({
  /** `root:/srv/checkout`, `person:slack:U1`, `channel:slack:C1`, `kept:slack:U1` */
  key: z.string(),
  /** given: a root of the operator's, of which only what has come to it counts. */
  kind: z.enum(["root", "given", "person", "channel", "kept"]),
  /** Bytes. */
  limit: z.int(),
  /** Bytes of it that are left; negative where a limit was lowered. */
  left: z.int(),
  /** False while another call counts against it: what is left by then is known only where they run. */
  isAlone: z.boolean(),
});
export type Bucket = z.infer<typeof bucketSchema>;

/** Those that count what a day's calls add to files. */
export function isOfDay({ kind }: Pick<Bucket, "kind">): boolean {
  return kind === "person" || kind === "channel";
}

/** Why so many bytes more are not written, and what can be done. */
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
