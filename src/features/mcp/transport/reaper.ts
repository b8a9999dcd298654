import { type ChildProcess, spawn } from "node:child_process";

/**
 * Reads which process groups start (`+ 123`) and end (`- 123`). When its input closes because the program has ended,
 * kills the groups that are left.
 */
const SCRIPT = `
groups=""
while read -r sign group; do
  rest=""
  for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done
  groups="$rest"
  [ "$sign" = "+" ] && groups="$groups $group"
done
for one in $groups; do kill -s TERM -- "-$one" 2>/dev/null; done
[ -n "$groups" ] && sleep 1
for one in $groups; do kill -s KILL -- "-$one" 2>/dev/null; done
exit 0
`;

/**
 * Kills the servers of a program that was itself killed: a small shell (about 1 MB) that outlives the program by a
 * second. Without a POSIX shell (Windows), servers only notice that their input ends.
 */
export class Reaper {
  #shell: ChildProcess | null = null;
  readonly #groups = new Set<number>();

  watch(group: number): void {
    this.#groups.add(group);
    if (this.#shell === null) this.#start();
    else this.#write(`+ ${group}`);
  }

  forget(group: number): void {
    if (this.#groups.delete(group)) this.#write(`- ${group}`);
  }

  close(): void {
    this.#shell?.stdin?.end();
    this.#shell = null;
  }

  #start(): void {
    if (process.platform === "win32") return;
    // In a process group of its own: Ctrl-C in the terminal is meant for the program, which then closes its servers
    // itself.
    const shell = spawn("/bin/sh", ["-c", SCRIPT], { stdio: ["pipe", "ignore", "ignore"], detached: true, env: {} });
    const lose = () => {
      if (this.#shell === shell) this.#shell = null;
    };
    shell.on("error", lose).on("exit", lose);
    shell.stdin.on("error", lose);
    // Does not keep the program alive.
    shell.unref();
    this.#shell = shell;
    for (const group of this.#groups) this.#write(`+ ${group}`);
  }

  #write(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }
}
