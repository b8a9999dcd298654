import { WASI_INTERFACES } from "../../tools/wasm/wasi/wasi.ts";
import type { Manifest, World } from "./manifest.ts";

/** A component's imports and exports, as the bindings generator names them. */
export interface Interfaces {
  readonly imports: readonly string[];
  /** Names with versions. */
  readonly exports: readonly string[];
}

const FILES = "deckhand:extension/files";
const HTTP = "deckhand:extension/http";

interface WorldRules {
  readonly exports: RegExp;
  readonly imports: readonly string[];
  /** Name of the required export in error messages. */
  readonly named: string;
}

/** The extension world accepts WASI imports, too, since compilers of most languages add them. */
const RULES: Readonly<Record<World, WorldRules>> = {
  "deckhand:extension": {
    exports: /^deckhand:extension\/tool@0\.1\.\d+$/,
    imports: [FILES, HTTP, ...WASI_INTERFACES],
    named: "deckhand:extension/tool@0.1.0",
  },
  "wasi:cli/run": { exports: /^wasi:cli\/run@0\.2\.\d+$/, imports: WASI_INTERFACES, named: "wasi:cli/run@0.2" },
};

/** Why the component does not fit its manifest; null if it does. */
export function mismatch({ world, permission, hosts }: Manifest, { imports, exports }: Interfaces): string | null {
  const rules = RULES[world];
  if (!exports.some((name) => rules.exports.test(name))) {
    const offers = exports.filter((name) => name.includes("@"));
    return `the component does not implement the world ${world}: it does not export ${rules.named}${offers.length > 0 ? `, but ${offers.join(", ")}` : ""}`;
  }
  const missing = imports.filter((name) => !rules.imports.includes(name));
  if (missing.length > 0)
    return `the component imports interfaces that ${world} does not provide: ${missing.join(", ")}`;
  if (permission === "none" && imports.includes(FILES)) {
    return `the component imports ${FILES}, but with the permission "none" it gets no files`;
  }
  if (hosts.length === 0 && imports.includes(HTTP)) {
    return `the component imports ${HTTP}, but tool.json names no hosts for it`;
  }
  return null;
}

/** Checks WebAssembly's magic number, then version 13 and layer 1 (a component); 1 and 0 mean a core module. */
export function binaryProblem(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 8)).toString("hex");
  if (head === "0061736d0d000100") return null;
  if (head === "0061736d01000000") {
    return "the file is a core module, not a component; convert it with `wasm-tools component new` or `jco new`";
  }
  return "the file is not a WebAssembly component";
}
