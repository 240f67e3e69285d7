/**
 * @module
 * The claims of a submission that the policy of an instance admits.
 */

import type { Check } from '../../../identity/admit.ts';
import { admit } from '../../../identity/admit.ts';
import type { Claim, ClaimJson } from '../../../identity/claim.ts';
import { parseClaim } from '../../../identity/claim.ts';
import type { Policy } from '../../../identity/policy.ts';

export interface AdmittedClaims {
  /** Each node ID once. */
  readonly admitted: readonly Claim[];
  /** The failed check of the first claim that is not admitted, with its number from 1; null if all are. */
  readonly failed: { readonly number: number; readonly check: Check } | null;
}

export function admittedClaims(claims: readonly ClaimJson[], policy: Policy): AdmittedClaims {
  const admitted = new Map<string, Claim>();
  let failed: AdmittedClaims['failed'] = null;
  for (const [index, json] of claims.entries()) {
    const claim = parseClaim(json);
    const check = admit(claim, policy).checks.find(({ ok }) => !ok);
    if (check === undefined) admitted.set(json.nodeId, claim);
    else failed ??= { number: index + 1, check };
  }
  return { admitted: [...admitted.values()], failed };
}

/** What is missing in a submission that needs a number of different admitted claims; null if nothing is. */
export function missingClaims({ admitted, failed }: AdmittedClaims, needed: number): string | null {
  if (failed !== null) {
    const { check } = failed;
    const detail = check.ok ? '' : `: ${check.detail}`;
    return `claim ${failed.number} fails the check ${check.check}${detail}`;
  }
  if (admitted.length >= needed) return null;
  return `${admitted.length} of ${needed} claims with different node IDs are there`;
}

/** Whether one of the claims is admitted. A claim for another context fails, so that it belongs to one instance. */
export function isAnyAdmitted(claims: readonly ClaimJson[], policy: Policy): boolean {
  return claims.some((claim) => admit(parseClaim(claim), policy).admitted);
}
