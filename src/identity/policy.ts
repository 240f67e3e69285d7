/**
 * @module
 * A policy states what a network requires of a claim: how much work, in which form, for which epoch and network,
 * and which checks are made. By default all checks are made. A policy that switches one off describes a weak
 * network, for attacks. A claim cannot switch off a check.
 */

import { z } from 'zod';
import { parseBySchema } from '../errors.ts';
import type { NodeIdRules } from './ids/node-id.ts';
import {
  DEFAULT_RULES,
  ID_BITS_MAX,
  ID_BITS_MIN,
  ID_RULES,
  idRuleOf,
  nodeIdBytesOf,
} from './ids/node-id.ts';
import type { SchemeName, SignatureRules } from './keys/signature-scheme.ts';
import type { DynamicForm } from './puzzles/dynamic.ts';
import { DYNAMIC_FORMS, DYNAMIC_PUZZLES } from './puzzles/dynamic.ts';
import type { StaticRules } from './puzzles/puzzle.ts';
import { PUZZLE_BITS_MAX } from './puzzles/puzzle.ts';
import {
  digestBytesOf,
  HASH_NAMES,
  puzzleBitsMaxOf,
  puzzleFunctionSchema,
} from './puzzles/puzzle-function.ts';

/** Every check with what it requires, in the order in which they are made: the cheap ones first. */
const CHECKS = {
  nodeId: 'The node ID is what the ID rule makes of the public key.',
  static: 'The node ID meets c1 zero bits of the static puzzle.',
  dynamic: 'The solution meets c2 zero bits of the dynamic puzzle.',
  encoding: 'The encoding of the key is canonical.',
  smallOrder: 'The key is not a point for which anyone can sign (Ed25519).',
  torsion: 'The key is in the subgroup of prime order (Ed25519).',
  signature: 'The claimant owns the secret of the key.',
} as const;

export type CheckName = keyof typeof CHECKS;
/** The keys of an object are strings to the compiler: hence the `as`. */
export const CHECK_NAMES = Object.keys(CHECKS) as readonly CheckName[];

export interface Policy extends NodeIdRules, StaticRules {
  /** Difficulty of the static puzzle in bits, 0..256. Under the rule of Storj 8 of them are free. */
  readonly c1: number;
  /** Difficulty of the dynamic puzzle in bits, 0..256. */
  readonly c2: number;
  readonly dynamic: DynamicForm;
  readonly checks: Readonly<Record<CheckName, boolean>>;
  /** secp256k1: refuse signatures with s > n/2. */
  readonly lowS: boolean;
}

/** The default: every check is made and no work is required. */
export const STRICT_POLICY: Policy = {
  c1: 0,
  c2: 0,
  dynamic: 'concat',
  ...DEFAULT_RULES,
  checks: checksOf(() => true),
  lowS: true,
};

const CONTEXT_CHARACTERS_MAX = 256;
const ID_BITS_ERROR = `must be a multiple of 8 in ${ID_BITS_MIN}..${ID_BITS_MAX}`;

const flag = z.boolean('must be true or false');

const bits = z
  .int('must be an integer number of bits')
  .min(0, 'must be at least 0 bits')
  .max(PUZZLE_BITS_MAX, `must be at most ${PUZZLE_BITS_MAX} bits`);

const epochSchema = z
  .int('must be an integer in 0..2^53-1')
  .min(0, 'must be an integer in 0..2^53-1');

const contextSchema = z
  .string('must be printable ASCII')
  .regex(/^[ -~]*$/, 'must be printable ASCII')
  .max(CONTEXT_CHARACTERS_MAX, `must be at most ${CONTEXT_CHARACTERS_MAX} characters`);

const idBitsSchema = z
  .int(ID_BITS_ERROR)
  .min(ID_BITS_MIN, ID_BITS_ERROR)
  .max(ID_BITS_MAX, ID_BITS_ERROR)
  .multipleOf(8, ID_BITS_ERROR);

const checksSchema = z.strictObject(
  checksOf((description) => described(flag.default(true), description, true)),
);

/**
 * The JSON form of a policy. A member that is left out has the value of `STRICT_POLICY`. A context is printable
 * ASCII, so that no two contexts look alike and every language makes the same bytes of it.
 */
export const policySchema = z
  .strictObject({
    c1: described(
      bits.default(STRICT_POLICY.c1),
      'Difficulty of the static puzzle in bits. Under the storj rule 8 of them are free.',
      16,
    ),
    c2: described(bits.default(STRICT_POLICY.c2), 'Difficulty of the dynamic puzzle in bits.', 8),
    dynamic: described(
      oneOf(DYNAMIC_FORMS).default(STRICT_POLICY.dynamic),
      `Form of the dynamic puzzle, which counts the leading zero bits of ${DYNAMIC_FORMS.map((form) => `${DYNAMIC_PUZZLES[form].formula} (${form})`).join(', ')}.`,
      'concat',
    ),
    idRule: described(
      oneOf(ID_RULES).default(STRICT_POLICY.idRule),
      'How a node ID is made from a key: its hash, or as Storj or Yggdrasil make it.',
      'hash',
    ),
    hash: described(
      oneOf(HASH_NAMES).default(STRICT_POLICY.hash),
      'Hash of node IDs and puzzles. S/Kademlia was published with sha1, which is broken.',
      'sha256',
    ),
    idBits: described(
      idBitsSchema.default(STRICT_POLICY.idBits),
      'Bits that a node ID is cut to, at most those of the hash. 256 cuts nothing.',
      256,
    ),
    salted: described(
      flag.default(STRICT_POLICY.salted),
      'Whether the static puzzle is bound to the challenge, and so to its epoch.',
      false,
    ),
    puzzle: described(
      puzzleFunctionSchema.default({ ...STRICT_POLICY.puzzle }),
      'Function whose zero bits both puzzles count.',
      { function: 'hash' },
    ),
    epoch: described(
      epochSchema.default(STRICT_POLICY.epoch),
      'Epoch of the challenge, 0..2^53-1.',
      0,
    ),
    context: described(
      contextSchema.default(STRICT_POLICY.context),
      'Name of the network in its challenge.',
      'usurp',
    ),
    checks: described(
      checksSchema.default(STRICT_POLICY.checks),
      'Which checks are made. A network that leaves one out is weak.',
      STRICT_POLICY.checks,
    ),
    lowS: described(
      flag.default(STRICT_POLICY.lowS),
      'secp256k1: whether signatures with s > n/2 are refused.',
      true,
    ),
  })
  .superRefine((policy, context) => {
    for (const { path, message } of policyUnsupportedReasons(policy)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .meta({
    description: 'What a network requires of a claim. By default all checks and no work.',
    example: { c1: 16, c2: 8, dynamic: 'concat' },
  });

/** Reads a policy. Throws LabError `schema` whose faults point into the policy. */
export function parsePolicy(json: unknown): Policy {
  return parseBySchema(policySchema, json, 'policy');
}

/** A member that cannot be combined with the others, and what it must be. */
export interface PolicyUnsupportedReason {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Why the members of a policy cannot be combined, although each of them is valid, and why keys of a scheme have
 * no node IDs under it. Empty if nothing is wrong.
 */
export function policyUnsupportedReasons(
  policy: Policy,
  scheme?: SchemeName,
): readonly PolicyUnsupportedReason[] {
  const { isConfigurable, scheme: only } = idRuleOf(policy);
  const { idRule } = policy;
  const message = `must be ${only} under the ${idRule} rule, whose node IDs are Ed25519 keys`;
  return [
    ...(isConfigurable ? idBitsReasons(policy) : fixedMemberReasons(policy)),
    ...(scheme === undefined || only === null || only === scheme
      ? []
      : [{ path: ['scheme'], message }]),
    ...difficultyReasons(policy),
  ];
}

/** Members that have no effect under a rule that is not configurable, and are not at their default. */
function fixedMemberReasons(policy: Policy): readonly PolicyUnsupportedReason[] {
  return (['hash', 'idBits', 'salted', 'puzzle'] as const).flatMap((name) => {
    const usual = textOf(DEFAULT_RULES[name]);
    if (textOf(policy[name]) === usual) return [];
    const message = `must be ${usual} under the ${policy.idRule} rule, which settles it by itself`;
    return [{ path: [name], message }];
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function idBitsReasons({ hash, idBits }: Policy): readonly PolicyUnsupportedReason[] {
  const digestBits = 8 * digestBytesOf(hash);
  if (idBits <= digestBits || idBits >= ID_BITS_MAX) return [];
  const message = `must be at most ${digestBits}, the bits of ${hash}; ${ID_BITS_MAX} cuts nothing`;
  return [{ path: ['idBits'], message }];
}

function difficultyReasons(policy: Policy): readonly PolicyUnsupportedReason[] {
  const outputBits = puzzleBitsMaxOf(policy);
  const { bitsMax } = DYNAMIC_PUZZLES[policy.dynamic];
  const limits = { c1: outputBits, c2: bitsMax(outputBits, 8 * nodeIdBytesOf(policy)) };
  return (['c1', 'c2'] as const)
    .filter((name) => policy[name] > limits[name] && policy[name] <= PUZZLE_BITS_MAX)
    .map((name) => ({
      path: [name],
      message: `must be at most ${limits[name]} bits under the rest of this policy`,
    }));
}

/**
 * How signatures are verified under a policy. A network that does not check encoding or small order also verifies
 * leniently. Otherwise the strict verifier would replace the check that the network leaves out.
 */
export function signatureRulesOf(policy: Policy): SignatureRules {
  return { strict: policy.checks.encoding && policy.checks.smallOrder, lowS: policy.lowS };
}

/** A value for each check. */
function checksOf<T>(valueFor: (description: string) => T): Record<CheckName, T> {
  const values = Object.entries(CHECKS).map(([name, text]) => [name, valueFor(text)]);
  // Object.entries and fromEntries forget the names.
  return Object.fromEntries(values) as Record<CheckName, T>;
}

function oneOf<const T extends string>(names: readonly T[]) {
  return z.enum(names, `must be one of ${names.join(', ')}`);
}

function described<S extends z.ZodType>(schema: S, description: string, example: z.output<S>): S {
  return schema.meta({ description, example });
}
