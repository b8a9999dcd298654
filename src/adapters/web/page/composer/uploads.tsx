import type { JSX } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";
import type { PageFile } from "../../../render/local/wire.ts";
import { CloseIcon, FileIcon } from "../text/icons.tsx";

/** As the server's limits.ts says; asked before, because an upload that is cut off cannot say why. */
const LARGEST_BYTES = 20 * 1024 * 1024;
const MOST_FILES = 10;

export interface Upload {
  readonly key: number;
  readonly name: string;
  /** Null while it is on its way. */
  readonly file: PageFile | null;
}

interface Uploads {
  readonly uploads: readonly Upload[];
  readonly add: (files: readonly File[]) => void;
  readonly remove: (key: number) => void;
  readonly clear: () => void;
}

/** Files go to the server as soon as they are attached; the message then names them. */
export function useUploads(notify: (text: string) => void, change: Readonly<Record<string, string>>): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const lastKey = useRef(0);
  const remove = useCallback((key: number) => setUploads((now) => now.filter((upload) => upload.key !== key)), []);
  const add = useCallback(
    (files: readonly File[]) => {
      for (const file of files.slice(0, MOST_FILES)) {
        if (file.size > LARGEST_BYTES) {
          notify(`${file.name} is larger than 20 MB.`);
          continue;
        }
        lastKey.current += 1;
        const key = lastKey.current;
        setUploads((now) => [...now, { key, name: file.name, file: null }].slice(0, MOST_FILES));
        upload(file, change).then(
          (stored) => setUploads((now) => now.map((one) => (one.key === key ? { ...one, file: stored } : one))),
          (reason) => {
            remove(key);
            notify(`${file.name} could not be uploaded (${String(reason)}). Attach it again.`);
          },
        );
      }
    },
    [notify, remove, change],
  );
  return { uploads, add, remove, clear: useCallback(() => setUploads([]), []) };
}

async function upload(file: File, change: Readonly<Record<string, string>>): Promise<PageFile> {
  const query = new URLSearchParams({ name: file.name, type: file.type });
  const headers = { ...change, "content-type": "application/octet-stream" };
  const response = await fetch(`/files?${query}`, { method: "POST", headers, body: file });
  return response.ok ? response.json() : Promise.reject(`answer ${response.status}`);
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
          <FileIcon />
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
