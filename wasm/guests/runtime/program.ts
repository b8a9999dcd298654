import { runDueTimer } from "./timers.ts";

type Progress = { readonly tag: "done"; readonly val: string } | { readonly tag: "idle"; readonly val: number };

/** What a guest of the world `programs` exports (wasm/wit/sandbox.wit). */
export interface Program {
  start(input: string): Promise<void>;
  step(): Promise<Progress>;
}

/**
 * Makes a guest of an asynchronous function. `stuck` answers in its place when it waits for something
 * that nothing will bring about.
 */
export function programOf(run: (input: string) => Promise<string>, stuck: () => string): Program {
  let end: { readonly output: string } | { readonly error: unknown } | null = null;
  return {
    async start(input) {
      run(input).then(
        (output) => {
          end = { output };
        },
        (error: unknown) => {
          end = { error };
        },
      );
    },
    async step() {
      if (end !== null) {
        if ("error" in end) throw String(end.error);
        return { tag: "done", val: end.output };
      }
      const waitMs = runDueTimer();
      return waitMs === null ? { tag: "done", val: stuck() } : { tag: "idle", val: waitMs };
    },
  };
}
