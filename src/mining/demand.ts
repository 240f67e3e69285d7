/**
 * @module
 * What a policy really makes a miner pay: a puzzle whose check is switched off costs nothing,
 * whatever difficulty is written beside it.
 */

import type { Policy } from '../identity/policy.ts';

/** The bits that a claim must show, per puzzle. */
export function demandedBits(policy: Policy): { readonly c1: number; readonly c2: number } {
  return {
    c1: policy.checks.static ? policy.c1 : 0,
    c2: policy.checks.dynamic ? policy.c2 : 0,
  };
}
