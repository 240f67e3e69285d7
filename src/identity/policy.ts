/**
 * @module
 * A policy states what a network requires of a claim: how much work, in which form, for which epoch and network,
 * and which checks are made. By default all checks are made. A policy that switches one off describes a weak
 * network, for attacks. A claim cannot switch off a check.
 */

import { z } from 'zod';

import { quantity } from '../quantities.ts';
import { parseBySchema } from '../schema.ts';
import {
  DEFAULT_RULES,
  ID_BITS_MAX,
  ID_BITS_MIN,
  ID_RULES,
  idRuleOf,
  nodeIdBytesOf,
} from './ids/node-id.ts';
import type { SchemeName, SignatureRules } from './keys/signature-scheme.ts';
import { DYNAMIC_FORMS, DYNAMIC_PUZZLES, PUZZLE_BITS_MAX } from './puzzles/puzzle.ts';
import {
  digestBytesOf,
  HASH_NAMES,
  isSlow,
  puzzleBitsMaxOf,
  puzzleHashes,
} from './puzzles/puzzle-function.ts';

// Measured with noble on a quiet core: 10^6 iterations take 0.7 s, 2^22 Salsa20/8 cores 0.4 s, 2^17 Argon2
// blocks 0.5 s.
const ITERATIONS_MAX = 1_000_000;
const SALSA_CORES_MAX = 2 ** 22;
const ARGON2_BLOCKS_MAX = 2 ** 17;
const MEMORY_KIB_MAX = 64 * 1024;
/** scrypt requires N < 2^(16·r), and r may be 1. */
const LOG_N_MAX = 15;
const FACTOR_MAX = 64;
const LANES_MAX = 16;

const hash = z.strictObject({ function: z.literal('hash') });

const iterated = z.strictObject({
  function: z.literal('iterated'),
  iterations: count(1, ITERATIONS_MAX, 'How often the hash is applied.'),
});

const scrypt = z
  .strictObject({
    function: z.literal('scrypt'),
    logN: count(1, LOG_N_MAX, 'Binary logarithm of the CPU and memory cost N.'),
    r: count(1, FACTOR_MAX, 'Block size.'),
    p: count(1, FACTOR_MAX, 'Parallelisation. Here the lanes run one after the other.'),
  })
  .superRefine((parameters, context) => {
    const kib = (2 ** parameters.logN * parameters.r) / 8;
    if (kib > MEMORY_KIB_MAX) {
      const message = `asks for 128·2^logN·r bytes, ${kib} KiB: lower logN or r to ${MEMORY_KIB_MAX} KiB`;
      context.addIssue({ code: 'custom', message });
    }
    const cores = puzzleHashes(parameters);
    if (cores > SALSA_CORES_MAX) {
      const message = `asks for 4·2^logN·r·p = ${cores} Salsa20/8 cores: lower logN, r or p to ${SALSA_CORES_MAX}`;
      context.addIssue({ code: 'custom', message });
    }
  });

const argon2id = z
  .strictObject({
    function: z.literal('argon2id'),
    passes: count(1, FACTOR_MAX, 'Passes over the memory.'),
    kib: count(8, MEMORY_KIB_MAX, 'Memory in KiB, at least 8 for each lane.'),
    lanes: count(1, LANES_MAX, 'Lanes. Here they run one after the other.'),
  })
  .superRefine(({ passes, kib, lanes }, context) => {
    if (kib < 8 * lanes) {
      const message = `must be at least 8 KiB for each lane, ${8 * lanes}`;
      context.addIssue({ code: 'custom', path: ['kib'], message });
    }
    if (passes * kib > ARGON2_BLOCKS_MAX) {
      const message = `asks for passes·kib = ${passes * kib} blocks: lower passes or kib to ${ARGON2_BLOCKS_MAX}`;
      context.addIssue({ code: 'custom', message });
    }
  });

/** The schema refuses a function that takes more than a second or 64 MiB. */
const puzzleFunctionSchema = z.discriminatedUnion('function', [hash, iterated, scrypt, argon2id], {
  error: 'must be an object whose function is one of hash, iterated, scrypt, argon2id',
});

function count(min: number, max: number, description: string) {
  const error = `must be a whole number in ${min}..${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error }).meta({ description });
}

/** Every check with what it requires, in the order in which they are made: the cheap ones first. See `checksOf`. */
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

const PUZZLE_CHECKS: ReadonlySet<CheckName> = new Set(['static', 'dynamic']);
/**
 * With a slow puzzle function the puzzles come last, and the dynamic one before the static one, because the form of a
 * solution is checked for nothing.
 */
const SLOW_PUZZLES_LAST: readonly CheckName[] = [
  ...CHECK_NAMES.filter((name) => !PUZZLE_CHECKS.has(name)),
  ...(['dynamic', 'static'] as const),
];

/** If the ID itself is slow, everything else comes before it, and the static puzzle is one hash of the claimed ID. */
const SLOW_ID_LAST: readonly CheckName[] = [
  ...CHECK_NAMES.filter((name) => name !== 'nodeId' && name !== 'dynamic'),
  ...(['dynamic', 'nodeId'] as const),
];

const CONTEXT_CHARACTERS_MAX = 256;
const BITS_ERROR = `must be a whole number of bits from 0 to ${PUZZLE_BITS_MAX}`;
const ID_BITS_ERROR = `must be a multiple of 8 in ${ID_BITS_MIN}..${ID_BITS_MAX}`;
const EPOCH_ERROR = 'must be an integer in 0..2^53-1';
const CONTEXT_ERROR = 'must be printable ASCII';

const flag = z.boolean('must be true or false');
const bits = quantity('count', { min: 0, max: PUZZLE_BITS_MAX }, BITS_ERROR);
const idBits = quantity('count', { min: ID_BITS_MIN, max: ID_BITS_MAX, step: 8 }, ID_BITS_ERROR);
/** Printable ASCII, so that no two contexts look alike and every language makes the same bytes of one. */
const context = z
  .string(CONTEXT_ERROR)
  .regex(/^[ -~]*$/, CONTEXT_ERROR)
  .max(CONTEXT_CHARACTERS_MAX, `must be at most ${CONTEXT_CHARACTERS_MAX} characters`);

const check = (description: string) => flag.default(true).meta({ description, example: true });
const describedChecks = Object.entries(CHECKS).map(([name, text]) => [name, check(text)]);
// Object.entries and fromEntries forget the names.
const checks = Object.fromEntries(describedChecks) as Record<CheckName, ReturnType<typeof check>>;
const checksByDefault = z.strictObject(checks).parse({});
const forms = DYNAMIC_FORMS.map((form) => `${DYNAMIC_PUZZLES[form].formula} (${form})`).join(', ');

const members = z.strictObject({
  c1: bits.default(0).meta({
    description:
      'Difficulty of the static puzzle in bits. Under the storj rule 8 of them are free.',
    example: 16,
  }),
  c2: bits.default(0).meta({
    description: 'Difficulty of the dynamic puzzle in bits.',
    example: 8,
  }),
  dynamic: oneOf(DYNAMIC_FORMS)
    .default('concat')
    .meta({
      description: `Form of the dynamic puzzle, which counts the leading zero bits of ${forms}.`,
      example: 'concat',
    }),
  idRule: oneOf(ID_RULES).default(DEFAULT_RULES.idRule).meta({
    description:
      'How a node ID is made from a key: its hash, the output of the slow puzzle function, or as Storj or Yggdrasil make it.',
    example: 'hash',
  }),
  hash: oneOf(HASH_NAMES).default(DEFAULT_RULES.hash).meta({
    description: 'Hash of node IDs and puzzles. S/Kademlia was published with sha1.',
    example: 'sha256',
  }),
  idBits: idBits.default(DEFAULT_RULES.idBits).meta({
    description: 'Bits that a node ID is cut to, at most those of the hash. 256 cuts nothing.',
    example: 256,
  }),
  salted: flag.default(DEFAULT_RULES.salted).meta({
    description: 'Whether the static puzzle is bound to the challenge, and so to its epoch.',
    example: false,
  }),
  puzzle: puzzleFunctionSchema.default({ ...DEFAULT_RULES.puzzle }).meta({
    description: 'Function whose zero bits both puzzles count.',
    example: { function: 'hash' },
  }),
  epoch: quantity('count', { min: 0 }, EPOCH_ERROR).default(DEFAULT_RULES.epoch).meta({
    description: 'Epoch of the challenge, 0..2^53-1.',
    example: 0,
  }),
  context: context.default(DEFAULT_RULES.context).meta({
    description: 'Name of the network in its challenge.',
    example: 'usurp',
  }),
  checks: z.strictObject(checks).default(checksByDefault).meta({
    description: 'Which checks are made. A network that leaves one out is weak.',
    example: checksByDefault,
  }),
  lowS: flag.default(true).meta({
    description: 'secp256k1: whether signatures with s > n/2 are refused.',
    example: true,
  }),
});

export type Policy = Readonly<z.output<typeof members>> & {
  readonly checks: Readonly<Record<CheckName, boolean>>;
};

/** The default: every check is made and no work is required. */
export const STRICT_POLICY: Policy = members.parse({});

/** The JSON form of a policy. A member that is left out has the value of `STRICT_POLICY`. */
export const policySchema = members
  .superRefine((policy, refinement) => {
    for (const { path, message } of policyUnsupportedReasons(policy)) {
      refinement.addIssue({ code: 'custom', path: [...path], message });
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
  const isSchemeSuited = scheme === undefined || only === null || scheme === only;
  const message = `must be ${only} under the ${policy.idRule} rule, whose node IDs are Ed25519 keys`;
  return [
    ...(isConfigurable ? idBitsReasons(policy) : fixedMemberReasons(policy)),
    ...(isSchemeSuited ? [] : [{ path: ['scheme'], message }]),
    ...difficultyReasons(policy),
    ...fastIdReasons(policy),
  ];
}

function fastIdReasons(policy: Policy): readonly PolicyUnsupportedReason[] {
  if (!idRuleOf(policy).isSlow || isSlow(policy.puzzle)) return [];
  const message = `must be iterated, scrypt or argon2id under the ${policy.idRule} rule; with a hash it is the rule hash`;
  return [{ path: ['puzzle'], message }];
}

/** Members that have no effect under a rule that is not configurable, and are not at their default. */
function fixedMemberReasons(policy: Policy): readonly PolicyUnsupportedReason[] {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return (['hash', 'idBits', 'salted', 'puzzle'] as const)
    .filter((name) => textOf(policy[name]) !== textOf(DEFAULT_RULES[name]))
    .map((name) => ({
      path: [name],
      message: `must be ${textOf(DEFAULT_RULES[name])} under the ${policy.idRule} rule, which settles it by itself`,
    }));
}

function idBitsReasons(policy: Policy): readonly PolicyUnsupportedReason[] {
  const digestBits = 8 * digestBytesOf(policy.hash);
  if (policy.idBits <= digestBits || policy.idBits >= ID_BITS_MAX) return [];
  const message = `must be at most ${digestBits}, the bits of ${policy.hash}; ${ID_BITS_MAX} cuts nothing`;
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

/** The checks that a policy makes, in their order. A slow puzzle that requires no bits is not evaluated. */
export function checksOf(policy: Policy): readonly CheckName[] {
  const isIdSlow = idRuleOf(policy).isSlow;
  const slow = isSlow(policy.puzzle) && !isIdSlow;
  const isNeedless = (name: CheckName) =>
    slow && ((name === 'static' && policy.c1 === 0) || (name === 'dynamic' && policy.c2 === 0));
  const order = isIdSlow ? SLOW_ID_LAST : slow ? SLOW_PUZZLES_LAST : CHECK_NAMES;
  return order.filter((name) => policy.checks[name] && !isNeedless(name));
}

/**
 * How signatures are verified under a policy. A network that does not check encoding or small order also verifies
 * leniently. Otherwise the strict verifier would replace the check that the network leaves out.
 */
export function signatureRulesOf(policy: Policy): SignatureRules {
  return { strict: policy.checks.encoding && policy.checks.smallOrder, lowS: policy.lowS };
}

function oneOf<const T extends string>(names: readonly T[]) {
  return z.enum(names, `must be one of ${names.join(', ')}`);
}
