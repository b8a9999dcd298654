import type { OutgoingFile } from "../../core/platform/outgoing.ts";
import type { ToolContext } from "../../core/tool.ts";
import { relativePath } from "../sandboxed/guest-call.ts";
import { secretKind } from "../secrets/secret-files.ts";
import { HEAD_BYTES, mediaTypeOf } from "../wasm/workspace/media-type.ts";
import { PathResolver, withFile } from "../wasm/workspace/path-resolver.ts";
import { hashOf, MAX_WHOLE, readWhole } from "../wasm/workspace/read-file.ts";
import { Refusal, refusing } from "../wasm/workspace/refusal.ts";

/** Which files that look like secrets may be shown: all if a person has allowed it, else those in `known`. */
interface Shown {
  readonly isAllowed?: boolean;
  readonly known?: ReadonlyMap<string, string>;
}

/**
 * Reads a file of the session's sandbox to send to its thread. Throws Refusal if it is missing, not a file, empty, too
 * large or an unapproved secret.
 */
export function sandboxFile(
  asked: string,
  ctx: ToolContext,
  { isAllowed = false, known = new Map() }: Shown = {},
): OutgoingFile {
  const path = relativePath(asked, ctx);
  const mostBytes = Math.min(MAX_WHOLE, ctx.thread.limits.attachmentBytes);
  using resolver = new PathResolver(ctx.sandboxRoot);
  return refusing(path, () => {
    const place = resolver.find(path);
    const data = withFile(place, path, (fd, { size }) => {
      if (size > mostBytes)
        throw new Refusal(`${path} has ${size} bytes; at most ${mostBytes} can be sent to this thread.`);
      return readWhole(fd, path);
    });
    if (data.length === 0) throw new Refusal(`${path} is empty: there is nothing to send.`);
    const isSecret = secretKind(place.relative, data) !== null;
    if (isSecret && !isAllowed && ![...known.values()].includes(hashOf(data)))
      throw new Refusal(
        `${path} looks like a secret, so it is sent to the thread only if a person allows that. Use \`attach\`, which asks.`,
      );
    const mediaType = mediaTypeOf(data.subarray(0, HEAD_BYTES)) || "text/plain";
    return { name: place.name, mediaType, data, ...(isSecret ? { isAllowed: true as const } : {}) };
  });
}
