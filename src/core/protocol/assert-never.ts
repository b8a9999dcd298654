import { DefectError } from "./errors.ts";

/** Ends an exhaustive switch. A forgotten case is a compile error, and a DefectError at run time. */
export function assertNever(value: never): never {
  throw new DefectError(`unexpected value ${JSON.stringify(value)}`);
}
