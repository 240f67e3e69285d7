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
  const contract = checkContract(subject);
  return contract.every(({ holds }) => holds)
    ? [
        ...contract,
        checkCandidates(subject),
        ...checkElections(subject),
        ...checkFaultRow(subject),
        ...checkDrawnFaults(subject),
      ]
    : contract;
}
