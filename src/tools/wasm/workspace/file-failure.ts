import { SandboxError } from "../../../core/protocol/errors.ts";
import { QuotaExceeded } from "../../quotas/quota-meter.ts";
import { Refusal, refusedBySystem } from "./refusal.ts";

/** Why a program's file operation failed; `payload` is the guest's error value (wasm/wit/sandbox.wit). */
export class FileFailure extends SandboxError {
  readonly payload: { readonly code: string; readonly sentence: string };

  constructor(code: string, sentence = "") {
    super("sandbox_failed", sentence === "" ? code : sentence);
    this.payload = { code, sentence };
  }
}

/**
 * Wraps a function so that refusals by the system or the sandbox become failures for the guest. Defects are rethrown.
 */
export function guarded<A extends unknown[], R>(work: (...args: A) => R): (...args: A) => R {
  return (...args) => {
    try {
      return work(...args);
    } catch (error) {
      if (error instanceof FileFailure) throw error;
      if (error instanceof QuotaExceeded) throw new FileFailure("EDQUOT", error.payload);
      if (error instanceof Refusal) throw new FileFailure("EPERM", error.payload);
      const code = refusedBySystem(error);
      if (code === null) throw error;
      throw new FileFailure(code);
    }
  };
}
