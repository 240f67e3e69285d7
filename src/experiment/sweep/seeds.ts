/**
 * @module
 * What a row of a sweep is drawn from and known by. Seeds depend on the repetition (and, if asked, on
 * the cell's model), ids on model, seed and code; neither on indices of cells, order or engine, so that
 * a sweep may be cut, grown and shared without a row becoming another.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '../../bytes.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { SweepSpec } from './sweep.ts';

type SeedSource = Pick<SweepSpec, 'seed' | 'seedRule'>;

/**
 * The seed of one repetition of a cell, as `usurp run --seed` takes it. Paired seeds are those of the
 * repetition alone: cells that differ in one setting then meet the same luck.
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

/** The identity of a row: hex of SHA-256 over its model, its seed and the code that computes it. */
export function rowId(cellDigest: string, seed: Seed, codeVersion: string): string {
  return hexOfText(rowIdText(cellDigest, seed, codeVersion));
}

/** What `rowId` hashes, for those who hash many with other means. */
export function rowIdText(cellDigest: string, seed: Seed, codeVersion: string): string {
  return ['usurp/row/v1', cellDigest, seed, codeVersion].join('\0');
}

/** Hex of SHA-256 over texts without NUL. */
export function hexDigest(...texts: readonly string[]): string {
  return hexOfText(texts.join('\0'));
}

/** Joined at once: a text that grew byte by byte keeps every step alive, a kilobyte in each cell. */
function hexOfText(text: string): string {
  const digits = Array.from(sha256(utf8ToBytes(text)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  return digits.join('');
}

/** JSON with the members of every map in the order of their names; undefined members are left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const entries = Object.entries(member);
    return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
