import type { z } from "zod";

/** `example` is a value that a person could copy into the file. */
export function field<S extends z.ZodType>(schema: S, description: string, example: unknown): S {
  return schema.meta({ description, examples: [example] });
}

/** A field whose value must never be shown: kept out of errors, logs and `doctor`. */
export function secret<S extends z.ZodType>(schema: S, description: string, example: unknown): S {
  return schema.meta({ description, examples: [example], secret: true });
}
