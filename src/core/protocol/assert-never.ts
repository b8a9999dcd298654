import { DefectError } from "./errors.ts";

/** Ends an exhaustive switch: the compiler rejects a forgotten case, and at run time it is a defect. */
export function assertNever(value: never): never {
  throw new DefectError(`unexpected value ${JSON.stringify(value)}`);
}
