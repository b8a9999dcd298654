import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { type Command, Option } from "commander";
import type { Terminal } from "./terminal.ts";

/** The arguments of `deckhand chat`. */
export interface ChatCommandRequest {
  /** A single message to answer; null for a conversation. */
  readonly prompt: string | null;
  readonly agent: string | null;
  readonly continues: boolean;
  /** Directory for the files of answers; null for none. */
  readonly saveTo: string | null;
  /** Paths of files to attach. */
  readonly attached: readonly string[];
  /** Piped input to attach. */
  readonly files: readonly { readonly name: string; readonly mediaType: string; readonly data: Uint8Array }[];
}

export type Chat = (request: ChatCommandRequest) => Promise<void>;

interface ChatFlags {
  readonly agent?: string;
  readonly continue?: boolean;
  readonly save?: string;
  readonly attach: readonly string[];
}

export interface ChatCommandOptions {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly chat: Chat;
  readonly terminal: Pick<Terminal, "error" | "fail">;
  /** Maximum size of piped input, in bytes. */
  readonly maxBytes: number;
}

const EXAMPLES = `
Examples:
  deckhand chat                                 a conversation in this terminal
  deckhand chat "which ports does it open?"     one answer, on stdout
  git diff | deckhand chat "review this"        with the piped input as an attachment
  deckhand chat --attach plan.pdf "is it sound?"  with a file
  deckhand chat --continue                      continues the newest conversation

It attaches to the Deckhand that is running on this home directory, or runs by itself if there is none.
Exit codes: 0 answered, 1 failed, 3 denied, 4 needs a decision, 130 interrupted.`;

export function addChat(program: Command, options: ChatCommandOptions): void {
  program
    .command("chat")
    .description("talk to Deckhand in this terminal")
    .argument("[prompt...]", "one message for one answer; without it, a conversation")
    .option("--agent <name>", "the agent that answers")
    .addOption(new Option("--continue", "continue the newest thread of the terminal"))
    .addOption(new Option("--new", "start a new thread (the default)").conflicts("continue"))
    .option("--save <directory>", "save the files of answers there; in a conversation, /save does")
    .option("--attach <file>", "attach a file; can be repeated", (file: string, all: string[]) => [...all, file], [])
    .addHelpText("after", EXAMPLES)
    .action((words: string[], flags: ChatFlags) => chatWith(words.join(" "), flags, options));
}

async function chatWith(typed: string, flags: ChatFlags, options: ChatCommandOptions): Promise<void> {
  const { stdin, chat, terminal, maxBytes } = options;
  const fail = (line: string): void => {
    terminal.error(line);
    terminal.fail();
  };
  const piped = stdin.isTTY === true ? null : await allOf(stdin, options);
  if (piped === "too large") return fail(`✗ The piped input is larger than ${maxBytes / 1_048_576} MB.`);
  const { agent = null, continue: continues = false, save: saveTo = null, attach: attached } = flags;
  const asked = { agent, continues, saveTo, attached };
  const hasPiped = piped !== null && piped.length > 0;
  if (typed.trim() !== "") {
    return chat({ ...asked, prompt: typed, files: hasPiped ? [asFile(piped)] : [] });
  }
  if (piped === null) return chat({ ...asked, prompt: null, files: [] });
  const prompt = piped.toString("utf8").trim();
  if (prompt === "") return fail('✗ There is no message. Pass one, as in deckhand chat "…", or pipe one in.');
  return chat({ ...asked, prompt, files: [] });
}

/** A script or ssh may leave an input open that nobody writes to; after this, a hint is shown. In milliseconds. */
const PATIENCE_MS = 3_000;
const WAITS = "⏳ Waiting for the end of the piped input. If there is none, add </dev/null to the command.";

/** Reads all input until its end. */
async function allOf(stdin: Readable, { maxBytes, terminal }: ChatCommandOptions): Promise<Buffer | "too large"> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const waiting = setTimeout(() => terminal.error(WAITS), PATIENCE_MS);
  try {
    for await (const chunk of stdin) {
      const piece = Buffer.from(chunk);
      bytes += piece.length;
      if (bytes > maxBytes) return "too large";
      chunks.push(piece);
    }
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(waiting);
  }
}

function asFile(data: Buffer): ChatCommandRequest["files"][number] {
  return isUtf8(data) && !data.includes(0)
    ? { name: "stdin.txt", mediaType: "text/plain", data }
    : { name: "stdin.bin", mediaType: "application/octet-stream", data };
}
