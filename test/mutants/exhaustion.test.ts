/**
 * @module
 * Seeded bugs in protocols, found by exhaustion: a search of all worlds of a small instance finds a violation that the
 * source as it is does not have, in no more steps than random schedules of the same instance need.
 */

import { beforeAll, describe, expect, it } from 'vitest';

import { MUTANTS } from './bugs/mutants.ts';
import type { Caught } from './exhaustion/hunt.ts';
import type { HuntAnswer } from './exhaustion/hunt-worker.ts';
import type { HuntedName } from './exhaustion/hunts.ts';
import { CAPPED, HUNTS, NOT_FOUND } from './exhaustion/hunts.ts';
import type { Mutant } from './mutation.ts';
import { answerOf } from './trial.ts';

const WORKER = new URL('./exhaustion/hunt-worker.ts', import.meta.url);
const ALL_HUNTS_MS = 60_000;
const NAMES = Object.keys(HUNTS) as HuntedName[]; // The keys of a constant.

/** Whether a bug concerns a protocol, and not a detector, the simulator, authentication or the checker. */
function isOfProtocol({ file }: Mutant): boolean {
  return /^src\/election\/(bully|ring|quorum|lease|timing|lease-interval)\b/.test(file);
}

function mutantOf(name: HuntedName): Mutant {
  const mutant = MUTANTS.find((each) => each.name === name);
  if (mutant === undefined) throw new RangeError(`no mutant ${name}`);
  return mutant;
}

describe('the seeded bugs in protocols', () => {
  it('are all found, or not found for a stated reason', () => {
    const bugs = MUTANTS.filter(isOfProtocol).map(({ name }) => name);

    expect([...NAMES, ...Object.keys(NOT_FOUND)].toSorted()).toEqual(bugs.toSorted());
  });
});

describe('the source as it is', () => {
  let caught: readonly Caught[] = [];

  beforeAll(async () => {
    const hunts = NAMES.map((name) => HUNTS[name]);
    caught = (await answerOf<HuntAnswer>(WORKER, { hunts }, null)).caught;
  }, ALL_HUNTS_MS);

  it.each(NAMES.map((name, index) => [name, index] as const))(
    'has no violation in the instance of %s',
    (name, index) => {
      expect(caught[index]?.type).toBe(CAPPED.includes(name) ? 'capped' : 'exhausted');
    },
  );
});

// A few at a time: each has a thread of its own.
describe.concurrent('a search', () => {
  it.each(NAMES)('finds %s, in no more steps than random schedules', async (name) => {
    const hunts = [HUNTS[name]];

    const { loaded, caught } = await answerOf<HuntAnswer>(WORKER, { hunts }, mutantOf(name));
    const [{ type, length, walked } = { type: null, length: null, walked: null }] = caught;

    expect([loaded, type]).toEqual([true, 'violated']);
    expect(length).toBeLessThanOrEqual(walked ?? Number.POSITIVE_INFINITY);
  });
});
