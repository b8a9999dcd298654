import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Log } from "../../core/protocol/log.ts";
import type { GuestAnswer } from "../network/guest-answer.ts";
import type { GuestFetch } from "../network/guest-fetch.ts";
import { fromChildSchema, type Grown, type Outcome, type RunMessage, type ToChild } from "./child/messages.ts";
import type { ConfinedView } from "./confinement.ts";
import type { FileChange } from "./workspace/kept-content.ts";

export type Changed = (files: readonly FileChange[]) => void;

export interface CallEvents {
  readonly changed: Changed;
  /** What the call had printed if it was interrupted; called before the call's end. */
  readonly printed: (text: string) => void;
  /** What the call has taken of its room; not called if the process dies. */
  readonly grown: (grown: Grown) => void;
  /** Performs the guest's fetches; ends with the call. */
  readonly fetch: GuestFetch;
}

interface RunningCall extends CallEvents {
  readonly end: (outcome: Outcome) => void;
  readonly over: AbortController;
}

export interface SandboxChild {
  readonly pid: number | undefined;
  /** Resolves with how the call ended, even if the child dies; never rejects. Reports changed files meanwhile. */
  run(call: RunMessage, events: CallEvents): Promise<Outcome>;
  cancel(id: number): void;
  /** Sets until when fenced calls may change files, in milliseconds of the monotonic clock. */
  certain(untilMs: number): void;
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

/** The program that a child runs. */
export const CHILD_FILE = fileURLToPath(new URL("./child/main.ts", import.meta.url));

export interface ChildParts {
  readonly childFile: string;
  /** Directory of the built guests. */
  readonly buildDir: string;
  /** What the child sees of the machine; null if it sees the same as the bot. */
  readonly view: ConfinedView | null;
  readonly log: Log | undefined;
}

/** Forks the child without environment or inherited streams, with only the channel to the bot. */
export function startChild({ childFile, buildDir, view, log }: ChildParts, onExit: () => void): SandboxChild {
  const child = fork(childFile, [buildDir], {
    env: {},
    ...(view === null ? {} : { execPath: view.bwrap }),
    execArgv: [...(view?.args ?? []), "--no-addons", "--no-warnings"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const calls = new Map<number, RunningCall>();
  const end = (id: number, outcome: Outcome): void => {
    const call = calls.get(id);
    calls.delete(id);
    call?.end(outcome);
    call?.over.abort();
  };
  const gone = (reason: string): void => {
    for (const id of calls.keys()) end(id, { type: "failed", message: reason });
    onExit();
  };
  const fetchFor = (id: number, { fetch, over: { signal } }: RunningCall, request: string): void => {
    const answered = (answer: GuestAnswer): void => send(child, { type: "fetched", id, answer });
    fetch(request, signal).then(answered, (error: unknown) => {
      if (signal.aborted) return; // nobody waits any more
      log?.error({ err: error }, "sandbox.fetch_failed");
      answered({ type: "refused", sentence: "The request failed; the log says why." });
    });
  };
  child.on("message", (raw) => {
    const { id, news } = fromChildSchema.parse(raw);
    const call = calls.get(id);
    if (news.type === "changed") call?.changed(news.files);
    else if (news.type === "printed") call?.printed(news.text);
    else if (news.type === "grown") call?.grown(news);
    else if (news.type !== "fetch") end(id, news);
    else if (call !== undefined) fetchFor(id, call, news.request);
  });
  child.stderr?.on("data", (data) => log?.warn({ stderr: String(data).slice(0, 2_000) }, "sandbox.stderr"));
  child.once("exit", (code, signal) => gone(`the sandbox process ended (${signal ?? code})`));
  child.once("error", (error) => gone(error.message));
  return {
    pid: child.pid,
    run: (call, events) => {
      if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(ended(child));
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      calls.set(call.id, { ...events, end: resolve, over: new AbortController() });
      send(child, call);
      return promise;
    },
    cancel: (id) => {
      calls.get(id)?.over.abort();
      send(child, { type: "cancel", id });
    },
    certain: (untilMs) => send(child, { type: "certain", untilMs }),
    stop: () => stop(child),
  };
}

/** If the channel is already closed, `exit` follows and ends the calls. */
function send(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message, () => {});
}

function ended({ exitCode, signalCode }: ChildProcess): Outcome {
  return { type: "failed", message: `the sandbox process ended (${signalCode ?? exitCode})` };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
