import { z } from "zod";

/** Describes a field. `example` is a value that can be copied into the file. */
export function field<S extends z.ZodType>(schema: S, description: string, example: unknown): S {
  return schema.meta({ description, examples: [example] });
}

/** A field whose value is never shown in errors, logs or `doctor`. */
export function secret<S extends z.ZodType>(schema: S, description: string, example: unknown): S {
  return schema.meta({ description, examples: [example], secret: true });
}

/** An address to listen on; an IPv6 address may be in brackets, as in URLs. */
export function listenHost(schema: z.ZodString): z.ZodString {
  return schema.overwrite((text) => text.replace(/^\[(.+)\]$/, "$1"));
}

export const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" });

/** A file or directory. In a file there is no shell to expand `~` to the home directory. */
export const pathSchema = z
  .string()
  .min(1, "must not be empty")
  .regex(/^(?!~(?:\/|$))/u, "must be written out in full: ~ is not expanded to the home directory");
