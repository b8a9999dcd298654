/**
 * A component's bindings are JavaScript, and name what its core modules import and export in quotes, as they
 * are. Such names may hold any characters: one with a quote in it would be code, outside of the sandbox.
 */
const SAFE = /^[ !#-&(-[\]-_a-~]*$/; // printable ASCII but " ' \ and `

/** In what the bindings quote, these would end a comment or begin an expression. */
const UNSAFE = /\*\/|\$\{/;

/** A name of the modules that must not stand in bindings; null when all may. */
export function unsafeName(modules: readonly WebAssembly.Module[]): string | null {
  const names = modules.flatMap((module) => [
    ...WebAssembly.Module.imports(module).flatMap(({ module: from, name }) => [from, name]),
    ...WebAssembly.Module.exports(module).map(({ name }) => name),
  ]);
  return names.find((name) => !SAFE.test(name) || UNSAFE.test(name)) ?? null;
}
