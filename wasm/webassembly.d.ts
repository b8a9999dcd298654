/** The values of the WebAssembly global that are used; Node's types name only its namespace of types. */
declare const WebAssembly: {
  readonly Module: {
    imports(module: WebAssembly.Module): { readonly module: string; readonly name: string }[];
    exports(module: WebAssembly.Module): { readonly name: string }[];
  };
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
  instantiate(
    bytes: Uint8Array,
    imports: Readonly<Record<string, object>>,
  ): Promise<{ readonly instance: { readonly exports: Readonly<Record<string, unknown>> } }>;
};
