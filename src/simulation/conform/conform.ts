/**
 * @module
 * The whole conformance suite of one protocol.
 */

import { checkCandidates } from './candidates.ts';
import { checkContract } from './contract.ts';
import { checkDrawnFaults } from './drawn-faults.ts';
import { checkElections } from './elections.ts';
import { checkFaultRow } from './fault-row.ts';
import type { Finding, Subject } from './finding.ts';

/** Every check, in order. Elections are left out if the machine breaks the contract. */
export function conform(subject: Subject): readonly Finding[] {
  const [contract = [], ...others] = PARTS;
  const found = contract.flatMap((check) => check(subject));
  return found.every(({ holds }) => holds)
    ? [...found, ...others.flat().flatMap((check) => check(subject))]
    : found;
}

/** The checks that do not hold, of the first part in which there is one: later parts would report its consequences. */
export function firstFailures(subject: Subject): readonly Finding[] {
  for (const part of PARTS) {
    const failed = part.flatMap((check) => check(subject)).filter(({ holds }) => !holds);
    if (failed.length > 0) return failed;
  }
  return [];
}

type Check = (subject: Subject) => readonly Finding[];

const PARTS: readonly (readonly Check[])[] = [
  [checkContract],
  [(subject) => [checkCandidates(subject)], checkElections],
  [checkFaultRow, checkDrawnFaults],
];
