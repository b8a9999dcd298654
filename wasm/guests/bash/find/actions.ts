import type { Context } from "../adapted.ts";
import { longTime, modeOf } from "../files/list.ts";
import type { Output } from "../shell/output.ts";
import { pipedBytes } from "../text/command.ts";
import type { Zone } from "../time/zone.ts";
import { zoneOfCommand } from "../time/zones.ts";
import { directoryOf, type Entry } from "./entry.ts";
import type { Test, Words } from "./expression.ts";
import { formatOf } from "./printf.ts";

/** State by which actions steer the walk. */
export interface Steering {
  /** True to skip everything beneath the present entry. */
  isPruned: boolean;
  isEnded: boolean;
  exitCode: number;
  /** Actions that run after the walk, such as `-exec … +`. */
  readonly atEnd: (() => Promise<void>)[];
}

/** Creates the action of a given name; null for other names. */
export function actionOf(name: string, words: Words, scope: ActionScope): Test | null {
  const { output, steering, context } = scope;
  switch (name) {
    case "-print":
      return printing(output, async (entry) => `${entry.path}\n`);
    case "-print0":
      return printing(output, async (entry) => `${entry.path}\0`);
    case "-printf":
      return printing(output, formatOf(words.value(name), context));
    case "-ls":
      return printing(output, (entry) => listed(entry, zoneOfCommand(context)));
    case "-prune":
      return () => {
        steering.isPruned = true;
        return true;
      };
    case "-quit":
      return () => {
        steering.isEnded = true;
        return true;
      };
    case "-delete":
      return (entry) => deleted(entry, scope);
    case "-exec":
    case "-execdir":
      return running(name, words, scope);
    case "-ok":
    case "-okdir":
      return asking(name, words, scope);
    default:
      return null;
  }
}

export interface ActionScope {
  readonly output: Output;
  readonly steering: Steering;
  readonly context: Context;
}

function printing(output: Output, textOf: (entry: Entry) => Promise<string>): Test {
  return async (entry) => {
    output.print(await textOf(entry));
    return true;
  };
}

async function listed(entry: Entry, zone: Zone): Promise<string> {
  const status = await entry.status();
  const blocks = String(entry.kind === "d" ? 4 : 4 * Math.ceil(status.size / 4096)).padStart(6);
  const links = entry.kind === "d" ? "  2" : "  1";
  const owner = "user     user    ";
  const size = String(status.size).padStart(8);
  const when = longTime(status.mtime, zone);
  return `${"1".padStart(9)} ${blocks} ${modeOf(status)} ${links} ${owner} ${size} ${when} ${entry.path}\n`;
}

async function deleted(entry: Entry, { output, steering, context }: ActionScope): Promise<boolean> {
  if (entry.path === ".") return true;
  try {
    await context.fs.rm(entry.full, { recursive: false });
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    output.complain(`cannot delete '${entry.path}': ${reason}`);
    steering.exitCode = 1;
    return false;
  }
}

/** Runs the command for the entries for which a line of standard input says yes. */
function asking(name: string, words: Words, scope: ActionScope): Test {
  const answers = pipedBytes(scope.context).split("\n");
  const command = words.peek() ?? "";
  const run = running(name.replace("ok", "exec"), words, scope);
  return async (entry) => {
    scope.output.warn(`< ${command} ... ${entry.path} > ? `);
    return /^y/i.test(answers.shift() ?? "") && run(entry);
  };
}

/** `{}` is the path wherever it stands; with `+` it is all paths, last. */
function running(name: string, words: Words, { output, steering, context }: ActionScope): Test {
  const command: string[] = [];
  let isBatch = false;
  for (;;) {
    const word = words.next();
    if (word === undefined) throw new Error(`missing argument to '${name}'`);
    if (word === ";") break;
    isBatch = word === "+" && command.at(-1) === "{}";
    if (isBatch) break;
    command.push(word);
  }
  if (command.length === 0) throw new Error(`missing argument to '${name}'`);
  const isWithin = name === "-execdir";
  const nameIn = (entry: Entry) => (isWithin ? `./${entry.name}` : entry.path);
  const directory = (entry: Entry) => (isWithin ? directoryOf(entry.full) : context.cwd);
  if (!isBatch)
    return async (entry) => {
      const args = command.map((word) => word.replaceAll("{}", () => nameIn(entry)));
      return (await output.run(args, directory(entry))) === 0;
    };
  const batches = new Map<string, string[]>();
  steering.atEnd.push(async () => {
    for (const [cwd, paths] of batches)
      if ((await output.run([...command.slice(0, -1), ...paths], cwd)) !== 0) steering.exitCode = 1;
  });
  return (entry) => {
    const cwd = directory(entry);
    batches.set(cwd, [...(batches.get(cwd) ?? []), nameIn(entry)]);
    return true;
  };
}
