/**
 * @module
 * The seeds and the ids of rows. Seeds depend on the repetition, and on request on the model of the cell.
 * Ids depend on model, seed and code. Neither depends on the index of a cell, the order or the engine, so
 * that a sweep can be divided, extended and shared without changing its rows.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '../../bytes.ts';
import type { TextHasher } from '../../mining/kernel/text-kernel.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed, labelText } from '../../random.ts';
import type { SweepSpec } from './sweep.ts';

type SeedSource = Pick<SweepSpec, 'seed' | 'seedRule'>;

/**
 * The seed of one repetition of a cell, as `usurp run --seed` takes it. Paired seeds depend on the repetition
 * alone, so that cells are compared under the same random numbers.
 */
export function rowSeed(source: SeedSource, cellDigest: string, repetition: number): Seed {
  switch (source.seedRule) {
    case 'paired':
      return deriveSeed(source.seed, 'repetition', repetition);
    case 'independent':
      return deriveSeed(source.seed, 'repetition', repetition, cellDigest);
    default:
      return source.seedRule satisfies never;
  }
}

/**
 * Makes the numbers of the hasher the seeds of repetitions: those of `rowSeed`, all at once. They remain until its
 * next numbers. `seedsOf` reads them.
 */
export function rowSeeds(
  texts: TextHasher,
  source: SeedSource,
  cellDigest: string,
  { from, count }: { readonly from: number; readonly count: number },
): void {
  const before = labelText(source.seed, 'repetition', '');
  texts.count(from, count);
  texts.hash(before, source.seedRule === 'paired' ? '' : `\0${cellDigest}`);
  texts.chain();
}

/** The seeds that are the numbers of a hasher. */
export function seedsOf(texts: TextHasher): readonly Seed[] {
  // Digests of 256 bits as decimal numbers are seeds.
  return texts.decimals() as Seed[];
}

/**
 * The text around the seed whose SHA-256 is the id of a row: its model, its seed, the version of the code, and its
 * protocols if the run has other rows.
 */
export function rowIdAround(
  cellDigest: string,
  codeVersion: string,
  protocols: readonly string[],
): readonly [string, string] {
  const before = ['usurp/row/v1', cellDigest, ''].join('\0');
  return [before, ['', codeVersion, ...protocols].join('\0')];
}

/** Hex of SHA-256 over texts without NUL. */
export function hexDigest(...texts: readonly string[]): string {
  return hexOfText(texts.join('\0'));
}

/** Joins all digits at once: a text that grows digit by digit keeps its parts, 1 kB in each cell. */
function hexOfText(text: string): string {
  const digits = Array.from(sha256(utf8ToBytes(text)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  return digits.join('');
}
