/**
 * @module
 * The built kernels, for tests; `npm run build` makes them.
 */
import { readFileSync } from 'node:fs';

export const KERNEL_BYTES = built('kernel.wasm');
export const TESTING_BYTES = built('kernel-testing.wasm');
export const SOLUTIONS_BYTES = built('solutions.wasm');

function built(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../../../build/${name}`, import.meta.url)));
}
