import { writeFile } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../../core/protocol/system-code.ts";
import { plainLine } from "../../../core/text/plain-text.ts";
import type { PageFile } from "../../render/local/wire.ts";
import { fileLine } from "./show.ts";

/** Maximum length of a saved file's name, in characters, so that a number still fits. */
const NAME_CHARS = 80;
/** Maximum number of files of the same name in a directory. */
const MAX_SAME = 1_000;

/** Files that came with messages. They stay with the program until somebody saves them. */
export class ReceivedFiles {
  readonly #read: (fileId: string) => Promise<Uint8Array | null>;
  /** Those of one message after another. */
  readonly #messages: (readonly PageFile[])[] = [];

  /** `read` returns a file's content; null if there is none. */
  constructor(read: (fileId: string) => Promise<Uint8Array | null>) {
    this.#read = read;
  }

  take(files: readonly PageFile[]): void {
    if (files.length > 0) this.#messages.push(files);
  }

  all(): readonly PageFile[] {
    return this.#messages.flat();
  }

  /** The newest file of this name, or all files of the newest message that has any. */
  named(name: string): readonly PageFile[] {
    const named = this.all().findLast((file) => file.name === name);
    return name === "" ? (this.#messages.at(-1) ?? []) : named === undefined ? [] : [named];
  }

  /** Saves a file under its name, or a similar one that is free. Never rejects. */
  async save(file: PageFile, directory: string): Promise<{ readonly isSaved: boolean; readonly line: string }> {
    const data = await this.#read(file.id);
    const name = plainLine(file.name, NAME_CHARS);
    if (data === null) return { isSaved: false, line: `✗ ${name} could not be read from the bot.` };
    try {
      return { isSaved: true, line: fileLine({ ...file, name: await saveAs(name, directory, data) }) };
    } catch (error) {
      const code = systemCode(error) ?? "unknown error";
      return { isSaved: false, line: `✗ ${name} cannot be saved in ${directory} (${code}).` };
    }
  }
}

/** Writes a new file and returns its path; never replaces one, and the name leads nowhere else. */
async function saveAs(name: string, directory: string, data: Uint8Array): Promise<string> {
  const { name: stem, ext } = path.parse(name.replaceAll(/[/\\]/gu, "_").replace(/^\.+/u, "") || "file");
  for (let number = 1; ; number += 1) {
    const place = path.join(directory, `${stem}${number === 1 ? "" : `-${number}`}${ext}`);
    try {
      await writeFile(place, data, { flag: "wx" });
      return place;
    } catch (error) {
      if (systemCode(error) !== "EEXIST" || number === MAX_SAME) throw error;
    }
  }
}
