import { isNamed } from "../../core/permissions/access.ts";
import type { Memory } from "./memory.ts";

/** Whether a person may change and delete a memory: its author, the person it is about, and admins may. */
export function mayChange(
  { author, scope }: Pick<Memory, "author" | "scope">,
  { id, roles = [] }: { readonly id: string; readonly roles?: readonly string[] },
  admins: readonly string[],
): boolean {
  return author.id === id || scope === `person:${id}` || isNamed({ id, roles }, admins);
}
