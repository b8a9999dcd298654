/** The part of just-bash's awk state that pipes and commands need. */
interface Run {
  output: string;
  pipes?: Map<string, string>;
  readonly cwd: string;
  readonly openedFiles: Set<string>;
  readonly getlineCommandStreams: Map<string, object>;
  readonly getlineFileStreams: Map<string, object>;
  readonly fs: {
    appendFile(path: string, text: string): Promise<void>;
    resolvePath(base: string, path: string): string;
  };
  readonly exec?: (command: string, options?: object) => Promise<Ended>;
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** File that collects awk's error output. */
export const STDERR_FILE = "/dev/stderr";

/** Buffers text printed to a command, which runs at the end of the program or on `close`. */
export function printToCommand(run: Run, command: string, text: string): void {
  run.pipes ??= new Map();
  run.pipes.set(command, (run.pipes.get(command) ?? "") + text);
}

/** Closes a file or pipe. Returns the exit code of a command that was printed to, or -1 if nothing is open. */
export async function closeStream(run: Run, name: string): Promise<number> {
  const path = run.fs.resolvePath(run.cwd, name);
  const streams = [run.getlineCommandStreams.delete(name), run.getlineFileStreams.delete(path)];
  const isOpen = [...streams, run.openedFiles.delete(path)].includes(true);
  return run.pipes?.has(name) === true ? closePipe(run, name) : isOpen ? 0 : -1;
}

async function closePipe(run: Run, command: string): Promise<number> {
  const text = run.pipes?.get(command);
  if (text === undefined) return 0;
  run.pipes?.delete(command);
  return runCommand(run, command, { stdin: text });
}

export async function closePipes(run: Run): Promise<void> {
  for (const command of run.pipes?.keys() ?? []) await closePipe(run, command);
}

/** Runs a command, appends its output to the program's, and returns its exit code. */
export async function runCommand(run: Run, command: string, options: object = {}): Promise<number> {
  if (run.exec === undefined) throw new Error("no commands can be run here");
  const { stdout, stderr, exitCode } = await run.exec(command, options);
  run.output += stdout;
  if (stderr !== "") await run.fs.appendFile(STDERR_FILE, stderr);
  return exitCode;
}
