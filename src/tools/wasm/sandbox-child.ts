import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Log } from "../../core/protocol/log.ts";
import { fromChildSchema, type Outcome, type RunMessage, type ToChild } from "./child/messages.ts";
import type { FileChange } from "./workspace/kept-content.ts";

export type Changed = (files: readonly FileChange[]) => void;

export interface SandboxChild {
  readonly pid: number | undefined;
  /** Resolves with how the call ended, also when the child dies; never rejects. Tells of changed files meanwhile. */
  run(call: RunMessage, changed: Changed): Promise<Outcome>;
  cancel(id: number): void;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

/** Forks the child with no environment, no inherited streams, and nothing but the channel to the bot. */
export function startChild(buildDir: string, log: Log | undefined, onExit: () => void): SandboxChild {
  const child = fork(fileURLToPath(new URL("./child/main.ts", import.meta.url)), [buildDir], {
    env: {},
    execArgv: ["--no-addons", "--no-warnings"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const calls = new Map<number, { readonly end: (outcome: Outcome) => void; readonly changed: Changed }>();
  const end = (id: number, outcome: Outcome): void => {
    calls.get(id)?.end(outcome);
    calls.delete(id);
  };
  const gone = (reason: string): void => {
    for (const id of calls.keys()) end(id, { type: "failed", message: reason });
    onExit();
  };
  child.on("message", (raw) => {
    const { id, news } = fromChildSchema.parse(raw);
    if (news.type === "changed") calls.get(id)?.changed(news.files);
    else end(id, news);
  });
  child.stderr?.on("data", (data) => log?.warn({ stderr: String(data).slice(0, 2_000) }, "sandbox.stderr"));
  child.once("exit", (code, signal) => gone(`the sandbox process ended (${signal ?? code})`));
  child.once("error", (error) => gone(error.message));
  return {
    pid: child.pid,
    run: (call, changed) => {
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      calls.set(call.id, { end: resolve, changed });
      send(child, call);
      return promise;
    },
    cancel: (id) => send(child, { type: "cancel", id }),
    stop: () => stop(child),
  };
}

/** A channel that is closed already means that `exit` follows, which ends the calls. */
function send(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message, () => {});
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
