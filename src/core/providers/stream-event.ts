import { z } from "zod";
import { ProviderError } from "../protocol/errors.ts";

/** Text that a provider may leave out or send as null. */
export const saidText = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** An event as far as it is read. One of unknown form is the provider's failure, not a defect. */
export function readEvent<T>(schema: z.ZodType<T>, event: unknown): T {
  const { success, data, error } = schema.safeParse(event);
  if (!success) throw new ProviderError("provider_failed", "a stream event of unknown form", { cause: error });
  return data;
}

/** What a union reads as null: everything of a type that it has no member for. */
export function otherThan(...types: readonly string[]) {
  return z.object({ type: z.string().refine((type) => !types.includes(type)) }).transform(() => null);
}
