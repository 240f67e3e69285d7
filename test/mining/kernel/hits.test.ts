/**
 * @module
 * The kernel's sieve of hits: the zero bits of two words of the last hash.
 */

import { expect, test } from 'vitest';

import { TESTING_BYTES } from './wasm.ts';

interface Hits {
  readonly memory: WebAssembly.Memory;
  state(): number;
  zeros(): number;
  probes(): number;
  hitsFound(): number;
  passingLanes(): number;
  report(mask: number, attempt: number, step: number): void;
}

const { memory, state, zeros, probes, hitsFound, passingLanes, report } = new WebAssembly.Instance(
  new WebAssembly.Module(TESTING_BYTES),
).exports as unknown as Hits;
const view = new DataView(memory.buffer);

const LANE = 2;
const FIRST = 0x000fff00;
const SECOND = 0x0000ffff;

test.each([
  ['only bits that do not count', ~FIRST, ~SECOND, [true, true]],
  ['a bit of the first word', 0x00080000, 0, [false, true]],
  ['another bit of the first word', 0x00000100, 0, [false, true]],
  ['a bit of the second word', 0, 0x00008000, [true, false]],
  ['the lowest bit of the second word', ~FIRST, 1, [true, false]],
])('a hash with %s', (_name, first, second, [passes, isHit]) => {
  for (const [firstWord, secondWord] of [
    [0, 1],
    [7, 6],
  ] as const) {
    // The initial state is all zero here, so a hash is the state itself.
    new Uint8Array(memory.buffer, state(), 128).fill(0);
    write(zeros(), FIRST, SECOND);
    write(zeros() + 8, 0, 0xffffffff);
    write(probes(), 16 * firstWord, 16 * secondWord);
    write(hitsFound(), 0);
    write(state() + 16 * firstWord + 4 * LANE, first);
    write(state() + 16 * secondWord + 4 * LANE, second);

    const lanes = passingLanes();
    report(1 << LANE, 1000, 12);

    expect(lanes).toBe(passes ? 0b1111 : 0b1111 & ~(1 << LANE));
    expect(view.getUint32(hitsFound(), true)).toBe(isHit ? 1 : 0);
  }
});

function write(address: number, ...words: readonly number[]): void {
  for (const [index, word] of words.entries()) view.setUint32(address + 4 * index, word, true);
}
