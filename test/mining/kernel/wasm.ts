/**
 * @module
 * The built kernels, for tests; `npm run build` makes them.
 */
import { readFileSync } from 'node:fs';

export const KERNEL_BYTES = new Uint8Array(
  readFileSync(new URL('../../../build/kernel.wasm', import.meta.url)),
);
export const TESTING_BYTES = new Uint8Array(
  readFileSync(new URL('../../../build/kernel-testing.wasm', import.meta.url)),
);
