/**
 * @module
 * The static puzzle of S/Kademlia, and its salted form. A node ID meets c1 bits if the hash of the ID begins
 * with c1 zero bits.
 */

import { concatBytes, leadingZeroBits } from '../../bytes.ts';
import { challengeOf, definePuzzle } from './puzzle.ts';
import { evaluatePuzzle, formatEvaluation } from './puzzle-function.ts';

export const S_KADEMLIA = 'Baumgart and Mies, S/Kademlia (2007), section 4.1';

export const staticPuzzle = definePuzzle({
  kind: 'static',
  name: 'static',
  formula: 'h(nodeId)',
  source: S_KADEMLIA,
  evaluations: 1,
  freeBits: 0,
  isAmortisable: false,
  bits: (nodeId, rules) => leadingZeroBits(evaluatePuzzle(rules, nodeId)),
  measures: (rules) => `${formatEvaluation(rules, 'nodeId')} begins with`,
});

export const saltedPuzzle = definePuzzle({
  ...staticPuzzle,
  name: 'salted',
  formula: 'h(challenge ‖ nodeId)',
  bits: (nodeId, rules) =>
    leadingZeroBits(evaluatePuzzle(rules, concatBytes(challengeOf(rules), nodeId))),
  measures: (rules) => `${formatEvaluation(rules, 'challenge ‖ nodeId')} begins with`,
});
