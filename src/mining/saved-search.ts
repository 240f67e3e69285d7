/**
 * @module
 * A search as a document: the task without its budget, the state, and the ledger for people to read. The owner of
 * the document can continue the search, which ends as if it had not been interrupted. The document contains the
 * seed, so its owner has the keys.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { z } from 'zod';

import { bytesToHex, hexToBytes, utf8ToBytes } from '../bytes.ts';
import { LabError } from '../errors.ts';
import { nodeIdBytesOf } from '../identity/ids/node-id.ts';
import { SCHEME_NAMES } from '../identity/keys/scheme.ts';
import { policySchema, policyUnsupportedReasons } from '../identity/policy.ts';
import { parseSeed } from '../random.ts';
import { parseBySchema } from '../schema.ts';
import { deviceSchema } from './device/facts.ts';
import { goalIds } from './goal.ts';
import type { MiningTask, SearchState } from './phases.ts';
import { PAIR_KEYS_MAX } from './policy-cost.ts';
import { assertSoundState, assertWinners, ledgerOf } from './search.ts';
import { assertDynamicStrategy } from './solution.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from './strategy.ts';

const FORMAT = 'usurp/ledger/v1';

/** Largest number of identities of one search. */
export const IDENTITIES_MAX = 10_000;
/** Largest number of keys that are made for a stock. */
export const STOCKPILE_MAX = 2 ** 40;

/** More than any search tests. Sums below it are exact. */
const TESTED_MAX = 2 ** 50;

const count = z.int('must be a whole number').min(0, 'must not be negative');
const seconds = z.number('must be a number of seconds').min(0, 'must not be negative');
const bytes = z.codec(
  z.string('must be hex').regex(/^(?:[0-9a-f]{2}){2,32}$/, 'must be lower-case hex'),
  z.custom<Uint8Array>(),
  { decode: (hex) => hexToBytes(hex), encode: (value) => bytesToHex(value) },
);

const goalSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('any') }),
  z.strictObject({
    type: z.literal('count'),
    identities: z.int('must be a whole number').min(1).max(IDENTITIES_MAX),
  }),
  z.strictObject({ type: z.literal('pair') }),
  z.strictObject({ type: z.literal('above'), nodeId: bytes }),
  z.strictObject({ type: z.literal('between'), low: bytes, high: bytes }),
  z.strictObject({ type: z.literal('near'), nodeId: bytes, closerThan: bytes.nullable() }),
]);

const phaseSchema = z.strictObject({
  tested: count.max(TESTED_MAX),
  winners: z.array(count).max(PAIR_KEYS_MAX),
});

const savedSchema = z.strictObject({
  format: z.literal(FORMAT, `must be ${FORMAT}`),
  scheme: z.enum(SCHEME_NAMES),
  policy: policySchema,
  goal: goalSchema,
  strategy: z.enum(STRATEGY_NAMES),
  dynamicStrategy: z.enum(DYNAMIC_STRATEGY_NAMES),
  stockpile: count.min(1).max(STOCKPILE_MAX).nullable(),
  seed: z.string('must be a seed'),
  seedGiven: z.boolean('must be true or false'),
  state: z.strictObject({
    keys: phaseSchema,
    solutions: z.array(phaseSchema).max(IDENTITIES_MAX),
    overshoot: count,
    cpuSeconds: seconds,
    wallSeconds: seconds,
    deviceSeconds: seconds.optional(),
    devices: z.array(deviceSchema).optional(),
  }),
  ledger: z.strictObject({
    attempts: count,
    hashes: count,
    groupOperations: count,
    cpuSeconds: seconds,
    wallSeconds: seconds,
    overshoot: count,
    deviceSeconds: seconds.optional(),
  }),
  digest: z.string('must be hex').regex(/^[0-9a-f]{64}$/, 'must be hex of 32 bytes'),
});

export interface SavedSearch {
  /** Without a budget. A search that continues gets a new one. */
  readonly task: Omit<MiningTask, 'budget'>;
  readonly state: SearchState;
}

/** The document of a search, as `parseSavedSearch` reads it. */
export function savedSearchToJson(task: MiningTask, state: SearchState) {
  const { scheme, policy, goal, strategy, dynamicStrategy, stockpile = null, seed } = task;
  const { isSeedGiven: seedGiven = false } = task;
  const { keys, solutions, overshoot, cpuSeconds, wallSeconds, deviceSeconds, devices } = state;
  const document = {
    format: FORMAT,
    scheme,
    policy: policySchema.parse(policy),
    goal: z.encode(goalSchema, goal),
    strategy,
    dynamicStrategy,
    stockpile,
    seed,
    seedGiven,
    state: {
      ...{ keys, solutions, overshoot, cpuSeconds, wallSeconds },
      ...(deviceSeconds !== undefined && { deviceSeconds }),
      ...(devices !== undefined && { devices }),
    },
    ledger: ledgerOf(task, state),
  };
  // It protects against accidents, not against an attacker.
  const digest = bytesToHex(sha256(utf8ToBytes(JSON.stringify(document))));
  return { ...document, digest };
}

/**
 * Reads the document. Throws LabError `schema` for other input, for a state that no search can have, and for
 * winners that do not win under the task: the file is of another version, or was edited. Throws LabError
 * `arguments` for an invalid seed or dynamic strategy.
 */
export function parseSavedSearch(json: unknown): SavedSearch {
  const saved = parseBySchema(savedSchema, json, 'search ledger');
  const { scheme, policy, goal, strategy, dynamicStrategy, state } = saved;
  const task = {
    scheme,
    policy,
    strategy,
    dynamicStrategy,
    goal,
    seed: parseSeed(saved.seed),
    isSeedGiven: saved.seedGiven,
    stockpile: saved.stockpile ?? undefined,
  };
  assertConsistentTask(task);
  assertSoundState(task, state);
  // The winners of a stock are known only when the stock has been made again.
  if (strategy !== 'stockpile') assertWinners(task, state);
  const again = savedSearchToJson({ ...task, budget: {} }, state);
  const isSameLedger = JSON.stringify(again.ledger) === JSON.stringify(saved.ledger);
  if (again.digest !== saved.digest || !isSameLedger) {
    throw new LabError('schema', 'its digest is wrong: this ledger was edited or cut');
  }
  return { task, state };
}

/** Refuses members that cannot be combined, although each is well-formed. */
function assertConsistentTask(task: SavedSearch['task']): void {
  const { policy, scheme, goal, strategy, stockpile, dynamicStrategy } = task;
  const [reason] = policyUnsupportedReasons(policy, scheme);
  if (reason !== undefined) {
    throw new LabError('schema', `${reason.path.join('.')} ${reason.message}`);
  }
  const idBytes = nodeIdBytesOf(policy);
  if (goalIds(goal).some(({ length }) => length !== idBytes)) {
    throw new LabError('schema', `IDs in the goal must have the policy's ${idBytes} bytes`);
  }
  if ((strategy === 'stockpile') !== (stockpile !== undefined)) {
    throw new LabError('schema', 'stockpile is a number of keys for the strategy stockpile only');
  }
  assertDynamicStrategy(dynamicStrategy, policy);
}
