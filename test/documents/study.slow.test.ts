/**
 * @module
 * A reduced study has tables of the same shape as those in docs/study.md, and the same costs and closed forms.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { studyTables, WHOLE_STUDY } from '../../bench/study/tables.ts';

const TEXT = readFileSync(new URL('../../docs/study.md', import.meta.url), 'utf8');
const MARKED = /<!-- study: ([a-z]+) -->\n(.*?)<!-- end -->/gs;
const TABLES = new Map([...TEXT.matchAll(MARKED)].map(([, name = '', body = '']) => [name, body]));

function rowNames(markdown: string): string[] {
  return markdown.split('\n').map((line) => line.split('|')[1]?.trim() ?? '');
}

describe('the study', () => {
  it('has the rows of a reduced study', async () => {
    const { advantages } = WHOLE_STUDY;
    const reduced = await studyTables({ advantages, runs: 2, watchedRuns: 1, seeds: ['1', '2'] });

    expect([...reduced.keys()].sort()).toEqual([...TABLES.keys()].sort());
    for (const [name, table] of reduced) {
      expect(rowNames(TABLES.get(name)?.trim() ?? ''), name).toEqual(rowNames(table.trim()));
      if (!['singles', 'pairs', 'machines'].includes(name)) continue;
      // No frequency is without its interval: what has no interval has the star of a closed form.
      expect(table).not.toMatch(/\| (?:[<>] )?[\d.]+ % (?=\|.* \|$)/m);
      expect(table).toContain('runs of each cell without');
    }
    // Closed forms and costs do not depend on the number of runs.
    for (const name of ['identities', 'needed', 'costs']) {
      expect(TABLES.get(name)?.trim()).toBe(reduced.get(name)?.trim());
    }
  }, 600_000);
});
