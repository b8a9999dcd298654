import type { JSX } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { MESSAGE_FILES } from "../../../render/local/frame-limits.ts";
import type { PageFile } from "../../../render/local/wire.ts";
import { WEB_LIMITS } from "../../limits.ts";
import { answerOf, problemOf } from "../section/request.ts";
import { readDraftFiles, storeDraftFiles } from "../state/local-storage.ts";
import { CloseIcon, FileIcon } from "../text/icons.tsx";
import { isPicture } from "../thread/files.tsx";

export interface Upload {
  readonly key: number;
  readonly name: string;
  /** Null while the file is uploading. */
  readonly file: PageFile | null;
}

interface Uploads {
  readonly uploads: readonly Upload[];
  readonly add: (files: readonly File[]) => void;
  readonly remove: (key: number) => void;
  readonly clear: () => void;
}

interface UploadScope {
  readonly threadId: string | null;
  readonly notify: (text: string) => void;
  /** Headers that every changing request needs. */
  readonly change: Readonly<Record<string, string>>;
}

/** Uploads files as soon as they are attached; the message refers to them, and they are kept with its draft. */
export function useUploads({ threadId, notify, change }: UploadScope): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>(() =>
    readDraftFiles(threadId).map((file, index) => ({ key: -index, name: file.name, file })),
  );
  const lastKey = useRef(0);
  const isLeft = useRef(false);
  useEffect(() => storeDraftFiles(threadId, filesOf(uploads)), [uploads]);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  const remove = useCallback((key: number) => setUploads((now) => now.filter((upload) => upload.key !== key)), []);
  const arrived = (key: number, file: PageFile): void => {
    setUploads((now) => now.map((one) => (one.key === key ? { ...one, file } : one)));
    // The composer was left meanwhile, so the file is added to the draft for the next visit.
    if (isLeft.current) storeDraftFiles(threadId, [...readDraftFiles(threadId), file]);
  };
  const add = useCallback(
    (files: readonly File[]) => {
      // Checked here, because an upload that the server cuts off gives no reason.
      const taken = files.filter(({ size }) => size <= WEB_LIMITS.attachmentBytes);
      const tooLarge = files.filter((file) => !taken.includes(file)).map(({ name }) => name);
      const room = MESSAGE_FILES - uploads.length;
      // One notice, because a second one would take the place of the first.
      const said = [
        ...(tooLarge.length > 0 ? [`Not attached, because larger than 20 MB: ${tooLarge.join(", ")}.`] : []),
        ...(taken.length > room ? [`A message takes ${MESSAGE_FILES} files. The rest is left out.`] : []),
      ];
      if (said.length > 0) notify(said.join(" "));
      for (const file of taken.slice(0, room)) {
        lastKey.current += 1;
        const key = lastKey.current;
        setUploads((now) => [...now, { key, name: file.name, file: null }]);
        upload(file, change).then(
          (file) => arrived(key, file),
          (error: unknown) => {
            remove(key);
            notify(`${file.name} was not attached. ${problemOf(error)}`);
          },
        );
      }
    },
    [notify, remove, change, uploads.length],
  );
  const clear = useCallback(() => {
    // Now, not in an effect, because the first message opens a thread with a composer of its own.
    storeDraftFiles(threadId, []);
    setUploads([]);
  }, [threadId]);
  return { uploads, add, remove, clear };
}

/** Returns the files whose upload has finished. */
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
  readonly remove: (key: number) => void;
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
