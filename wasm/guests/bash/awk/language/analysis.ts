import {
  type Element,
  type Expression,
  type Function,
  type Name,
  type Program,
  partsOf,
  type Statement,
} from "./syntax.ts";

/** What the translation of a program has to know about all of it. */
export interface Analysis {
  /** Keys of the names that stand for arrays. */
  readonly arrays: ReadonlySet<string>;
  /** Names of the functions that wait, such as for a command or a file. */
  readonly waiting: ReadonlySet<string>;
}

/** Arguments that are arrays, by function. */
const ARRAY_ARGUMENTS: ReadonlyMap<string, readonly number[]> = new Map([
  ["split", [1, 3]],
  ["patsplit", [1, 3]],
  ["match", [2]],
  ["asort", [0, 1]],
  ["asorti", [0, 1]],
]);

const WAITING = new Set(["system", "close"]);

export const GIVEN_ARRAYS: ReadonlySet<string> = new Set(["ARGV", "ENVIRON", "PROCINFO"]);

/** Identifies a name: a parameter is only its function's. */
export function keyOf(name: string, within: Function | null): string {
  return within?.params.includes(name) === true ? `${within.name} ${name}` : name;
}

interface Body {
  readonly within: Function | null;
  readonly part: object;
}

export function analyse(program: Program): Analysis {
  const bodies: Body[] = [
    ...program.rules.map((part) => ({ within: null, part })),
    ...[...program.functions.values()].map((within) => ({ within, part: within.body })),
  ];
  return { arrays: arraysOf(bodies, program), waiting: waitingOf(program) };
}

function arraysOf(bodies: readonly Body[], { functions }: Program): Set<string> {
  const found = new Set<string>(GIVEN_ARRAYS);
  const calls: { readonly key: string; readonly param: string }[] = [];
  for (const { within, part } of bodies) {
    const add = (one: Expression | undefined): void => {
      if (one?.type === "name") found.add(keyOf(one.name, within));
    };
    for (const one of partsOf(part)) {
      for (const array of usedAsArrays(one)) add(array);
      const called = one.type === "call" && typeof one.name === "string" ? functions.get(one.name) : undefined;
      if (one.type !== "call" || called === undefined) continue;
      for (const [at, arg] of one.args.entries())
        if (arg.type === "name")
          calls.push({ key: keyOf(arg.name, within), param: `${called.name} ${called.params[at] ?? ""}` });
    }
  }
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const { key, param } of calls) if (found.has(param)) found.add(key);
  }
  return found;
}

function usedAsArrays(part: Expression | Statement): readonly (Name | Element | Expression | undefined)[] {
  if (part.type === "element" || part.type === "in" || part.type === "forIn" || part.type === "delete")
    return [part.array];
  if (part.type !== "call" || typeof part.name !== "string") return [];
  return (ARRAY_ARGUMENTS.get(part.name) ?? []).map((at) => part.args[at]);
}

function waitingOf({ functions }: Program): Set<string> {
  const found = new Set<string>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const { name, body } of functions.values()) if (waits(body, found)) found.add(name);
  }
  return found;
}

/** Whether a part of a program waits; a call of a function whose name is computed may. */
export function waits(part: object, waiting: ReadonlySet<string>): boolean {
  for (const one of partsOf(part)) {
    if (one.type === "getline") return true;
    if (one.type !== "call") continue;
    if (typeof one.name !== "string") return true;
    if (WAITING.has(one.name) || waiting.has(one.name)) return true;
  }
  return false;
}
