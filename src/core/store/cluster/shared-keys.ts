import { hash } from "node:crypto";
import { z } from "zod";
import type { Cluster } from "../../cluster.ts";
import type { Log } from "../../protocol/log.ts";
import type { HoldersOf, KeyWord } from "../../providers/concurrency/key-holders.ts";
import { fromJson } from "../../text/from-json.ts";

const ms = z.number().min(0);
const wordSchema = z.object({
  key: z.string(),
  word: z.discriminatedUnion("type", [
    z.object({ type: z.literal("refused"), waitMs: ms, limit: z.number().min(1), againMs: ms.nullable() }),
    z.object({ type: z.literal("answered") }),
  ]),
});

interface Words extends Pick<Cluster, "tell" | "hear" | "size"> {
  readonly log: Log;
}

/** Who else calls with a key, of which they tell each other a digest. */
export function sharedKeys({ tell, hear, size, log }: Words): HoldersOf {
  /** A key's queue is made anew with its provider's settings: the newest listens. */
  const listeners = new Map<string, (word: KeyWord) => void>();
  hear("providers", (about) => {
    const heard = wordSchema.safeParse(fromJson(about)).data; // none of another release
    if (heard !== undefined) listeners.get(heard.key)?.(heard.word);
  });
  return (endpoint) => {
    const key = digest(endpoint);
    return {
      size,
      tell(word) {
        const about = JSON.stringify({ key, word } satisfies z.infer<typeof wordSchema>);
        tell("providers", about).catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
      },
      hear(listener) {
        listeners.set(key, listener);
      },
    };
  };
}

function digest({ id, baseUrl, apiKey }: Parameters<HoldersOf>[0]): string {
  return hash("sha256", JSON.stringify([id, baseUrl, apiKey])).slice(0, 16);
}
