/**
 * @module
 * The operation `reproduce`: its documents, its verdicts, and one result that is computed at once.
 */

import { describe, expect, it } from 'vitest';
import { agreementOf, parsePaper } from '../../src/operations/reproduce/paper.ts';
import { readPapers } from '../../src/runtime/files/papers.ts';
import { parsed, usurp } from '../cli/shell.ts';

const DOCUMENT = `
title: A title
citation: A source
claim: A claim.
ask: elect
unit: messages
source: Table 1
measured: /messages/total
rows:
  - { at: n = 3, published: 9 }
`;

const NUMBERS: readonly [
  what: string,
  bound: 'atMost' | 'atLeast' | undefined,
  published: number | null,
  measured: number,
  interval: readonly [number, number] | null,
  verdict: string,
][] = [
  ['equal', undefined, 100, 100, null, 'agrees'],
  ['near enough', undefined, 100, 102, null, 'agrees'],
  ['too far', undefined, 100, 102.1, null, 'differs'],
  ['within its interval', undefined, 100, 80, [70, 99], 'agrees'],
  ['outside of its interval', undefined, 100, 80, [70, 97], 'differs'],
  ['at its upper bound', 'atMost', 100, 102, null, 'agrees'],
  ['above its upper bound, which its interval reaches', 'atMost', 100, 110, [80, 120], 'differs'],
  ['below its lower bound', 'atLeast', 100, 97, null, 'differs'],
  ['without a published one', undefined, null, 8, null, 'incomparable'],
];

describe('a number', () => {
  it.each(NUMBERS)('%s', (_what, bound, published, measured, interval, verdict) => {
    expect(agreementOf({ published, bound, within: 0.02 }, measured, interval)).toBe(verdict);
  });
});

describe('a document', () => {
  it('gives its rows what stands above them', () => {
    const [row] = parsePaper('a', DOCUMENT, 'a.yaml').rows;

    expect(row).toMatchObject({ source: 'Table 1', measured: '/messages/total', within: 0 });
  });

  it.each([
    ['source: Table 1\n', '', 'a.yaml:9:5: rows.0 must have source, here or above rows'],
    ['published: 9 }', 'published: 9, within: 5% }', 'must have why'],
    ['published: 9 }', 'published: null }', 'must have why'],
    ['/messages/total', 'messages', 'must be a JSON pointer'],
    ['ask: elect', 'ask: serve', 'ask must be one of elect, run, detectors'],
  ])('with %j as %j is refused with the place of the fault', (before, after, refusal) => {
    expect(() => parsePaper('a', DOCUMENT.replace(before, after), 'a.yaml')).toThrow(refusal);
  });

  it('of this lab is well formed, and its names are those of the files', async () => {
    const papers = await readPapers();

    expect(papers.length).toBeGreaterThanOrEqual(8);
    expect(papers.map(({ name }) => name)).toEqual(papers.map(({ name }) => name).toSorted());
  });
});

describe('usurp reproduce', () => {
  it('prints published beside measured numbers, with verdicts and commands', async () => {
    const printed = await usurp(['reproduce', 'chang-roberts-extremes', '--json']);
    const [{ rows }] = parsed(printed).results;

    expect(printed.code).toBe(0);
    // The longest and the shortest way of the probes, n(n + 1)/2 and 2n - 1.
    expect(rows.map(({ measured }: { measured: number }) => measured)).toEqual([21, 55, 11, 19]);
    expect(rows.every(({ agreement }: { agreement: string }) => agreement === 'agrees')).toBe(true);
  });

  it('lists all without a name, and names the nearest for a wrong one', async () => {
    const listed = await usurp(['reproduce']);
    const wrong = await usurp(['reproduce', 'frankling']);

    expect(listed.stdout).toContain('raft-figure-16');
    expect(wrong.code).toBe(254);
    expect(wrong.stderr).toContain('franklin');
  });
});
