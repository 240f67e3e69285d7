/**
 * @module
 * Node IDs that are the output of the policy's slow puzzle function over the public key. The static puzzle is one hash
 * of such an ID. Where the ID is a fast hash, an adversary that needs one high ID drops all others before their slow
 * puzzle. Here it learns no ID without an evaluation. A verifier evaluates the function last, for claims that have met
 * the puzzle and are signed, so that a false claim costs its sender 2^c1 hashes.
 */

import type { StaticRules } from '../puzzles/puzzle.ts';
import { saltedPuzzle, staticPuzzle } from '../puzzles/puzzle.ts';
import { digestBytesOf, evaluatePuzzle, formatEvaluation } from '../puzzles/puzzle-function.ts';
import type { NodeIdFormat } from './id-rule.ts';
import { defineIdRule } from './id-rule.ts';

/** The same puzzle with a hash as its function. */
function hashed(rules: StaticRules): StaticRules {
  return { ...rules, puzzle: { function: 'hash' } };
}

function withHash<P extends typeof staticPuzzle | typeof saltedPuzzle>(puzzle: P): P {
  return {
    ...puzzle,
    bits: (nodeId, rules) => puzzle.bits(nodeId, hashed(rules)),
    measures: (rules) => puzzle.measures(hashed(rules)),
  };
}

const PLAIN = withHash(staticPuzzle);
const SALTED = withHash(saltedPuzzle);

function bytesOf({ hash, idBits }: NodeIdFormat): number {
  return Math.min(idBits / 8, digestBytesOf(hash));
}

export const slowRule = defineIdRule({
  name: 'slow',
  formula: (format) =>
    `the first ${8 * bytesOf(format)} bits of ${formatEvaluation(format, 'public key')}`,
  source: 'usurp: the puzzle of S/Kademlia, section 4.1, before the ID instead of after it',
  isConfigurable: true,
  isSlow: true,
  scheme: null,
  isKey: false,
  idBytes: bytesOf,
  constantBits: 0,
  hashes: 1,
  keyPrefix: () => new Uint8Array(),
  unsuited: () => null,
  nodeId: (publicKey, format) => evaluatePuzzle(format, publicKey).slice(0, bytesOf(format)),
  puzzle: ({ salted }) => (salted ? SALTED : PLAIN),
  ranks: 'node-id',
});
