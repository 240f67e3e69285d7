/**
 * @module
 * What a network demands of a claim: how much work, in which form and for which epoch and network,
 * and which checks are made. The default is strict in every check. A check that is switched off
 * makes a weak network on purpose, one that can be attacked; it is never switched off by a claim.
 */

import { z } from 'zod';
import { parseBySchema } from './faults.ts';
import {
  DEFAULT_NODE_ID_RULES,
  ID_BITS_MAX,
  ID_BITS_MIN,
  ID_RULES,
  nodeIdBytesOf,
} from './ids/node-id.ts';
import type { SignatureRules } from './keys/contract.ts';
import type { SchemeName } from './keys/scheme-name.ts';
import type { DynamicForm, StaticRules } from './puzzles/puzzle.ts';
import { DYNAMIC_FORMS, PUZZLE_BITS_MAX } from './puzzles/puzzle.ts';
import {
  DEFAULT_PUZZLE_RULES,
  digestBytesOf,
  HASH_NAMES,
  puzzleBitsMaxOf,
  puzzleFunctionSchema,
} from './puzzles/puzzle-function.ts';

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

/** What decides IDs and puzzles, `idRule` to `puzzle`, is told with the rules that it extends. */
export interface Policy extends StaticRules {
  /** Difficulty of the static puzzle in bits, an integer in 0..256; nominal under the Storj rule. */
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
  ...DEFAULT_NODE_ID_RULES,
  ...DEFAULT_PUZZLE_RULES,
  salted: false,
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

const ID_BITS_ERROR = `must be a multiple of 8 in ${ID_BITS_MIN}..${ID_BITS_MAX}`;

const { checks: strictChecks } = STRICT_POLICY;

const checksSchema = z.strictObject({
  nodeId: checkSchema('The node ID is what the ID rule makes of the public key.'),
  static: checkSchema('The node ID meets c1 zero bits of the static puzzle.'),
  dynamic: checkSchema('The solution meets c2 zero bits of the dynamic puzzle.'),
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
    c1: bits.default(STRICT_POLICY.c1).meta({
      description:
        'Difficulty of the static puzzle in bits; under the storj rule 8 of them are free.',
      example: 16,
    }),
    c2: bits
      .default(STRICT_POLICY.c2)
      .meta({ description: 'Difficulty of the dynamic puzzle in bits.', example: 8 }),
    dynamic: z
      .enum(DYNAMIC_FORMS, `must be one of ${DYNAMIC_FORMS.join(', ')}`)
      .default(STRICT_POLICY.dynamic)
      .meta({
        description: 'Form of the dynamic puzzle; xor can be amortised, unhashed costs nothing.',
        example: 'concat',
      }),
    idRule: z
      .enum(ID_RULES, `must be one of ${ID_RULES.join(', ')}`)
      .default(STRICT_POLICY.idRule)
      .meta({
        description: 'How a node ID is made of a key: its hash, or as Storj or Yggdrasil do.',
        example: 'hash',
      }),
    hash: z
      .enum(HASH_NAMES, `must be one of ${HASH_NAMES.join(', ')}`)
      .default(STRICT_POLICY.hash)
      .meta({
        description: 'Hash of node IDs and puzzles; sha1, as S/Kademlia was published, is broken.',
        example: 'sha256',
      }),
    idBits: z
      .int(ID_BITS_ERROR)
      .min(ID_BITS_MIN, ID_BITS_ERROR)
      .max(ID_BITS_MAX, ID_BITS_ERROR)
      .multipleOf(8, ID_BITS_ERROR)
      .default(STRICT_POLICY.idBits)
      .meta({
        description: 'Bits that a node ID is cut to, at most those of the hash; 256 cuts nothing.',
        example: 256,
      }),
    salted: z.boolean('must be true or false').default(STRICT_POLICY.salted).meta({
      description: 'The static puzzle is bound to the challenge, so to its epoch.',
      example: false,
    }),
    puzzle: puzzleFunctionSchema.default({ ...STRICT_POLICY.puzzle }).meta({
      description: 'Whose zero bits both puzzles count: hash, iterated, scrypt or argon2id.',
      example: { function: 'hash' },
    }),
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
  .superRefine((policy, context) => {
    for (const { path, message } of policyUnsupportedReasons(policy)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .meta({
    description: 'What a network demands of a claim; members left out are strict, without work.',
    example: { c1: 16, c2: 8, dynamic: 'concat' },
  });

/** Reads a policy; throws LabError `schema` whose faults point into the policy. */
export function parsePolicy(json: unknown): Policy {
  return parseBySchema(policySchema, json, 'policy');
}

/** One member that does not fit the others: where, and what would. */
export interface PolicyUnsupportedReason {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * What the members of a policy must say together, beyond what each must be alone, and with a scheme
 * whether its keys suit the rule; empty where all is well.
 */
export function policyUnsupportedReasons(
  policy: Policy,
  scheme?: SchemeName,
): readonly PolicyUnsupportedReason[] {
  return [
    ...idRuleUnsupportedReasons(policy, scheme),
    ...idBitsUnsupportedReasons(policy),
    ...difficultyUnsupportedReasons(policy),
  ];
}

function idRuleUnsupportedReasons(
  policy: Policy,
  scheme: SchemeName | undefined,
): readonly PolicyUnsupportedReason[] {
  const { idRule } = policy;
  if (idRule === 'hash') return [];
  const unused = [
    { path: ['hash'], isFit: policy.hash === 'sha256', fit: 'sha256' },
    { path: ['idBits'], isFit: policy.idBits === ID_BITS_MAX, fit: String(ID_BITS_MAX) },
    { path: ['salted'], isFit: !policy.salted, fit: 'false' },
    { path: ['puzzle'], isFit: policy.puzzle.function === 'hash', fit: '{"function":"hash"}' },
  ];
  const unsupportedReasons = unused
    .filter(({ isFit }) => !isFit)
    .map(({ path, fit }) => ({
      path,
      message: `must be ${fit} under the ${idRule} rule, which settles it by itself`,
    }));
  if (idRule !== 'yggdrasil' || scheme !== 'secp256k1') return unsupportedReasons;
  const message = 'must be ed25519 under the yggdrasil rule, whose node IDs are Ed25519 keys';
  return [...unsupportedReasons, { path: ['scheme'], message }];
}

/** 256 cuts nothing, whatever the hash. */
function idBitsUnsupportedReasons({
  hash,
  idBits,
  idRule,
}: Policy): readonly PolicyUnsupportedReason[] {
  const digestBits = 8 * digestBytesOf(hash);
  if (idRule !== 'hash' || idBits <= digestBits || idBits >= ID_BITS_MAX) return [];
  const message = `must be at most ${digestBits}, the bits of ${hash}; ${ID_BITS_MAX} cuts nothing`;
  return [{ path: ['idBits'], message }];
}

function difficultyUnsupportedReasons(policy: Policy): readonly PolicyUnsupportedReason[] {
  const { c1, c2 } = policy;
  const outputBits = puzzleBitsMaxOf(policy);
  // X is as long as the ID where the two are combined, so there are no more X than that to try.
  const idBits = 8 * nodeIdBytesOf(policy);
  const solutionBits = policy.dynamic === 'concat' ? outputBits : Math.min(outputBits, idBits);
  return [
    { path: ['c1'], bits: c1, bitsMax: outputBits },
    { path: ['c2'], bits: c2, bitsMax: solutionBits },
  ]
    .filter(({ bits, bitsMax }) => bits > bitsMax && bits <= PUZZLE_BITS_MAX)
    .map(({ path, bitsMax }) => ({
      path,
      message: `must be at most ${bitsMax} bits under the rest of this policy`,
    }));
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
