/**
 * @module
 * Refusals with more than a code and a detail: an exceeded limit, with the time after which a retry can
 * succeed, and a claim that a policy does not admit, with the failed check. Faults of the server itself.
 */

import { LabError } from '../../src/errors.ts';
import type { Check } from '../../src/identity/admit.ts';

type OverloadCode =
  | 'limit.queue'
  | 'limit.streams'
  | 'limit.rate'
  | 'limit.concurrent'
  | 'limit.cpu'
  | 'limit.connections'
  | 'limit.keys'
  | 'limit.submissions'
  | 'server.unready'
  | 'election.restoring'
  | 'storage.unavailable';

/** A limit of the server (503) or of the caller (429) is reached. A retry can succeed after `retryAfterS`. */
export class OverloadError extends LabError {
  readonly retryAfterS: number;

  constructor(code: OverloadCode, detail: string, retryAfterS: number) {
    super(code, detail);
    this.retryAfterS = retryAfterS;
  }
}

export class ClaimRefusal extends LabError {
  readonly check: Check & { readonly ok: false };

  constructor(check: Check & { readonly ok: false }) {
    super('claim.refused', `check ${check.check}: ${check.detail}`);
    this.check = check;
  }
}

/** A fault of the server. The caller receives only its id, the operator receives the error. */
export interface ServerFault {
  /** Id of the request, job or election in which it occurred. */
  readonly id: string;
  readonly error: unknown;
}

export type OnFault = (fault: ServerFault) => void;
