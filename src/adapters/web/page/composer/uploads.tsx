import type { JSX } from "preact";
import { MESSAGE_FILES } from "../../../render/local/frame-limits.ts";
import type { PageFile } from "../../../render/local/wire.ts";
import { WEB_LIMITS } from "../../limits.ts";
import { answerOf, problemOf } from "../section/request.ts";
import { type Controller, changeHeaders } from "../state/controller.ts";
import { newId } from "../state/new-id.ts";
import type { PageState, Upload } from "../state/state.ts";
import { CloseIcon, FileIcon } from "../text/icons.tsx";
import { isPicture } from "../thread/files.tsx";

export interface Uploads {
  readonly uploads: readonly Upload[];
  /** Attaches files, except those that are folders. */
  readonly add: (files: readonly File[], folders?: readonly string[]) => void;
  readonly remove: (key: string) => void;
  readonly clear: () => void;
}

/** Uploads files as soon as they are attached; the message refers to them, and they are kept with its draft. */
export function useUploads(
  state: PageState,
  { changeUploads, notify }: Pick<Controller, "changeUploads" | "notify">,
): Uploads {
  const { openId: threadId } = state;
  const uploads = state.uploads.filter((upload) => upload.threadId === threadId);
  const remove = (key: string): void => changeUploads((now) => now.filter((one) => one.key !== key));
  const add: Uploads["add"] = (given, folders = []) => {
    const files = given.filter(({ name }) => !folders.includes(name));
    // Checked here, because an upload that the server cuts off gives no reason.
    const taken = files.filter(({ size }) => size <= WEB_LIMITS.attachmentBytes);
    const tooLarge = files.filter((file) => !taken.includes(file)).map(({ name }) => name);
    const room = MESSAGE_FILES - uploads.length;
    // One notice, because a second one would take the place of the first.
    const said = [
      ...(folders.length > 0 ? [`Folders cannot be attached, only the files in them: ${folders.join(", ")}.`] : []),
      ...(tooLarge.length > 0 ? [`Not attached because they are larger than 20 MB: ${tooLarge.join(", ")}.`] : []),
      ...(taken.length > room ? [`A message can have ${MESSAGE_FILES} files. The rest was not attached.`] : []),
    ];
    if (said.length > 0) notify(said.join(" "));
    for (const file of taken.slice(0, room)) {
      const key = newId();
      changeUploads((now) => [...now, { key, threadId, name: file.name, file: null }]);
      upload(file, changeHeaders(state)).then(
        (file) => changeUploads((now) => now.map((one) => (one.key === key ? { ...one, file } : one))),
        (error: unknown) => {
          remove(key);
          notify(`${file.name} was not attached. ${problemOf(error)}`);
        },
      );
    }
  };
  const clear = (): void => changeUploads((now) => now.filter((one) => one.threadId !== threadId));
  return { uploads, add, remove, clear };
}

export function filesOf(uploads: readonly Upload[]): PageFile[] {
  return uploads.flatMap(({ file }) => file ?? []);
}

function upload(file: File, change: Readonly<Record<string, string>>): Promise<PageFile> {
  const query = new URLSearchParams({ name: file.name, type: file.type });
  const headers = { ...change, "content-type": "application/octet-stream" };
  return answerOf(`/files?${query}`, { method: "POST", headers, body: file });
}

export function UploadList({
  uploads,
  remove,
}: {
  readonly uploads: readonly Upload[];
  readonly remove: (key: string) => void;
}): JSX.Element | null {
  if (uploads.length === 0) return null;
  return (
    <ul class="uploads" aria-label="Attachments">
      {uploads.map(({ key, name, file }) => (
        <li key={key} class={file === null ? "upload busy" : "upload"}>
          {file !== null && isPicture(file) ? <img src={`/files/${file.id}`} alt="" /> : <FileIcon />}
          <span>{name}</span>
          {file === null && <span class="hint">uploading…</span>}
          <button type="button" class="icon-button" aria-label={`Remove ${name}`} onClick={() => remove(key)}>
            <CloseIcon />
          </button>
        </li>
      ))}
    </ul>
  );
}
