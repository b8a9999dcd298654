import type { JSX } from "preact";
import type { PageFile } from "../../../render/local/wire.ts";
import { FileIcon } from "../text/icons.tsx";
import { bytes } from "../text/relative-time.ts";

/** Types that the server serves as pictures; all other files are downloaded. */
const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function isPicture({ mediaType }: PageFile): boolean {
  return PICTURES.has(mediaType);
}

export function Files({ files }: { readonly files: readonly PageFile[] }): JSX.Element | null {
  if (files.length === 0) return null;
  return (
    <ul class="files" aria-label="Files">
      {files.map((file, index) => (
        <li key={`${file.id}:${index}`}>
          {isPicture(file) ? (
            <a href={`/files/${file.id}`} target="_blank" rel="noopener">
              <img src={`/files/${file.id}`} alt={file.name} loading="lazy" />
            </a>
          ) : (
            <a class="file" href={`/files/${file.id}`} download={file.name}>
              <FileIcon />
              <span>{file.name}</span>
              <span class="file-size">{bytes(file.size)}</span>
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
