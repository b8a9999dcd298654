import { isNamed } from "../../core/permissions/access.ts";
import type { Memory } from "./memory.ts";

/** Whoever told a memory, whom it is about, and admins change it and delete it. */
export function mayChange(
  { author, scope }: Pick<Memory, "author" | "scope">,
  { id, roles = [] }: { readonly id: string; readonly roles?: readonly string[] },
  admins: readonly string[],
): boolean {
  return author.id === id || scope === `person:${id}` || isNamed({ id, roles }, admins);
}
