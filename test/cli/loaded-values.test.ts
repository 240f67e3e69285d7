/**
 * @module
 * Wrong values in files of the user, which Node runs without a check of their types: refused with what is
 * allowed instead.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { ended, ROOT, scratchFolder, spawnUsurp } from './shell.ts';

/** The path of a skeleton in which `from` is replaced by `to`. */
function skeletonWith(kind: string, from: string, to: string): string {
  const text = readFileSync(join(ROOT, `examples/definitions/example-${kind}.ts`), 'utf8');
  if (!text.includes(from)) throw new RangeError(`"from" expected a part of the file, got ${from}`);
  const path = join(scratchFolder(), 'own.ts');
  writeFileSync(path, text.replace(from, to));
  return path;
}

describe('a definition with a wrong value', () => {
  it.each([
    ['behaviour', "aim: 'stop'", "aim: 'win'", /"aim" must be one of lead, .*, got "win"/],
    ['behaviour', 'needsTopId: false', "needsTopId: 'no'", /"needsTopId" must be true or false/],
    ['behaviour', "name: 'example-behaviour',", '', /"name" is missing/],
    ['property', 'top: null', 'top: true', /"judges.top" must be a function or null/],
  ])('is refused with its line: %s with %s as %s', async (kind, from, to, expected) => {
    const path = skeletonWith(kind, from, to);

    const { code, stderr } = await ended(spawnUsurp(['elect', '--load', path]));

    expect(code).toBe(254);
    expect(stderr).toMatch(/own\.ts:\d+:\d+: "/);
    expect(stderr).toMatch(expected);
  });

  it('is refused with the line of a syntax error', async () => {
    const path = skeletonWith('property', 'judges: {', '{');

    const { code, stderr } = await ended(spawnUsurp(['elect', '--load', path]));

    expect(code).toBe(254);
    expect(stderr).toMatch(/own\.ts:\d+: Unexpected/);
  });
});

describe('a behaviour that returns no machine', () => {
  it('is refused, because its node would be honest', async () => {
    const path = skeletonWith(
      'behaviour',
      '=>\n    createByzantine',
      '=>\n    void createByzantine',
    );
    const attack = ['attack', '--protocol', 'cr-join', '--behaviour', 'example-behaviour'];

    const { code, stderr } = await ended(
      spawnUsurp([...attack, '--level', 'L0', '--load', path, '--seed', '1']),
    );

    expect(code).toBe(254);
    expect(stderr).toContain('behaviour example-behaviour: "wrap" must return a machine');
  });
});

describe('a judge', () => {
  it.each([
    [
      'reads a member that the evidence lacks',
      'watched: ({ leader, isUsurped }) => leader !== null && !isUsurped',
      'watched: (seen) => Reflect.get(seen, "leaderChanges") > 2',
      /judges\.watched reads "leaderChanges"; the evidence has .*splitTicks/,
    ],
    [
      'returns no boolean',
      'leader !== null && !isUsurped',
      "'often'",
      /judges\.watched must return true or false, got "often"/,
    ],
  ])('is refused if it %s', async (_case, from, to, expected) => {
    const path = skeletonWith('property', from, to);
    const run = ['run', 'flapping-leader', '--runs', '1', '--seed', '1'];

    const { code, stderr } = await ended(
      spawnUsurp([...run, '--load', path, '--set', 'expect.property=example-property']),
    );

    expect(code).toBe(254);
    expect(stderr).toMatch(expected);
  });
});
