/**
 * @module
 * The kernel's sieve of hits: bounds on the puzzle hash and on the node ID.
 */

import { expect, test } from 'vitest';

import { TESTING_BYTES } from './wasm.ts';

interface Hits {
  readonly memory: WebAssembly.Memory;
  state(): number;
  limit(): number;
  hitsFound(): number;
  report(mask: number, attempt: number, step: number): void;
}

const { memory, state, limit, hitsFound, report } = new WebAssembly.Instance(
  new WebAssembly.Module(TESTING_BYTES),
).exports as unknown as Hits;
const view = new DataView(memory.buffer);

test.each([
  ['below the high word', 6, 0xffffffff, true],
  ['at the high word, below the low word', 7, 99, true],
  ['at both words', 7, 100, true],
  ['at the high word, above the low word', 7, 101, false],
])('a puzzle hash %s: %i, %i', (_name, word0, word1, isHit) => {
  // The initial state is all zero here, so a hash is the state itself.
  view.setUint32(limit(), 7, true);
  view.setUint32(limit() + 4, 100, true);
  view.setUint32(hitsFound(), 0, true);
  view.setUint32(state() + 8, word0, true);
  view.setUint32(state() + 16 + 8, word1, true);

  report(0b0100, 1000, 12);

  expect(view.getUint32(hitsFound(), true)).toBe(isHit ? 1 : 0);
});
