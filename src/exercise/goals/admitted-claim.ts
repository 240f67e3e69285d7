/**
 * @module
 * The goal of a claim that the policy of the instance admits. The policy has the context of the student, so that the
 * solution and the signature are worth nothing to another one. Keys may be found anywhere.
 */

import { admit } from '../../identity/admit.ts';
import type { Claim, ClaimJson } from '../../identity/claim.ts';
import { parseClaim } from '../../identity/claim.ts';
import type { CheckName, Policy } from '../../identity/policy.ts';
import { defineGoal } from './goal.ts';

/** The claim may be that of another student. */
const UNSIGNED = 'counts only in a claim that the key has signed for your challenge';

export const ADMITTED_CLAIM = defineGoal({
  name: 'admitted-claim',
  summary: 'Submit a claim that the policy of the instance admits.',
  submission: 'claim',
  needs: [],
  parameters: {},
  criteria: {
    key: { weight: 1, meaning: 'The node ID belongs to a valid key and meets the static puzzle.' },
    solution: { weight: 1, meaning: 'The solution meets the dynamic puzzle of your challenge.' },
    signature: { weight: 1, meaning: 'The key has signed the claim for your challenge.' },
  },
  task: (_parameters, { policy }) => policy,
  given: () => ({}),
  judge(policy, { claim }) {
    const failed = failedChecks(claim, policy);
    const first = (names: readonly CheckName[]) =>
      failed.find(({ check }) => names.includes(check))?.detail ?? null;
    const signature = first(['signature']);
    const unsigned = signature === null ? null : UNSIGNED;
    return {
      key: first(['nodeId', 'static', 'encoding', 'smallOrder', 'torsion']) ?? unsigned,
      solution: first(['dynamic']) ?? unsigned,
      signature,
    };
  },
  isOf: isAdmitted,
  isOfOne: true,
});

/** Whether a claim is admitted. A claim for another context fails, so that it belongs to one instance. */
export function isAdmitted(policy: Policy, { claim }: { readonly claim: ClaimJson }): boolean {
  return admit(bytesOf(claim), policy).admitted;
}

function failedChecks(claim: ClaimJson, policy: Policy) {
  return admit(bytesOf(claim), policy, { all: true }).checks.flatMap((check) =>
    check.ok ? [] : [check],
  );
}

function bytesOf(claim: ClaimJson): Claim {
  return parseClaim(claim);
}
