/** The parts of the WebAssembly global that are used, since Node's types only declare its namespace of types. */
declare const WebAssembly: {
  readonly Module: {
    imports(module: WebAssembly.Module): { readonly module: string; readonly name: string }[];
    exports(module: WebAssembly.Module): { readonly name: string }[];
  };
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => WebAssembly.Memory;
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
  instantiate(
    bytes: Uint8Array,
    imports: Readonly<Record<string, object>>,
  ): Promise<{ readonly instance: WebAssembly.Instance }>;
  instantiate(module: WebAssembly.Module, imports?: object): Promise<WebAssembly.Instance>;
};

declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
    /** Grows by a number of pages; returns the previous number. */
    grow(pages: number): number;
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
