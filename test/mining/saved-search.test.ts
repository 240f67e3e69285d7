/**
 * @module
 * The document of a search: what it holds, that reading it gives the search back, and that nothing
 * else is taken for one. Whatever is read may be gone on with: it crashes nothing.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hexToBytes } from '../../src/bytes.ts';
import { LabError } from '../../src/errors.ts';
import type { Goal } from '../../src/mining/goal.ts';
import { SEARCH_NOT_BEGUN } from '../../src/mining/phases.ts';
import { parseSavedSearch, savedSearchToJson } from '../../src/mining/saved-search.ts';
import type { MiningTask } from '../../src/mining/search.ts';
import { mine } from '../../src/mining/search.ts';
import { STOPPED_CLOCKS, taskWith } from './tasks.ts';

const TASK = taskWith({
  ...{ strategy: 'walk', goal: { type: 'count', identities: 3 } },
  policy: { c1: 3, c2: 5 },
});
/** Three keys, and the solutions of two. */
const CUT = cutIn('last');
const DOCUMENT = documentOf(TASK, CUT);

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Path = readonly (string | number)[];

describe('a document', () => {
  it.each<[string, Goal]>([
    ['any', { type: 'any' }],
    ['a count', { type: 'count', identities: 10_000 }],
    ['above', { type: 'above', nodeId: hexToBytes('01'.repeat(32)) }],
    ['between', { type: 'between', low: new Uint8Array(32), high: hexToBytes('02'.repeat(32)) }],
    ['near', { type: 'near', nodeId: new Uint8Array(32), closerThan: hexToBytes('03'.repeat(32)) }],
    ['the closest', { type: 'near', nodeId: new Uint8Array(32), closerThan: null }],
  ])('gives back the task and the state: %s', (_name, goal) => {
    const policy = { c1: 9, c2: 4, context: 'lab' };
    const task = taskWith({ scheme: 'secp256k1', goal, policy, isSeedGiven: true });
    const state = {
      ...SEARCH_NOT_BEGUN,
      ...{ keys: { tested: 77, winners: [] }, overshoot: 3, cpuSeconds: 1.5, wallSeconds: 2 },
      ...{ deviceSeconds: 0.5, devices: [{ name: 'a card', isSoftware: false }] },
    };

    const saved = parseSavedSearch(documentOf(task, state));

    const { budget: _, ...kept } = task;
    expect(saved).toEqual({ task: { ...kept, stockpile: undefined }, state });
  });

  it('gives back the keys to be made for a stock', () => {
    const task = taskWith({ strategy: 'stockpile', stockpile: 5000 });

    const saved = parseSavedSearch(documentOf(task, SEARCH_NOT_BEGUN));

    expect(saved.task.stockpile).toBe(5000);
  });

  it('shows the ledger to people', () => {
    const { attempts, hashes } = mine(TASK, STOPPED_CLOCKS, undefined, CUT).ledger;

    expect(DOCUMENT).toMatchObject({ format: 'usurp/ledger/v1', ledger: { attempts } });
    expect(valueAt(DOCUMENT, ['ledger', 'hashes'])).toBeLessThan(hashes);
  });
});

describe('what is no document of a search is refused:', () => {
  const winners = CUT.keys.winners;
  const last = CUT.keys.tested;
  const [first = 0, second = 0, third = 0] = winners;
  const [solved] = CUT.solutions;

  it.each<[string, Path, Json | undefined, string]>([
    ['nothing', [], null, '(the whole)'],
    ['a list', [], [], '(the whole)'],
    ['another format', ['format'], 'usurp/key/v1', 'must be usurp/ledger/v1'],
    ['a later version', ['format'], 'usurp/ledger/v2', 'must be usurp/ledger/v1'],
    ['no format', ['format'], undefined, '/format'],
    ['no seed', ['seed'], undefined, '/seed must be a seed'],
    ['a seed with a sign', ['seed'], '-1', 'is not a decimal integer'],
    ['an unknown member', ['budget'], 5, '/budget is not a known member'],
    [
      'an unknown member within',
      ['state', 'keys', 'hits'],
      [],
      '/state/keys/hits is not a known member',
    ],
    ['an unknown strategy', ['strategy'], 'lucky', '/strategy'],
    ['a stock for a walk', ['stockpile'], 5, 'for the strategy stockpile only'],
    ['a stock of nothing', ['stockpile'], 0, '/stockpile'],
    ['a stockpile without one', ['strategy'], 'stockpile', 'for the strategy stockpile only'],
    ['too easy a way', ['dynamicStrategy'], 'amortised-xor', 'breaks the xor form'],
    [
      'a negative count',
      ['state', 'keys', 'tested'],
      -1,
      '/state/keys/tested must not be negative',
    ],
    ['half an attempt', ['state', 'keys', 'tested'], 1.5, 'must be a whole number'],
    ['more than anybody tests', ['state', 'keys', 'tested'], 2 ** 53 - 1, '/state/keys/tested'],
    ['negative overshoot', ['state', 'overshoot'], -1, '/state/overshoot must not be negative'],
    ['negative seconds', ['state', 'cpuSeconds'], -0.1, '/state/cpuSeconds must not be negative'],
    ['a negative ledger', ['ledger', 'hashes'], -1, '/ledger/hashes must not be negative'],
    ['a goal of no kind', ['goal'], { type: 'top' }, '/goal'],
    ['a goal of none', ['goal'], { type: 'count', identities: 0 }, '/goal/identities'],
    ['a goal too many', ['goal'], { type: 'count', identities: 10_001 }, '/goal/identities'],
    ['a goal of capitals', ['goal'], { type: 'above', nodeId: 'AB'.repeat(32) }, '/goal/nodeId'],
    ['a goal of short IDs', ['goal'], { type: 'above', nodeId: 'abcd' }, "policy's 32 bytes"],
    [
      'a goal of unlike IDs',
      ['goal'],
      { type: 'between', low: '00'.repeat(32), high: '00'.repeat(31) },
      "policy's 32 bytes",
    ],
    [
      'a goal of an unlike distance',
      ['goal'],
      { type: 'near', nodeId: '00'.repeat(32), closerThan: '0001' },
      "policy's 32 bytes",
    ],
    [
      'a policy at odds with itself',
      ['policy'],
      { idRule: 'storj', salted: true },
      '/policy/salted',
    ],
    ['winners that fall', ['state', 'keys', 'winners'], [second, first, third], 'out of order'],
    ['a winner twice', ['state', 'keys', 'winners'], [first, first, third], 'out of order'],
    ['a winner not tested', ['state', 'keys', 'winners'], [first, second, last], 'out of order'],
    ['attempts fewer than winners', ['state', 'keys', 'tested'], third, 'out of order'],
    ['attempts beyond the last', ['state', 'keys', 'tested'], last + 1, 'beyond its last winner'],
    ['a winner that does not win', ['state', 'keys', 'winners', 0], first + 1, 'does not win'],
    ['another seed', ['seed'], '2', 'does not win under this seed'],
    ['another difficulty', ['policy', 'c1'], 30, 'does not win under this seed and policy'],
    ['more winners than wanted', ['goal', 'identities'], 2, 'more winners than wanted'],
    ['fewer winners than solutions', ['state', 'keys', 'winners'], [first], 'more solutions than'],
    ['more identities wanted', ['goal', 'identities'], 4, 'its digest is wrong'],
    ['solutions of no puzzle', ['policy', 'c2'], 0, 'more solutions than keys'],
    ['a harder second puzzle', ['policy', 'c2'], 30, 'does not solve for attempt'],
    ['another challenge', ['policy', 'epoch'], 9, 'does not solve for attempt'],
    [
      'a solution that is none',
      ['state', 'solutions', 0],
      { tested: 1, winners: [0] },
      'does not solve for attempt',
    ],
    [
      'a first solution left out',
      ['state', 'solutions', 0],
      { tested: solved?.tested ?? 0, winners: [] },
      'solution 0 is not the first of its numbers',
    ],
    [
      'a solution beyond the first',
      ['state', 'solutions', 0, 'tested'],
      10_000,
      'solution 0 is not the first of its numbers',
    ],
  ])('%s', (_name, path, value, message) => {
    const changed = replaced(DOCUMENT, path, value);

    const read = () => parseSavedSearch(changed);

    expect(read).toThrow(LabError);
    expect(read).toThrow(message);
  });

  it('the keys of a scheme that the rule takes none of', () => {
    const rules = { idRule: 'yggdrasil', c1: 3 } as const;
    const task = taskWith({ scheme: 'secp256k1', policy: rules });

    const read = () => parseSavedSearch(documentOf(task, SEARCH_NOT_BEGUN));

    expect(read).toThrow(/scheme must be ed25519 under the yggdrasil rule/);
  });
});

describe('a document with one member changed', () => {
  const documents = [
    DOCUMENT,
    documentOf(TASK, cutIn('keys')),
    documentOf(
      taskWith({
        ...{ strategy: 'walk', dynamicStrategy: 'amortised-xor' },
        goal: { type: 'near', nodeId: new Uint8Array(32), closerThan: null },
        policy: { c1: 2, c2: 4, dynamic: 'xor' },
      }),
      {
        ...SEARCH_NOT_BEGUN,
        ...{ keys: { tested: 9, winners: [] }, cpuSeconds: 0.1, wallSeconds: 1 },
      },
    ),
  ];

  it('is refused with a LabError', () => {
    const outcomes = { refused: 0, read: 0 };
    fc.assert(
      fc.property(fc.constantFrom(...documents), fc.nat(), VALUE, (document, index, value) => {
        const paths = pathsOf(document);
        const changed = replaced(document, paths[index % paths.length] ?? [], value);

        const outcome = goOn(changed);

        outcomes[outcome] += 1;
      }),
      { seed: 7, numRuns: 3000 },
    );
    // What is read is a document in which the new member is the old one.
    expect(outcomes.refused).toBeGreaterThan(2800);
  });

  it('is refused with a LabError where it is any other JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(() => parseSavedSearch(json)).toThrow(LabError);
      }),
      { seed: 8, numRuns: 500 },
    );
  });
});

/** Values near what documents hold, and others. */
const VALUE: fc.Arbitrary<Json | undefined> = fc.oneof(
  fc.constantFrom(undefined, null, true, '', '1', '00', [], {}, -1, 0.5, 2 ** 53 - 1, 1e300),
  fc.integer({ min: 0, max: 40 }),
  fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 4 }),
  fc.constantFrom('fresh', 'walk', 'batch', 'siblings', 'stockpile', 'dynamic', 'amortised-xor'),
  fc.constantFrom('concat', 'xor', 'unhashed', 'sha1', 'storj', 'yggdrasil', 'secp256k1'),
  fc.constantFrom<Json>(
    { type: 'any' },
    { type: 'count', identities: 1 },
    { type: 'above', nodeId: 'f0'.repeat(32) },
    { type: 'above', nodeId: 'f0f0' },
    { tested: 20, winners: [3] },
    [{ tested: 4, winners: [3] }],
    [{ tested: 4, winners: [] }],
  ),
);

/** Reads a document and goes on for a few attempts; throws whatever is no LabError. */
function goOn(json: Json | undefined): 'refused' | 'read' {
  let saved: ReturnType<typeof parseSavedSearch>;
  try {
    saved = parseSavedSearch(json);
  } catch (error) {
    if (error instanceof LabError) return 'refused';
    throw error;
  }
  const { task, state } = saved;
  const { c1, c2, puzzle } = task.policy;
  // Walks of a kernel and slow hashes go the same way and are other tests' business.
  if (task.strategy === 'batch' || task.strategy === 'siblings' || puzzle.function !== 'hash') {
    return 'read';
  }
  const budget = { attempts: state.keys.tested + 3, hashes: state.keys.tested + 50 + c1 + c2 };
  mine({ ...task, budget }, STOPPED_CLOCKS, undefined, state);
  return 'read';
}

/** The state of the search where the hashes end in its keys, or in its last X. */
function cutIn(where: 'keys' | 'last') {
  const { ledger, state } = mine(TASK, STOPPED_CLOCKS);
  const hashes = where === 'last' ? ledger.hashes - 1 : 2 * (state.keys.winners[1] ?? 0) + 2;
  return mine({ ...TASK, budget: { hashes } }, STOPPED_CLOCKS).state;
}

function documentOf(task: MiningTask, state: typeof SEARCH_NOT_BEGUN): Json {
  return JSON.parse(JSON.stringify(savedSearchToJson(task, state)));
}

/** The paths of all members, those of the whole and of nested ones included. */
function pathsOf(json: Json | undefined, path: Path = []): readonly Path[] {
  if (typeof json !== 'object' || json === null) return [path];
  const members = Array.isArray(json) ? [...json.entries()] : Object.entries(json);
  return [path, ...members.flatMap(([name, value]) => pathsOf(value, [...path, name]))];
}

function valueAt(json: Json | undefined, path: Path): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return json;
  if (typeof json !== 'object' || json === null) return undefined;
  const member = Object.entries(json).find(([key]) => key === String(name));
  return valueAt(member?.[1], rest);
}

/** A copy with the value at a path; a member that is undefined is left out. */
function replaced(json: Json | undefined, path: Path, value: Json | undefined): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const member = replaced(valueAt(json, [name]), rest, value);
  if (Array.isArray(json)) {
    return json.map((old, index) => (index === name ? (member ?? null) : old));
  }
  const others = typeof json === 'object' && json !== null ? Object.entries(json) : [];
  const kept = others.filter(([key]) => key !== name);
  if (member !== undefined) kept.push([String(name), member]);
  return Object.fromEntries(kept);
}
