import { SandboxError } from "../../../core/protocol/errors.ts";

/** An error value: of an enum, or of a variant. */
export type WasiError = string | { readonly tag: string; readonly val?: unknown };

/** A declined or failed call of WASI. `payload` is what the component gets as its error value. */
export class WasiFailure extends SandboxError {
  readonly payload: WasiError;

  constructor(payload: WasiError) {
    super("sandbox_failed", typeof payload === "string" ? payload : payload.tag);
    this.payload = payload;
  }
}

/** Thrown through the component's frames by `wasi:cli/exit`. */
export class ProgramExit extends SandboxError {
  /** 0 is success. */
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("sandbox_failed", `the program ended with code ${exitCode}`);
    this.exitCode = exitCode;
  }
}
