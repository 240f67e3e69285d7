/**
 * @module
 * The little of WebAssembly's JavaScript interface that the kernel's host needs. TypeScript
 * has these types only in its DOM library, which would bring a browser's globals into every file.
 */
// biome-ignore lint/style/noNamespace: the name is the platform's.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  class CompileError extends Error {}
}
