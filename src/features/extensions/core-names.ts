/**
 * Characters allowed in names. A component's bindings are JavaScript that contains the names of its core modules'
 * imports and exports in quotes, unescaped. A name with a quote in it would become code outside the sandbox.
 */
const SAFE = /^[ !#-&(-[\]-_a-~]*$/; // printable ASCII except " ' \ and `

/** Sequences that would end a comment or start an expression in the bindings. */
const UNSAFE = /\*\/|\$\{/;

/** The first import or export name that must not appear in bindings; null if all are safe. */
export function unsafeName(modules: readonly WebAssembly.Module[]): string | null {
  const names = modules.flatMap((module) => [
    ...WebAssembly.Module.imports(module).flatMap(({ module: from, name }) => [from, name]),
    ...WebAssembly.Module.exports(module).map(({ name }) => name),
  ]);
  return names.find((name) => !SAFE.test(name) || UNSAFE.test(name)) ?? null;
}
