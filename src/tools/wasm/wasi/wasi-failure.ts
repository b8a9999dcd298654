import { SandboxError } from "../../../core/protocol/errors.ts";

/** A WASI error value: an enum case or a variant. */
export type WasiError = string | { readonly tag: string; readonly val?: unknown };

/** A refused or failed WASI call. The component receives `payload` as its error value. */
export class WasiFailure extends SandboxError {
  readonly payload: WasiError;

  constructor(payload: WasiError) {
    super("sandbox_failed", typeof payload === "string" ? payload : payload.tag);
    this.payload = payload;
  }
}

/** Thrown by `wasi:cli/exit` to unwind the component's frames. */
export class ProgramExit extends SandboxError {
  /** 0 means success. */
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("sandbox_failed", `the program ended with code ${exitCode}`);
    this.exitCode = exitCode;
  }
}
