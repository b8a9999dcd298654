import { BoundedMap } from "../../../core/bounded-map.ts";
import type { OutgoingFile } from "../../../core/platform/outgoing.ts";
import type { ThreadRef } from "../../../core/platform/thread.ts";
import { PlatformError } from "../../../core/protocol/errors.ts";
import { callSlack } from "../errors.ts";
import { FILE_TIMEOUT_MS } from "../limits.ts";
import type { SlackWeb } from "../web.ts";
import { comparableText } from "./comment.ts";

/** Maximum number of remembered posts; only retries need them. */
const KEPT = 1_000;

/** Identifies an uploaded file. Files carry no key, so name and size have to do. */
export interface Uploaded {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

export interface Shared {
  readonly ts: string;
  readonly text: string;
  readonly files: readonly Uploaded[];
}

/** Uploaded files of posts that failed or were interrupted, by key, so that a retry does not share them again. */
export class Uploads {
  readonly #made = new BoundedMap<string, readonly Uploaded[]>(KEPT);
  readonly #found = new BoundedMap<string, readonly Shared[]>(KEPT);
  readonly #without = new BoundedMap<string, readonly Uploaded[]>(KEPT);

  /** Records a file that this process shared ahead of its post. */
  note(key: string, { name, data }: OutgoingFile): void {
    this.#made.set(key, [...(this.#made.get(key) ?? []), { name, size: data.length }]);
  }

  /** Records what Slack lists since the post was first tried. `withoutPost`: files that no post followed. */
  noteFound(key: string, found: readonly Shared[], withoutPost: readonly Uploaded[]): void {
    this.#found.set(key, found);
    this.#without.set(key, withoutPost);
  }

  /** Files already shared for the post. This process's own record wins, since Slack lists uploads with a delay. */
  ahead(key: string): readonly Uploaded[] {
    return this.#made.get(key) ?? this.#without.get(key) ?? [];
  }

  /** The message found for a post with this comment and these files. */
  posted(key: string, comment: string, files: readonly OutgoingFile[]): Shared | undefined {
    const wanted = comparableText(comment);
    return this.#found
      .get(key)
      ?.find((shared) => comparableText(shared.text) === wanted && sameFiles(shared.files, files));
  }

  forget(key: string): void {
    for (const known of [this.#made, this.#found, this.#without]) known.delete(key);
  }
}

function sameFiles(there: readonly Uploaded[], files: readonly OutgoingFile[]): boolean {
  const named = (name: string, size: number) => `${size} ${name}`;
  const wanted = files.map(({ name, data }) => named(name, data.length)).toSorted();
  const found = there.map(({ name, size }) => named(name, size)).toSorted();
  return wanted.join("\n") === found.join("\n");
}

interface SharedFiles {
  readonly files: readonly OutgoingFile[];
  readonly comment?: string;
  /** Timeout of each upload, in milliseconds. */
  readonly withinMs?: number;
}

/** Shares files in one message. Returns the id of the first file, because Slack reports the message's ts only later. */
export async function share(
  web: SlackWeb,
  { channelId, threadId }: ThreadRef,
  { files, comment, withinMs = FILE_TIMEOUT_MS }: SharedFiles,
): Promise<string> {
  return callSlack("attach files", async () => {
    const [first, ...rest] = await Promise.all(files.map((file) => stored(web, file, withinMs)));
    if (first === undefined) throw new PlatformError("defect", "no files to share");
    await web.files.completeUploadExternal({
      files: [first, ...rest],
      channel_id: channelId,
      ...(threadId === null ? {} : { thread_ts: threadId }),
      ...(comment === undefined ? {} : { initial_comment: comment }),
    });
    return first.id;
  });
}

/** Uploads a file, which nobody sees until it is shared. */
async function stored(
  web: SlackWeb,
  { name, data }: OutgoingFile,
  withinMs: number,
): Promise<{ id: string; title: string }> {
  const { file_id: id, upload_url: url } = await web.files.getUploadURLExternal({
    filename: name,
    length: data.length,
  });
  if (id === undefined || url === undefined) throw new PlatformError("platform_failed", "no upload address");
  const signal = AbortSignal.timeout(withinMs);
  const response = await fetch(url, { method: "POST", body: new Uint8Array(data), signal });
  await response.body?.cancel();
  if (!response.ok) throw new PlatformError("platform_failed", `the upload was answered with HTTP ${response.status}`);
  return { id, title: name };
}
