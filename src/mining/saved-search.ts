/**
 * @module
 * A search as a document: the task without its budget, how far it has come, and the ledger for people
 * to read. Whoever has it can go on and ends as an undisturbed search would have; since it holds the
 * seed, whoever has it also has the keys.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { z } from 'zod';
import { bytesToHex, hexToBytes, utf8ToBytes } from '../bytes.ts';
import { LabError, parseBySchema } from '../errors.ts';
import { nodeIdBytesOf } from '../identity/ids/node-id.ts';
import { SCHEME_NAMES } from '../identity/keys/scheme.ts';
import { policySchema, policyUnsupportedReasons } from '../identity/policy.ts';
import { parseSeed } from '../random.ts';
import type { Goal } from './goal.ts';
import type { Ledger } from './ledger.ts';
import type { MiningTask, SearchState } from './phases.ts';
import { ledgerOf } from './search.ts';
import { assertDynamicStrategy } from './solution.ts';
import { assertSoundState, assertWinners } from './sound-state.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from './strategy.ts';

const FORMAT = 'usurp/ledger/v1';

/** The most identities that one search is asked for. */
export const IDENTITIES_MAX = 10_000;
/** The most keys that are made for a stock. */
export const STOCKPILE_MAX = 2 ** 40;

/** No search lasts so long; sums below it stay exact. */
const TESTED_MAX = 2 ** 50;

const count = z.int('must be a whole number').min(0, 'must not be negative');
const seconds = z.number('must be a number of seconds').min(0, 'must not be negative');
const nodeId = z.string('must be hex').regex(/^(?:[0-9a-f]{2}){2,32}$/, 'must be lower-case hex');

const goalSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('any') }),
  z.strictObject({
    type: z.literal('count'),
    identities: z.int('must be a whole number').min(1).max(IDENTITIES_MAX),
  }),
  z.strictObject({ type: z.literal('above'), nodeId }),
  z.strictObject({ type: z.literal('between'), low: nodeId, high: nodeId }),
  z.strictObject({ type: z.literal('near'), nodeId, closerThan: nodeId.nullable() }),
]);

const phaseSchema = z.strictObject({
  tested: count.max(TESTED_MAX),
  winners: z.array(count).max(IDENTITIES_MAX),
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
  state: z.strictObject({
    keys: phaseSchema,
    solutions: z.array(phaseSchema).max(IDENTITIES_MAX),
    overshoot: count,
    cpuSeconds: seconds,
    wallSeconds: seconds,
  }),
  ledger: z.strictObject({
    attempts: count,
    hashes: count,
    groupOperations: count,
    cpuSeconds: seconds,
    wallSeconds: seconds,
    overshoot: count,
  }),
  digest: z.string('must be hex').regex(/^[0-9a-f]{64}$/, 'must be hex of 32 bytes'),
});

export interface SavedSearch {
  /** Without a budget: how much more is spent is asked anew. */
  readonly task: Omit<MiningTask, 'budget'>;
  readonly state: SearchState;
}

/** The document of a search, as `parseSavedSearch` reads it. */
export function savedSearchToJson(task: MiningTask, state: SearchState) {
  const { scheme, policy, goal, strategy, dynamicStrategy, stockpile = null, seed } = task;
  const { keys, solutions, overshoot, cpuSeconds, wallSeconds } = state;
  const ledger: Ledger = ledgerOf(task, state);
  const document = {
    format: FORMAT,
    ...{ scheme, policy: policySchema.parse(policy), goal: goalToJson(goal) },
    ...{ strategy, dynamicStrategy, stockpile, seed },
    state: { keys, solutions, overshoot, cpuSeconds, wallSeconds },
    ledger,
  };
  return { ...document, digest: digestOf(document) };
}

/** Not against whoever means harm, only against hands that slip. */
function digestOf(document: object): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(document))));
}

/**
 * Reads the document. Throws LabError `schema` for anything else, for a state that no search has, and
 * for winners that do not win under the task: a file of another version, or one that was edited;
 * `arguments` for a seed or a dynamic strategy that is none.
 */
export function parseSavedSearch(json: unknown): SavedSearch {
  const saved = parseBySchema(savedSchema, json, 'search ledger');
  const { scheme, policy, strategy, dynamicStrategy, state } = saved;
  const task = {
    ...{ scheme, policy, strategy, dynamicStrategy },
    goal: goalOf(saved.goal),
    seed: parseSeed(saved.seed),
    stockpile: saved.stockpile ?? undefined,
  };
  assertConsistentTask(task);
  assertSoundState(task, state);
  // Those of a stock are known only once the stock has been made again.
  if (strategy !== 'stockpile') assertWinners(task, state);
  const again = savedSearchToJson({ ...task, budget: {} }, state);
  const isSameLedger = JSON.stringify(again.ledger) === JSON.stringify(saved.ledger);
  if (again.digest !== saved.digest || !isSameLedger) {
    throw new LabError('schema', 'its digest does not fit: this ledger was changed by hand or cut');
  }
  return { task, state };
}

/** What no search is for, though each member by itself is well-formed. */
function assertConsistentTask(task: SavedSearch['task']): void {
  const { policy, scheme, goal, strategy, stockpile, dynamicStrategy } = task;
  const [unsupportedReason] = policyUnsupportedReasons(policy, scheme);
  if (unsupportedReason !== undefined) {
    throw new LabError(
      'schema',
      `${unsupportedReason.path.join('.')} ${unsupportedReason.message}`,
    );
  }
  const idBytes = nodeIdBytesOf(policy);
  if (goalIds(goal).some(({ length }) => length !== idBytes)) {
    throw new LabError(
      'schema',
      `the goal speaks of IDs that have not the policy's ${idBytes} bytes`,
    );
  }
  if ((strategy === 'stockpile') !== (stockpile !== undefined)) {
    throw new LabError('schema', 'stockpile is a number of keys for the strategy stockpile alone');
  }
  assertDynamicStrategy(dynamicStrategy, policy);
}

/** All IDs and distances of a goal. */
function goalIds(goal: Goal): readonly Uint8Array[] {
  switch (goal.type) {
    case 'any':
    case 'count':
      return [];
    case 'above':
      return [goal.nodeId];
    case 'between':
      return [goal.low, goal.high];
    case 'near':
      return goal.closerThan === null ? [goal.nodeId] : [goal.nodeId, goal.closerThan];
    default:
      return goal satisfies never;
  }
}

function goalToJson(goal: Goal): z.output<typeof goalSchema> {
  switch (goal.type) {
    case 'any':
    case 'count':
      return goal;
    case 'above':
      return { type: 'above', nodeId: bytesToHex(goal.nodeId) };
    case 'between':
      return { type: 'between', low: bytesToHex(goal.low), high: bytesToHex(goal.high) };
    case 'near': {
      const closerThan = goal.closerThan && bytesToHex(goal.closerThan);
      return { type: 'near', nodeId: bytesToHex(goal.nodeId), closerThan };
    }
    default:
      return goal satisfies never;
  }
}

function goalOf(json: z.output<typeof goalSchema>): Goal {
  switch (json.type) {
    case 'any':
    case 'count':
      return json;
    case 'above':
      return { type: 'above', nodeId: hexToBytes(json.nodeId) };
    case 'between':
      return { type: 'between', low: hexToBytes(json.low), high: hexToBytes(json.high) };
    case 'near': {
      const closerThan = json.closerThan === null ? null : hexToBytes(json.closerThan);
      return { type: 'near', nodeId: hexToBytes(json.nodeId), closerThan };
    }
    default:
      return json satisfies never;
  }
}
