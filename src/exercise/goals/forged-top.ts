/**
 * @module
 * The goal of forging the top ID of one of several networks with a budget of attempts that suffices for one of them. A
 * key costs 2^c1 attempts, divided by the share of all IDs above the top one: neither the smallest difficulty nor the
 * fewest nodes decide. Only keys of metered forgeries count.
 */

import { z } from 'zod';

import { admit } from '../../identity/admit.ts';
import type { ClaimJson } from '../../identity/claim.ts';
import { parseClaim } from '../../identity/claim.ts';
import type { CheckName, Policy } from '../../identity/policy.ts';
import type { Seed } from '../../random.ts';
import { createRandom, deriveSeed, shuffled } from '../../random.ts';
import { attemptsSpent, isMetered } from '../record.ts';
import { isAnyAdmitted } from './claims.ts';
import { defineGoal } from './goal.ts';

const BITS_MAX = 48;
const NODES_MAX = 64;
const ID_BITS = 256n;
/** Digits in hex of the factor that makes the share above the top one differ from student to student. */
const FACTOR_BITS = 24n;

const bits = z.int().min(0).max(BITS_MAX);
const nodes = z.int().min(2).max(NODES_MAX);

const networkSchema = z.strictObject({
  c1: bits.describe('Static bits.'),
  topBits: bits.describe(
    'The share of IDs above the top one is between 2^-topBits and half of it.',
  ),
  nodes: z.tuple([nodes, nodes]).describe('Smallest and largest number of nodes.'),
});

interface Network {
  readonly name: string;
  readonly policy: Policy;
  /** The highest one first. */
  readonly nodeIds: readonly string[];
}

export const FORGED_TOP = defineGoal({
  name: 'forged-top',
  summary:
    'Forge the top ID of one of several networks by metered forgeries, within the budget of attempts.',
  submission: 'claim',
  needs: ['forgeries'],
  parameters: { networks: z.array(networkSchema).min(2).max(8) },
  criteria: {
    metered: { weight: 1, meaning: 'A metered forgery of yours has found the key.' },
    admitted: { weight: 1, meaning: 'The policy of one of the networks admits the claim.' },
    top: { weight: 2, meaning: 'The node ID is above all others of that network.' },
  },
  task({ networks }, { policy, seed }): readonly Network[] {
    const random = createRandom(seed('networks'));
    return shuffled(networks, random).map(({ c1, topBits, nodes: [low, high] }, index) => ({
      name: String.fromCharCode('a'.charCodeAt(0) + index),
      policy: { ...policy, c1 },
      nodeIds: nodeIdsOf(low + random.below(high - low + 1), topBits, seed(`networks/${index}`)),
    }));
  },
  given: (networks) => ({
    networks: networks.map(({ name, policy: { c1 }, nodeIds }) => ({
      name,
      c1,
      nodeIds: nodeIds.toSorted(byLastDigits),
    })),
  }),
  judge(networks, { claim }, { forgeries }) {
    const verdicts = networks.map(({ name, policy, nodeIds }) => ({
      name,
      verdict: admit(parseClaim(claim), policy),
      above: nodeIds.filter((nodeId) => nodeId > claim.nodeId).length,
    }));
    const admitting = verdicts.filter(({ verdict }) => verdict.admitted);
    const [best] = (admitting.length > 0 ? admitting : verdicts).toSorted(
      (one, other) => one.above - other.above,
    );
    if (best === undefined) throw new TypeError('"networks" expected an entry');
    const failed = best.verdict.checks.find((check) => !check.ok);
    const refused =
      failed === undefined ? null : `network ${best.name} refuses the claim: ${failed.detail}`;
    const lower =
      best.above === 0 ? null : `${best.above} node IDs of network ${best.name} are higher`;
    // A key of another origin, and the node ID of a claim that is not admitted, are mere statements.
    const unmetered = isMetered(claim, forgeries)
      ? null
      : `no metered forgery of yours has found this key; you have spent ${attemptsSpent(forgeries)} attempts, and a forgery is metered if its policy is that of your instance, with c1 of the network`;
    return {
      metered: unmetered,
      admitted: refused ?? unmetered,
      top: lower ?? refused ?? unmetered,
    };
  },
  // The signature is for the context of the instance, which all its networks have.
  isOf: ([network], submission) =>
    network !== undefined && isAnyAdmitted([submission.claim], { ...network.policy, c1: 0 }),
});

/** IDs without keys, of which the first one is the top one. */
function nodeIdsOf(count: number, topBits: number, seed: Seed): string[] {
  const factor = 1n << FACTOR_BITS;
  const share = factor / 2n + BigInt(createRandom(seed, 'top').below(Number(factor / 2n)));
  const top = (1n << ID_BITS) - ((share << (ID_BITS - BigInt(topBits))) >> FACTOR_BITS) - 1n;
  const others = Array.from({ length: count - 1 }, (_, index) => {
    return (BigInt(deriveSeed(seed, 'node', index)) * top) >> ID_BITS;
  });
  return [top, ...others].map((id) => id.toString(16).padStart(64, '0'));
}

/** An order that reveals no rank. */
function byLastDigits(one: string, other: string): number {
  return one.slice(-8) < other.slice(-8) ? -1 : 1;
}

/** The claim may be that of another student. */
const UNSIGNED = 'counts only in a claim that the key has signed for your challenge';

/**
 * The goal of a claim that the policy of the instance admits. The policy has the context of the student, so that the
 * solution and the signature are worth nothing to another one. Keys may be found anywhere.
 */
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
  isOf: (policy, { claim }) => isAnyAdmitted([claim], policy),
  isOfOne: true,
});

function failedChecks(claim: ClaimJson, policy: Policy) {
  return admit(parseClaim(claim), policy, { all: true }).checks.flatMap((check) =>
    check.ok ? [] : [check],
  );
}
