/**
 * @module
 * Numbers that a sentence of a document repeats from the output of a command above it. The output is
 * compared with the command by commands.test.ts.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../tidy/sources.ts';

it('docs/cli/elect.md: the share of leaderless runs of the ring is that of the table', () => {
  const text = readFileSync(join(ROOT, 'docs/cli/elect.md'), 'utf8');
  const [, stable] = /^cr-join +\S+ +(\S+) %/m.exec(text) ?? [];
  const [, leaderless] = /(\d+) % of its runs end without a leader/.exec(text) ?? [];

  expect(Number(leaderless)).toBe(Math.round(100 - Number(stable)));
});
