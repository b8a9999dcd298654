import { z } from "zod";

/** `example` is a value that a person could copy into the file. */
export function field<S extends z.ZodType>(schema: S, description: string, example: unknown): S {
  return schema.meta({ description, examples: [example] });
}

/** A field whose value must never be shown: kept out of errors, logs and `doctor`. */
export function secret<S extends z.ZodType>(schema: S, description: string, example: unknown): S {
  return schema.meta({ description, examples: [example], secret: true });
}

/** An address to listen on: an IPv6 one may be written as URLs have it. */
export function listenHost(schema: z.ZodString): z.ZodString {
  return schema.overwrite((text) => text.replace(/^\[(.+)\]$/, "$1"));
}

/** A file or directory. Who writes it into a file has no shell that would put the home directory in place of `~`. */
export const pathSchema = z
  .string()
  .min(1, "must not be empty")
  .regex(/^(?!~(?:\/|$))/u, "must be written out: here, ~ is not the home directory");
