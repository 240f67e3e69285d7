/**
 * @module
 * The rates of this machine under each policy, and by how many bits they are ahead of one honest core. The honest core runs a
 * naive search with noble, which makes each key anew.
 */

import { z } from 'zod';
import { idRuleOf } from '../../identity/ids/node-id.ts';
import { NAMED_POLICIES } from '../../identity/named-policies.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { deviceSchema } from '../../mining/device/facts.ts';
import { IMPLEMENTATIONS } from '../calibration.ts';

/** The memory-hard functions have the parameters of the published rates. */
const SCRYPT = { function: 'scrypt', logN: 14, r: 8, p: 1 } as const;
const ARGON2ID = { function: 'argon2id', passes: 3, kib: 2 ** 16, lanes: 1 } as const;
const { strict, salted, sha1, storj, yggdrasil, torsion, ...named } = NAMED_POLICIES;

/** The policies whose keys are searched. */
const KEY_POLICIES = {
  strict: strict.policy,
  salted: salted.policy,
  sha1: sha1.policy,
  storj: storj.policy,
  'truncated-id': named['truncated-id'].policy,
  yggdrasil: yggdrasil.policy,
  torsion: torsion.policy,
  scrypt: { ...STRICT_POLICY, puzzle: SCRYPT },
  argon2id: { ...STRICT_POLICY, puzzle: ARGON2ID },
} as const satisfies Readonly<Record<string, Policy>>;

/** What is rated: searches for keys under a policy, and for the X of a form of the dynamic puzzle. */
export const RATED = { ...KEY_POLICIES, concat: 'concat', xor: 'xor' } as const;
export type RatedName = keyof typeof RATED;
/** The keys of an object are strings to the compiler: hence the `as`. */
export const RATED_NAMES = Object.keys(RATED) as readonly RatedName[];

const rateMembers = {
  policy: z.enum(RATED_NAMES).describe('A policy of keys, or a form of the dynamic puzzle.'),
  implementation: z.enum(IMPLEMENTATIONS),
  cores: z.int().describe('Threads. 0 for a device.'),
  device: deviceSchema.optional(),
  perSecond: z
    .number()
    .nullable()
    .describe('Keys, or X, by the CPU clock of each thread. Of a device by its own time.'),
  why: z.string().nullable().describe('Why there is no rate. Null if there is one.'),
};

const measuredSchema = z.object(rateMembers).readonly();
export type MeasuredRate = z.output<typeof measuredSchema>;

export const machineRateSchema = z
  .object({
    ...rateMembers,
    hashesPerSecond: z
      .number()
      .nullable()
      .describe('Evaluations of hash functions. One of scrypt or Argon2id counts as one.'),
    bits: z
      .number()
      .nullable()
      .describe('log2 of the rate over that of one honest core. Null for a software device.'),
  })
  .readonly();

export type MachineRate = z.output<typeof machineRateSchema>;

/** The rates with the hashes and bits that follow from them. */
export function machineRates(measured: readonly MeasuredRate[]): readonly MachineRate[] {
  return measured.map((each) => {
    const { policy, perSecond } = each;
    const honest = honestRate(measured, policy);
    const isComparable = perSecond !== null && honest !== null && each.device?.isSoftware !== true;
    return {
      ...each,
      hashesPerSecond: perSecond === null ? null : perSecond * hashesOf(policy),
      bits: isComparable ? Math.log2(perSecond / honest) : null,
    };
  });
}

/** Candidates per second of one honest core. Null if they were not measured. */
export function honestRate(rates: readonly MeasuredRate[], policy: RatedName): number | null {
  const honest = rates.find((each) => each.policy === policy && each.implementation === 'noble');
  return honest?.perSecond ?? null;
}

/** The fastest search under a policy. Software devices do not count. Undefined if there is no search. */
export function fastestOf(
  rates: readonly MeasuredRate[],
  policy: RatedName,
): MeasuredRate | undefined {
  const own = rates.filter((each) => each.policy === policy && each.device?.isSoftware !== true);
  return own.toSorted((left, right) => (right.perSecond ?? 0) - (left.perSecond ?? 0))[0];
}

/** Evaluations of hash functions for a candidate. */
function hashesOf(name: RatedName): number {
  const policy = RATED[name];
  if (typeof policy === 'string') return 1;
  const { hashes, puzzle } = idRuleOf(policy);
  return hashes + puzzle(policy).evaluations;
}
