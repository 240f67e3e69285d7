/**
 * @module
 * The memory of the WASM kernel for keys, as its host sees it: the exports, the parameters of a search, and the points of
 * its tables.
 */

import { DEFAULT_RULES } from '../../identity/ids/node-id.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { HeadWindow } from '../goal.ts';
import { WHOLE_WINDOW } from '../goal.ts';
import type { KernelMessage, KernelRules } from './format.ts';
import { kernelFormat } from './format.ts';
import { PAIRS_PER_BATCH, POINTS_PER_BATCH } from './numbering.ts';
import type { AffinePoint } from './twin.ts';
import { consecutivePoints, pointOf } from './twin.ts';

/** What the kernel tests. */
export interface KernelTest {
  /** How node IDs are made and tested. By default those of the strict policy. */
  readonly rules?: KernelRules | undefined;
  /** Difficulty that a node ID must meet, 0..256 bits. */
  readonly c1: number;
  /** Bounds on the first 32 bits of the node ID. A shorter ID is continued with zeros. */
  readonly window?: HeadWindow | undefined;
}

/** The exports of assembly/index.ts. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  pairs(): number;
  parameters(): number;
  pointsIn(): number;
  hits(): number;
  ids(): number;
  prepare(scheme: number): void;
  format(): void;
  seek(): void;
  advance(batches: number): number;
  testIds(count: number, stride: number): void;
}

/** Bytes of a listed node ID. A shorter one is followed by others. */
export const LISTED_ID_BYTES = 32;
/** Node IDs that one call tests. The list of hits has room for all. */
export const TESTED_IDS_MAX = 32768;

/** Offsets from `parameters()`. assembly/layout.ts has the same. */
const ZEROS = 64;
const WINDOW = 72;
const SIBLINGS = 80;
const HITS_FOUND = 84;
const STATUS = 88;
const LISTS_IDS = 92;
const KEY_FORMAT = 96;
const ID_FORMAT = 108;
const PROBES = 120;
const IS_LATE = 128;
const IS_CUT = 132;
const KEY_BLOCK = 144;
const ID_BLOCK = 272;
const ID_MASK = 400;
/** Bytes of a word in all lanes. */
const LANES = 16;

/** Throws if the bytes are not this kernel. */
export function instantiate(bytes: Uint8Array): Exports {
  const module = new WebAssembly.Module(new Uint8Array(bytes));
  // The exports of assembly/index.ts. The next line checks that it is this kernel.
  const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  if (exports.pairs?.() !== PAIRS_PER_BATCH || exports.testIds === undefined) {
    throw new TypeError(`mining kernel: expected one for ${PAIRS_PER_BATCH} pairs a batch`);
  }
  return exports;
}

/** G, 2G, …, 1024G and the step 2049G. */
export function writePoints(exports: Exports, scheme: SchemeName): void {
  const table = consecutivePoints({ scheme }, 1n, PAIRS_PER_BATCH);
  const step = pointOf({ scheme }, BigInt(POINTS_PER_BATCH));
  [...table, step].forEach((point, index) => {
    if (point !== null) writePoint(exports, exports.pointsIn() + 64 * index, point);
  });
}

export function writePoint(exports: Exports, address: number, point: AffinePoint): void {
  const view = new DataView(exports.memory.buffer, address, 64);
  for (let i = 0; i < 4; i++) {
    view.setBigUint64(8 * i, BigInt.asUintN(64, point.x >> BigInt(64 * i)), true);
    view.setBigUint64(32 + 8 * i, BigInt.asUintN(64, point.y >> BigInt(64 * i)), true);
  }
}

/** Writes what a search tests, and reads it into the kernel's vectors. */
export function writeParameters(
  exports: Exports,
  options: KernelTest & { readonly scheme: SchemeName; readonly siblings: boolean },
): void {
  const { c1, rules = DEFAULT_RULES, window = WHOLE_WINDOW } = options;
  const view = parametersOf(exports);
  const write = (address: number, ...words: readonly number[]) => {
    for (const [index, word] of words.entries()) view.setUint32(address + 4 * index, word, true);
  };
  const { key, id, idMask, isIdLate, probe } = kernelFormat(rules, options.scheme);
  const probes = probe(c1);
  write(ZEROS, ...probes.map(({ zeros }) => zeros));
  write(WINDOW, window.low, window.high);
  write(SIBLINGS, options.siblings ? 1 : 0);
  write(KEY_FORMAT, ...formatOf(key));
  write(ID_FORMAT, ...formatOf(id));
  write(PROBES, ...probes.map(({ word }) => LANES * word));
  write(IS_LATE, isIdLate ? 1 : 0);
  write(IS_CUT, idMask.every((mask) => mask === 0xffffffff) ? 0 : 1);
  write(KEY_BLOCK, ...key.words);
  write(ID_BLOCK, ...id.words);
  write(ID_MASK, ...idMask);
  exports.format();
}

/** Says whether the next searches list the node IDs of their hits. */
export function writeListing(exports: Exports, listsIds: boolean): void {
  parametersOf(exports).setUint32(LISTS_IDS, listsIds ? 1 : 0, true);
}

/** Why the last search stopped. */
export function statusOf(exports: Exports): number {
  return parametersOf(exports).getUint32(STATUS, true);
}

/** The hits of the last call, as a view of the memory. */
export function hitsIn(exports: Exports): Uint32Array {
  const found = parametersOf(exports).getUint32(HITS_FOUND, true);
  return new Uint32Array(exports.memory.buffer, exports.hits(), found);
}

/** The node IDs in the memory: those of the hits, or those to test. */
export function idsIn(exports: Exports): Uint8Array {
  return new Uint8Array(exports.memory.buffer, exports.ids(), LISTED_ID_BYTES * TESTED_IDS_MAX);
}

function parametersOf(exports: Exports): DataView {
  return new DataView(exports.memory.buffer, exports.parameters());
}

function formatOf({ kind, word, blocks }: KernelMessage): readonly number[] {
  return [kind, LANES * word, blocks > 1 ? 1 : 0];
}
