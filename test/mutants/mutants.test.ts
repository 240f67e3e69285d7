/**
 * @module
 * Seeded bugs in the protocols and the simulator, each of which one check of its own must find: the
 * check passes on the source as it is and complains of the mutant.
 */

import { beforeAll, describe, expect, it } from 'vitest';

import { MUTANTS } from './bugs/mutants.ts';
import type { CheckName } from './checks/checks.ts';
import { CHECKS } from './checks/checks.ts';
import type { Mutant } from './mutation.ts';
import { mutate } from './mutation.ts';
import { tryChecks } from './trial.ts';

/** All checks take four seconds on a machine with nothing else to do. */
const ALL_CHECKS_MS = 60_000;
const CHECK_NAMES = Object.keys(CHECKS) as CheckName[]; // The keys of a constant.

function mutantOf(name: (typeof MUTANTS)[number]['name']) {
  const mutant = MUTANTS.find((each) => each.name === name);
  if (mutant === undefined) throw new RangeError(`no mutant ${name}`);
  return mutant;
}

describe('a mutant', () => {
  const mutant: Mutant = {
    name: 'm',
    bug: 'Is one.',
    file: 'a.ts',
    inside: 'isHigher',
    kind: 'comparison',
    becomes: '{left} >= {right}',
  };
  const source = 'function isHigher(a: number, b: number): boolean { return a > b; }';

  it('is the source with one node replaced', () => {
    const mutated = 'function isHigher(a: number, b: number): boolean { return a >= b; }';

    expect(mutate(source, mutant)).toBe(mutated);
    expect(mutate(source, { ...mutant, becomes: "$&$'" })).toContain("return $&$';");
  });

  it('survives other names, other lines and other functions', () => {
    const changed = `const LIMIT = 5 > 3 ? 2 : 1;
      // One is higher than the other.
      function isHigher(one: number, other: number): boolean {
        note(one);
        return one > other;
      }`;

    expect(mutate(changed, mutant)).toBe(changed.replace('one > other', 'one >= other'));
  });

  it('finds a handler by its message type, in a switch or in a map', () => {
    const asSwitch = 'function on(m) { switch (m.type) { case "OK": if (a > b) c(); } }';
    const asMap = 'const m = { deliver: { OK({ a }, b) { if (a > b) c(); } } };';

    const mutated = [asSwitch, asMap].map((text) => mutate(text, { ...mutant, inside: 'OK' }));

    expect(mutated[0]).toContain('if (a >= b) c();');
    expect(mutated[1]).toContain('if (a >= b) c();');
  });

  it('removes a statement', () => {
    const removed: Mutant = { ...mutant, inside: 'f', kind: 'statement', of: 'b', becomes: '' };

    expect(mutate('const f = () => { a(); if (x) b(); };', removed)).toContain('{ a(); if (x) ; }');
  });

  it('is refused when its function is gone or not unique, and lists the functions', () => {
    expect(() => mutate('const a = { isLower() {} };', mutant)).toThrow(
      'mutant m: expected one "isHigher" in a.ts, there is no: a, a.isLower',
    );
    expect(() => mutate('x = [{ isHigher() {} }, { isHigher() {} }];', mutant)).toThrow(
      'there is more than one: isHigher, isHigher',
    );
  });

  it('is refused when its node is gone or not the only one, and lists the nodes', () => {
    const twice = 'const isHigher = a > b || c < d;';

    expect(() => mutate('const isHigher = a;', mutant)).toThrow('there are 0 of these:');
    expect(() => mutate(twice, mutant)).toThrow('there are 2 of these:\n>: a > b\n<: c < d');
    expect(() => mutate(twice, { ...mutant, of: '<', nth: 2 })).toThrow('at least 2 comparison <');
    expect(mutate(twice, { ...mutant, nth: 2 })).toBe('const isHigher = a > b || c >= d;');
    expect(mutate(twice, { ...mutant, of: '<' })).toBe('const isHigher = a > b || c >= d;');
  });

  it('is refused when it changes nothing or names a part that its node has not', () => {
    expect(() => mutate(source, { ...mutant, becomes: '{node}' })).toThrow('changes nothing');
    expect(() => mutate(source, { ...mutant, becomes: '{test}' })).toThrow('has no part test');
  });
});

describe('a trial', () => {
  const mutant = mutantOf('cr-forwards-smaller');

  it('reaches the checks that import the mutant, and no others', async () => {
    const check = 'bully-gm82: who may install';
    const { complaints } = await tryChecks([check, mutant.killedBy], mutant);

    expect(complaints).toEqual([
      [check, null],
      [mutant.killedBy, expect.any(String)],
    ]);
  });

  it('fails where the mutant does not run, which is no kill', async () => {
    const broken = (becomes: string) => tryChecks([mutant.killedBy], { ...mutant, becomes });

    await expect(broken('if (')).rejects.toThrow(/[Ee]xpect|[Uu]nexpected/);
    await expect(broken("(() => { throw new TypeError('bug'); })()")).rejects.toThrow('bug');
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
