/**
 * @module
 * This folder contains the policies that have a name, one in each file. This file defines what such a policy states: a weak
 * one also what its attack gains and costs. Difficulties are small enough for a laptop, except where they are those of a
 * network.
 */

import type { CheckName, Policy } from '../policy.ts';
import { STRICT_POLICY } from '../policy.ts';

/** Why a policy is weak. docs/museum.md carries out each attack. */
export interface Weakness {
  /** How an adversary profits from it, in one line. */
  readonly flaw: string;
  /** What the attack obtains. */
  readonly gain: string;
  /** The expected cost of it, as a formula of c1, c2 and the bits of an ID. */
  readonly cost: string;
  /**
   * The expected number of keys that the attack tests under the policy, or under the policy with other difficulties. 0 if it
   * searches no key.
   */
  readonly attempts: (policy: Policy) => number;
  /** The first check of the strict policy that refuses the claim. */
  readonly refusedBy: CheckName;
}

export interface NamedPolicy {
  readonly policy: Policy;
  /** What it requires, in one line. */
  readonly summary: string;
  /** Null for a sound policy. */
  readonly weakness: Weakness | null;
  readonly reference: string;
}

export function defineNamedPolicy<const P extends NamedPolicy>(policy: P): P {
  return policy;
}

/** The checks of the strict policy but for these. */
export function checksWithout(...names: readonly CheckName[]): Policy['checks'] {
  return { ...STRICT_POLICY.checks, ...Object.fromEntries(names.map((name) => [name, false])) };
}

/** Keys to test for one that meets the static puzzle. `freeBits` of the difficulty cost no work. */
export function keysForBits({ c1 }: Policy, freeBits = 0): number {
  return 2 ** Math.max(0, c1 - freeBits);
}

/**
 * Keys to test until two that meet the static puzzle have one ID of `bits` bits: the birthday bound √(π/2 · N) among
 * N = 2^(bits − c1) IDs, with 2^c1 tests for each key.
 */
export function keysForPair({ c1 }: Policy, bits: number): number {
  return Math.sqrt((Math.PI / 2) * 2 ** (bits + c1));
}
