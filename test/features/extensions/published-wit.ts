import { readFileSync } from "node:fs";

/** The published interfaces of WASI 0.2.12, as jco has them: packages that a source may hold beside its own. */
export function publishedWit(): string {
  return ["io", "clocks", "random", "filesystem", "sockets", "cli", "http"].map(packageOf).join("\n");
}

function packageOf(name: string): string {
  const file = `../lib/wit/builtin/0.2.12/wasi-${name}/package.wit`;
  const source = readFileSync(new URL(file, import.meta.resolve("@bytecodealliance/jco")), "utf8");
  return `${source.replace(/^(package [^;]+);/m, "$1 {")}\n}`;
}
