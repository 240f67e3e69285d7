/**
 * @module
 * Seeded bugs in the protocols and the simulator, each of which one check of its own must find: the
 * check passes on the source as it is and complains of the mutant.
 */

import { beforeAll, describe, expect, it } from 'vitest';

import { BULLY_MUTANTS } from './bully-mutants.ts';
import { CANDIDACY_MUTANTS } from './candidacy-mutants.ts';
import type { CheckName } from './checks.ts';
import { CHECKS } from './checks.ts';
import { DETECTOR_MUTANTS } from './detector-mutants.ts';
import { LEASE_MUTANTS } from './lease-mutants.ts';
import { mutate } from './mutation.ts';
import { QUORUM_MUTANTS } from './quorum-mutants.ts';
import { RING_MUTANTS } from './ring-mutants.ts';
import { SIMULATOR_MUTANTS } from './simulator-mutants.ts';
import { readSource, tryChecks } from './trial.ts';

const MUTANTS = [
  ...BULLY_MUTANTS,
  ...RING_MUTANTS,
  ...QUORUM_MUTANTS,
  ...LEASE_MUTANTS,
  ...DETECTOR_MUTANTS,
  ...SIMULATOR_MUTANTS,
  ...CANDIDACY_MUTANTS,
];
/** All checks take four seconds on a machine with nothing else to do. */
const ALL_CHECKS_MS = 60_000;
const CHECK_NAMES = Object.keys(CHECKS) as CheckName[]; // The keys of a constant.

describe('a mutant', () => {
  const mutant = { name: 'm', bug: 'Is one.', file: 'a.ts', oldText: 'a > b', newText: 'a >= b' };

  it('is the source with one text replaced, as it stands', () => {
    expect(mutate('if (a > b) c();', mutant)).toBe('if (a >= b) c();');
    expect(mutate('if (a > b) c();', { ...mutant, newText: "$&$'" })).toBe("if ($&$') c();");
  });

  it('is refused when its old text is gone, and says so', () => {
    expect(() => mutate('if (a < b) c();', mutant)).toThrow(
      'mutant m: expected its old text once in a.ts, it is gone: "a > b"',
    );
  });

  it('is refused when its old text occurs twice, and says so', () => {
    expect(() => mutate('a > b || a > b', mutant)).toThrow('it occurs 2 times');
  });

  it('is refused when it changes nothing', () => {
    expect(() => mutate('a > b', { ...mutant, newText: 'a > b' })).toThrow('changes nothing');
  });
});

describe('a trial', () => {
  const [mutant] = RING_MUTANTS;

  it('reaches the checks that import the mutant, and no others', async () => {
    const check = 'bully-gm82: who may install';
    const { complaints } = await tryChecks([check, mutant.killedBy], mutant);

    expect(complaints).toEqual([
      [check, null],
      [mutant.killedBy, expect.any(String)],
    ]);
  });

  it('fails where the mutant does not run, which is no kill', async () => {
    const { oldText } = mutant;
    const broken = (newText: string) => tryChecks([mutant.killedBy], { ...mutant, newText });

    await expect(broken('if (')).rejects.toThrow(/[Ee]xpected/);
    await expect(broken(`throw new TypeError('bug');\n${oldText}`)).rejects.toThrow('bug');
  });
});

describe('the mutants of the sources', () => {
  it('are more than the suite promises, each by a name of its own', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(32);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  it('leave no check without one', () => {
    const used = new Set<CheckName>(MUTANTS.map(({ killedBy }) => killedBy));

    expect(CHECK_NAMES.filter((name) => !used.has(name))).toEqual([]);
  });

  it.each(MUTANTS)('still have their text: $name', (mutant) => {
    expect(mutate(readSource(mutant.file), mutant)).not.toBe(readSource(mutant.file));
  });
});

describe('the source as it is', () => {
  let complaints = new Map<CheckName, string | null>();

  beforeAll(async () => {
    complaints = new Map((await tryChecks(CHECK_NAMES, null)).complaints);
  }, ALL_CHECKS_MS);

  it.each(CHECK_NAMES)('passes %s', (name) => {
    expect(complaints.get(name)).toBeNull();
  });
});

// A few at a time: each has a thread of its own.
describe.concurrent('the suite', () => {
  it.each(MUTANTS)('kills $name by "$killedBy"', async (mutant) => {
    const { loaded, complaints } = await tryChecks([mutant.killedBy], mutant);

    expect(loaded, 'the check imports the mutant').toBe(true);
    expect(complaints[0]?.[1], 'the check complains').toEqual(expect.any(String));
  });
});
