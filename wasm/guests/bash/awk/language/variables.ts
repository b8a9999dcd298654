import type { Code } from "./code.ts";

/** Variables that awk itself reads or sets: what they hold, and the JavaScript that reads and sets them. */
interface Variable {
  readonly kind: "number" | "text" | "value";
  readonly read: string;
  readonly set: (code: string) => string;
}

const ON_RUN = (name: string, kind: Variable["kind"]): Variable => ({
  kind,
  read: `awk.${name}`,
  set: (code) => `awk.${name}=${code}`,
});
const ON_FIELDS = (name: string): Variable => ({
  kind: "text",
  read: `awk.fields.${name}`,
  set: (code) => `awk.fields.${name}=${code}`,
});

const VARIABLES: ReadonlyMap<string, Variable> = new Map([
  ...["NR", "FNR", "RSTART", "RLENGTH", "ARGIND", "ARGC"].map((name) => [name, ON_RUN(name, "number")] as const),
  ...["ORS", "SUBSEP", "CONVFMT", "OFMT", "FILENAME", "RS", "RT", "ERRNO"].map(
    (name) => [name, ON_RUN(name, "text")] as const,
  ),
  ["IGNORECASE", ON_RUN("IGNORECASE", "value")],
  ...["OFS", "FS", "FPAT", "FIELDWIDTHS"].map((name) => [name, ON_FIELDS(name)] as const),
  ["NF", { kind: "number", read: "awk.fields.count()", set: (code) => `awk.fields.setCount(${code})` }],
]);

export function readSpecial(name: string): Code | null {
  const found = VARIABLES.get(name);
  return found === undefined ? null : { kind: found.kind, code: found.read };
}

/** Sets a special variable from a value's number, text or the value itself. */
export function setSpecial(name: string, codes: Readonly<Record<Variable["kind"], string>>): Code | null {
  const found = VARIABLES.get(name);
  return found === undefined ? null : { kind: found.kind, code: `(${found.set(codes[found.kind])})` };
}
