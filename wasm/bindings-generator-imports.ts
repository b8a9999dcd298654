/**
 * The WASI imports of jco's bindings generator, itself a WebAssembly component, bundled into build/bindings-generator
 * in place of the shim package. The generator turns bytes into bytes, so it gets no files, no environment and no
 * output.
 */
import { randomBytes } from "node:crypto";
import { InputStream, IoError, OutputStream } from "../src/tools/wasm/wasi/streams.ts";

class Absent {
  readonly isAbsent = true;
}

const nowhere = (): OutputStream => new OutputStream(() => true);

export const environment = { getEnvironment: () => [], getArguments: () => [], initialCwd: () => undefined };
export const exit = {
  exit: () => {
    throw new Error("the bindings generator gave up");
  },
};
export const stdin = { InputStream, getStdin: () => new InputStream(() => null) };
export const stdout = { OutputStream, getStdout: nowhere };
export const stderr = { OutputStream, getStderr: nowhere };
export const terminalInput = { TerminalInput: Absent };
export const terminalOutput = { TerminalOutput: Absent };
export const terminalStdin = { TerminalInput: Absent, getTerminalStdin: () => undefined };
export const terminalStdout = { TerminalOutput: Absent, getTerminalStdout: () => undefined };
export const terminalStderr = { TerminalOutput: Absent, getTerminalStderr: () => undefined };
export const preopens = { Descriptor: Absent, getDirectories: () => [] };
export const types = { Descriptor: Absent, DirectoryEntryStream: Absent, filesystemErrorCode: () => undefined };
export const error = { Error: IoError };
export const streams = { InputStream, OutputStream };
export const random = { getRandomBytes: (count: bigint) => Uint8Array.from(randomBytes(Number(count))) };
