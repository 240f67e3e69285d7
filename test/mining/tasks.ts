/**
 * @module
 * Searches for the tests of mining and of its pool: a strict policy, the reference strategy and seed
 * 1, but for what a test says; and clocks that a test winds itself.
 */

import type { Policy } from '../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import type { Ledger } from '../../src/mining/ledger.ts';
import type { Clocks, MiningTask } from '../../src/mining/search.ts';
import type { SearchSpec } from '../../src/mining/strategy.ts';
import { parseSeed } from '../../src/random.ts';

/** No node ID is above this one. */
export const HIGHEST_ID = new Uint8Array(32).fill(0xff);

type TaskChanges = Partial<Omit<MiningTask, 'policy' | 'seed'>> & {
  readonly policy?: Partial<Policy>;
  readonly seed?: string;
};

export function policyWith(changes: Partial<Policy>): Policy {
  return { ...STRICT_POLICY, ...changes };
}

/** The strict policy with some checks off. */
export function policyWithout(...checks: readonly (keyof Policy['checks'])[]): Policy {
  const off = Object.fromEntries(checks.map((name) => [name, false]));
  return policyWith({ checks: { ...STRICT_POLICY.checks, ...off } });
}

export function taskWith({ policy = {}, seed = '1', ...changes }: TaskChanges = {}): MiningTask {
  return {
    scheme: 'ed25519',
    goal: { type: 'any' },
    strategy: 'fresh',
    dynamicStrategy: 'dynamic',
    budget: {},
    ...changes,
    policy: policyWith(policy),
    seed: parseSeed(seed),
  };
}

export function specOf({ budget: _, ...spec }: MiningTask): SearchSpec {
  return spec;
}

/** Clocks that advance by so much with every reading. */
export function clocksTicking(step: { readonly cpu: number; readonly wall: number }): Clocks {
  const now = { cpu: 0, wall: 0 };
  return {
    cpuSeconds() {
      now.cpu += step.cpu;
      return now.cpu;
    },
    wallSeconds() {
      now.wall += step.wall;
      return now.wall;
    },
  };
}

/** Clocks that stand still, for searches that no time bounds. */
export const STOPPED_CLOCKS = clocksTicking({ cpu: 0, wall: 0 });

/** The part of a ledger that is the same on every machine. */
export function attemptsLedger({ attempts, hashes, groupOperations }: Ledger) {
  return { attempts, hashes, groupOperations };
}
