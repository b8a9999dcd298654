import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Repository } from "./repository.ts";

const NO_OBJECT = /unable to read|cannot read blob|bad object/i;
const NO_REVISION = /bad (revision|object)/;

/** Explains that a shallow or partial clone lacks what git looked for, and who can fetch it; empty for a full clone. */
export function missingHistory(stderr: string, { commonDir, objects }: Repository): string {
  if (NO_OBJECT.test(stderr) && isPartial(objects))
    return "This is a partial clone, whose contents are fetched only when needed, and this tool cannot fetch. A person can fetch them by running the same command in the checkout.";
  if (NO_REVISION.test(stderr) && existsSync(path.join(commonDir, "shallow")))
    return "This is a shallow clone, which lacks older commits. A person can fetch them: `git fetch --unshallow`.";
  return "";
}

function isPartial(objects: string): boolean {
  const packs = path.join(objects, "pack");
  return existsSync(packs) && readdirSync(packs).some((name) => name.endsWith(".promisor"));
}
