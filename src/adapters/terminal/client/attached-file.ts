import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { OutgoingFile } from "../../../core/platform/outgoing.ts";
import { systemCode } from "../../../core/protocol/system-code.ts";
import { visibleText } from "../../../core/text/plain-text.ts";
import { sizeText } from "../../../core/text/sizes.ts";
import { TERMINAL_LIMITS } from "../limits.ts";

/** Reads a file to attach, or returns a sentence that says why it cannot be. */
export async function fileToAttach(
  typed: string,
  maxBytes = TERMINAL_LIMITS.attachmentBytes,
): Promise<OutgoingFile | string> {
  const place = placeOf(typed);
  const chunks: Buffer[] = [];
  try {
    // One byte more than allowed, from whatever the path is, even if it never ends.
    for await (const chunk of createReadStream(place, { end: maxBytes })) chunks.push(Buffer.from(chunk));
  } catch (error) {
    return whyNot(visibleText(typed), systemCode(error));
  }
  const data = Buffer.concat(chunks);
  if (data.length > maxBytes) return `✗ ${visibleText(typed)} is larger than ${sizeText(maxBytes)}.`;
  const isText = isUtf8(data) && !data.includes(0);
  return { name: path.basename(place), mediaType: isText ? "text/plain" : "application/octet-stream", data };
}

/** Paths that a typed one could become. */
export async function pathCompletions(typed: string): Promise<string[]> {
  const slash = typed.lastIndexOf("/") + 1;
  const [folder, start] = [typed.slice(0, slash), typed.slice(slash)];
  const entries = await readdir(placeOf(folder === "" ? "." : folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter(({ name }) => name.startsWith(start) && (start !== "" || !name.startsWith(".")))
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`);
}

/** Terminals paste the path of a dropped file in quotes, or with a backslash before each space. */
function placeOf(typed: string): string {
  const quoted = /^(["'])(.*)\1$/u.exec(typed)?.[2];
  const plain = quoted ?? typed.replaceAll(/\\(.)/gu, "$1");
  return path.resolve(plain.replace(/^~(?=\/|$)/u, homedir()));
}

function whyNot(shown: string, code: string | undefined): string {
  if (code === "ENOENT" || code === "ENOTDIR") return `✗ There is no file ${shown}.`;
  if (code === "EISDIR") return `✗ ${shown} is a directory.`;
  return `✗ ${shown} cannot be read (${code ?? "unknown error"}).`;
}
