/**
 * @module
 * What a network demands of a claim: how much work, in which form and for which epoch and network,
 * and which checks are made. The default is strict in every check. A check that is switched off
 * makes a weak network on purpose, one that can be attacked; it is never switched off by a claim.
 */

import { z } from 'zod';
import type { SignatureRules } from './contract.ts';
import { parseBySchema } from './faults.ts';
import type { DynamicForm } from './puzzle.ts';
import { DYNAMIC_FORMS, PUZZLE_BITS_MAX } from './puzzle.ts';

/** Every check, in the order in which they are made: the cheap ones first. */
export const CHECK_NAMES = [
  'nodeId',
  'static',
  'dynamic',
  'encoding',
  'smallOrder',
  'torsion',
  'signature',
] as const;

export type CheckName = (typeof CHECK_NAMES)[number];

export interface Policy {
  /** Difficulty of the static puzzle in bits, an integer in 0..256. */
  readonly c1: number;
  /** Difficulty of the dynamic puzzle in bits, an integer in 0..256. */
  readonly c2: number;
  readonly dynamic: DynamicForm;
  /** An integer in 0..2^53−1. */
  readonly epoch: number;
  readonly context: string;
  readonly checks: Readonly<Record<CheckName, boolean>>;
  /** secp256k1: refuse signatures with s > n/2. */
  readonly lowS: boolean;
}

/** Every check on and no work asked for: the default, member by member. */
export const STRICT_POLICY: Policy = {
  c1: 0,
  c2: 0,
  dynamic: 'concat',
  epoch: 0,
  context: 'usurp',
  checks: {
    nodeId: true,
    static: true,
    dynamic: true,
    encoding: true,
    smallOrder: true,
    torsion: true,
    signature: true,
  },
  lowS: true,
};

const CONTEXT_CHARACTERS_MAX = 256;

const bits = z
  .int('must be an integer number of bits')
  .min(0, 'must be at least 0 bits')
  .max(PUZZLE_BITS_MAX, `must be at most ${PUZZLE_BITS_MAX} bits`);

const { checks: strictChecks } = STRICT_POLICY;

const checksSchema = z.strictObject({
  nodeId: checkSchema('The node ID is SHA-256 of the public key.'),
  static: checkSchema('SHA-256(nodeId) begins with c1 zero bits.'),
  dynamic: checkSchema('The solution meets c2 zero bits.'),
  encoding: checkSchema('The key is spelt in the one canonical way.'),
  smallOrder: checkSchema('The key is not a point for which anybody can sign (Ed25519).'),
  torsion: checkSchema('The key lies in the subgroup of prime order (Ed25519).'),
  signature: checkSchema('The claimant holds the secret of the key.'),
});

/**
 * The JSON form of a policy. Every member may be left out and is then that of `STRICT_POLICY`.
 * Contexts are printable ASCII, so that no two spellings look alike and every language gets the
 * same bytes.
 */
export const policySchema = z
  .strictObject({
    c1: bits
      .default(STRICT_POLICY.c1)
      .meta({ description: 'Difficulty of the static puzzle in bits.', example: 16 }),
    c2: bits
      .default(STRICT_POLICY.c2)
      .meta({ description: 'Difficulty of the dynamic puzzle in bits.', example: 8 }),
    dynamic: z
      .enum(DYNAMIC_FORMS, `must be one of ${DYNAMIC_FORMS.join(', ')}`)
      .default(STRICT_POLICY.dynamic)
      .meta({ description: 'Form of the dynamic puzzle.', example: 'concat' }),
    epoch: z
      .int('must be an integer in 0..2^53-1')
      .min(0, 'must be an integer in 0..2^53-1')
      .default(STRICT_POLICY.epoch)
      .meta({ description: 'Epoch of the challenge, 0..2^53-1.', example: 0 }),
    context: z
      .string('must be printable ASCII')
      .regex(/^[ -~]*$/, 'must be printable ASCII')
      .max(CONTEXT_CHARACTERS_MAX, `must be at most ${CONTEXT_CHARACTERS_MAX} characters`)
      .default(STRICT_POLICY.context)
      .meta({ description: 'Names the network in its challenge.', example: 'usurp' }),
    checks: checksSchema.default(strictChecks).meta({
      description: 'Checks that are made; one that is false makes a weak network on purpose.',
      example: strictChecks,
    }),
    lowS: z
      .boolean('must be true or false')
      .default(STRICT_POLICY.lowS)
      .meta({ description: 'secp256k1: refuse signatures with s > n/2.', example: true }),
  })
  .meta({
    description: 'What a network demands of a claim; members left out are strict, without work.',
    example: { c1: 16, c2: 8, dynamic: 'concat' },
  });

/** Reads a policy; throws LabError `schema` whose faults point into the policy. */
export function parsePolicy(json: unknown): Policy {
  return parseBySchema(policySchema, json, 'policy');
}

/**
 * How signatures are verified under a policy. A network that does not check encoding or small order
 * verifies leniently as well, or the strict verifier would make up for the check it left out.
 */
export function signatureRulesOf(policy: Policy): SignatureRules {
  return { strict: policy.checks.encoding && policy.checks.smallOrder, lowS: policy.lowS };
}

function checkSchema(description: string): z.ZodDefault<z.ZodBoolean> {
  return z.boolean('must be true or false').default(true).meta({ description, example: true });
}
