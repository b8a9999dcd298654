import type { FeatureHost, WriteAudit } from "../../feature-host.ts";
import { auditWrites } from "./store.ts";

/** Maximum length of a field, in characters, since it may contain text written by others. */
const MAX_CHARS = 1_000;

/** Writes entries to the audit log. A failed write does not undo the action; it is logged. */
export function createAudit({
  store,
  runtime,
  log,
}: Pick<FeatureHost, "store" | "runtime"> & { readonly log: Pick<FeatureHost["log"], "error"> }): WriteAudit {
  return async ({ by, act, about, details = "" }) => {
    const entry = { by: short(by), act: short(act), about: short(about), details: short(details) };
    const row = { ...entry, id: runtime.ids.next("audit"), at: runtime.clock.now() };
    try {
      await store.transaction((tx) => tx.tables(auditWrites).add(row));
    } catch (error) {
      log.error({ err: error, ...entry }, "audit_not_written");
    }
  };
}

function short(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text;
}
