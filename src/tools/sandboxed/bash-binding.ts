import { z } from "zod";
import type { BashBinding } from "../../../wasm/guests/bash/request.ts";
import type { CallPreview } from "../../core/tool.ts";

/** Number of characters of a hash that a card shows. */
const SHOWN_HASH = 12;

export const bindingSchema: z.ZodType<BashBinding> = z.object({
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  files: z.record(z.string(), z.string().nullable()),
  digest: z.string(),
  isOpen: z.boolean(),
});

/**
 * Describes the binding on the card; empty for a command that runs at the root, without variables, and executes nothing
 * but itself.
 */
export function boundText({
  cwd,
  env,
  files,
  digest,
  isOpen,
}: BashBinding): Omit<CallPreview, "question" | "language" | "text" | "reach"> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const facts = [
    ...(cwd === "" ? [] : [`in /workspace/${cwd}`]),
    ...(variables.length === 0 ? [] : [`with ${variables.join(", ")}`]),
    ...executedFacts(files, isOpen),
  ];
  return { facts, previewDigest: digest, ...(isOpen && { isRepeatable: false as const }) };
}

export function executedFacts(files: BashBinding["files"], isOpen: boolean): string[] {
  const executed = Object.entries(files).map(
    ([path, hash]) => `${path} (${hash === null ? "missing" : `sha256 ${hash.slice(0, SHOWN_HASH)}`})`,
  );
  return [
    ...(executed.length === 0 ? [] : [`executes ${executed.join(", ")}`]),
    ...(isOpen
      ? ["what else it executes is known only when it runs: it can be allowed once, and is not remembered"]
      : []),
  ];
}
