import { outputOf } from "../runtime/overflow.ts";
import { type EventLoop, processOf } from "../runtime/program.ts";
import { seedRandom } from "../runtime/random.ts";
import { textOfBytes } from "../runtime/text-encoding.ts";
import { type Filesystem, openFilesystem } from "../workspace-files.ts";
import { type CapturedConsole, createConsole } from "./console.ts";
import { fetch } from "./fetch.ts";
import { createFs } from "./fs.ts";
import { inspect } from "./inspect.ts";
import { createModules } from "./modules.ts";
import { absolute, inner, PATH, ROOT } from "./paths.ts";
import type { ProgramReply, ProgramRequest } from "./request.ts";
import { isScript } from "./rewrite.ts";

// Captured before the program can replace them.
const { parse, stringify } = JSON;
/** An indirect eval, which runs the program in the global scope. */
// oxlint-disable-next-line no-eval -- running a program is what this guest is for
const evaluate: (code: string) => unknown = globalThis.eval;

async function run(input: string, loop: EventLoop): Promise<string> {
  const request: ProgramRequest = parse(input);
  seedRandom(request.seed);
  const notes = new Set<string>();
  const files = openFilesystem(
    (path) => `${ROOT}/${path}`,
    (sentence) => notes.add(sentence),
  );
  const console = createConsole();
  const ended = await resultOf(() => execute(request, { files, console }), loop);
  const { maxChars, overflow } = request;
  const reply: ProgramReply = {
    output: outputOf(console.text(), { maxChars, path: `${overflow}.txt`, files }),
    value: ended.value === null ? null : cut(ended.value, maxChars),
    error: ended.error === null ? null : cut(ended.error, maxChars),
    notes: [...notes],
  };
  return stringify(reply);
}

interface Surroundings {
  readonly files: Filesystem;
  readonly console: CapturedConsole;
}

function execute({ code, file }: ProgramRequest, { files, console }: Surroundings): unknown {
  const fs = createFs(files);
  const offered = {
    fs: { ...fs.sync, default: fs.sync },
    "fs/promises": { ...fs.promises, default: fs.promises },
    path: { ...PATH, default: PATH },
  };
  const globals = { console: console.api, fs: { ...fs.promises, ...fs.sync }, fetch };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  const path = absolute(file ?? "program.js");
  const source = code ?? textOfBytes(files.readFile(inner(path) ?? ""));
  if (isScript(source)) return evaluate(source.replace(/^#!.*/, ""));
  return createModules(files, offered, evaluate).run(source, path);
}

/** Waits for the promise of the program's last expression, then for its timers, like a program of its own would. */
async function resultOf(
  start: () => unknown,
  loop: EventLoop,
): Promise<{ readonly value: string | null; readonly error: string | null }> {
  const stuck = async (): Promise<never> => {
    await loop.idle();
    throw new Error("The program waits for a promise that nothing settles.");
  };
  try {
    const value: unknown = await Promise.race([start(), loop.failed, stuck()]);
    await Promise.race([loop.idle(), loop.failed]);
    return { value: value === undefined ? null : inspect(value), error: null };
  } catch (error) {
    return { value: null, error: describe(error) };
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `Uncaught ${inspect(error)}`;
  const at = /<input>:(\d+)/.exec(error.stack ?? "")?.[1];
  return at === undefined ? String(error) : `${String(error)} (line ${at})`;
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text.toWellFormed();
  return `${text.slice(0, maxChars)}\n[cut after ${maxChars} characters; ${text.length - maxChars} more]`.toWellFormed();
}

export const process = processOf(run);
