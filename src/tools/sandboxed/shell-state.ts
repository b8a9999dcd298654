import { z } from "zod";

/** State that one bash call leaves for the session's next one. */
export interface Shell {
  /** Relative to the sandbox root. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Maximum characters of all names and values, because the state is stored with each result. */
const MAX_ENV = 16_000;

const shellSchema = z.object({ cwd: z.string(), env: z.record(z.string(), z.string()) });

export function readShellState(state: string | null): Shell {
  return state === null ? { cwd: "", env: {} } : shellSchema.parse(JSON.parse(state));
}

/** Serialises the state, and lists the variables that did not fit: the largest are dropped first. */
export function writeShellState({ cwd, env }: Shell): { toolState: string; dropped: string[] } {
  const entries = Object.entries(env).sort(([, a], [, b]) => a.length - b.length);
  const fitting: [string, string][] = [];
  let size = 0;
  for (const [name, value] of entries) {
    size += name.length + value.length;
    if (size <= MAX_ENV) fitting.push([name, value]);
  }
  const dropped = entries.slice(fitting.length).map(([name]) => name);
  return { toolState: JSON.stringify({ cwd, env: Object.fromEntries(fitting) } satisfies Shell), dropped };
}
