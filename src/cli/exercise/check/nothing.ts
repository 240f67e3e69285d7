/**
 * @module
 * The answers of a student who does nothing: an empty one of each kind, or the instance as it was at first.
 */

import type { FileKind, Submission, SubmissionKind } from '../../../exercise/submission.ts';
import type { ClaimJson } from '../../../identity/claim.ts';
import type { Solve } from './http-scripts.ts';

type HttpKind = Exclude<SubmissionKind, FileKind>;

const NO_ID = '0'.repeat(64);

const NO_CLAIM: ClaimJson = {
  ...{ publicKey: NO_ID, nodeId: NO_ID, solution: null, signature: '0'.repeat(128) },
  scheme: 'ed25519',
};

const EMPTY: { readonly [Kind in HttpKind]: Extract<Submission, { type: Kind }> } = {
  number: { type: 'number', number: 0 },
  checks: { type: 'checks', checks: [{ claim: '00000000', check: 'none', measuredBits: null }] },
  claim: { type: 'claim', claim: NO_CLAIM },
  ring: { type: 'ring', ring: [NO_ID] },
  claims: { type: 'claims', claims: [NO_CLAIM] },
  settings: { type: 'settings', settings: {} },
  scenario: {
    type: 'scenario',
    ...{ crashes: [], pauses: [], defences: [], changes: [], resource: 'unfenced' },
  },
  counterexamples: { type: 'counterexamples', byHand: [], byCheck: [] },
  elections: { type: 'elections' },
};

/** Creates the instance, and submits an empty answer. */
export function solveNothing(name: string, kind: HttpKind): Solve {
  return async (client) => {
    await client.instance(name);
    return client.submit(name, EMPTY[kind]);
  };
}

/** A file that defines nothing. */
export const EMPTY_FILE = 'export {};\n';
