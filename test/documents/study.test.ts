/**
 * @module
 * docs/study.md: each number in its text is a parameter of the study, and its answer is that of the tables.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answer, reducing, shareText, WHOLE_STUDY } from '../../bench/study/tables.ts';
import { modelFrom } from '../experiment/models.ts';

const TEXT = readFileSync(new URL('../../docs/study.md', import.meta.url), 'utf8');
const MARKED = /<!-- study: ([a-z]+) -->\n(.*?)<!-- end -->/gs;
const TABLES = new Map([...TEXT.matchAll(MARKED)].map(([, name = '', body = '']) => [name, body]));

describe('the study', () => {
  it('states no frequency below 1 % in the tables of defences', () => {
    const tables = ['singles', 'pairs', 'machines'].map((name) => TABLES.get(name) ?? '').join('');
    // A frequency has its interval; what is above the bound for certain is the lower end of it.
    const shown = /\| (?:[<>] )?([\d.]+) %(?:\\\*| \(([\d.]+) to [\d.]+\))? (?=\|)/g;
    const numbers = [...tables.matchAll(shown)].map(([, share, low]) => Number(low ?? share));
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers.filter((share) => share < 1)).toEqual([]);
  });

  it('has only numbers in its text that are parameters', () => {
    const { network, adversaries } = modelFrom('cpu-advantage');
    const text = TEXT.replaceAll(MARKED, '').replaceAll(/`[^`]*`|\]\([^)]*\)/g, '');
    const parameters = [
      ...[network.honest, network.identity.c1, Number(adversaries.main?.rate)],
      ...WHOLE_STUDY.advantages,
      // The bound, its complement in the choice of bits and of intervals, the default rate, watched nodes.
      ...[1, 95, 20, 256],
    ];

    const numbers = text
      .match(/\b\d[\d ]*(?:\.\d+)?/g)
      ?.map((digits) => Number(digits.replaceAll(' ', '')));

    expect(numbers?.filter((each) => !parameters.includes(each) && each !== 0)).toEqual([]);
  });
});

/** A row of a comparison with these cells, of which one without an interval is a closed form. */
function rowOf(
  defences: readonly string[],
  cells: readonly (readonly [p: number, interval: readonly [number, number] | null])[],
) {
  const results = cells.map(([p, interval], index) => {
    const source = interval === null ? 'closed form' : 'runs';
    const counts = { attempts: 1, identities: 1, n: 0, k: 0 };
    return { advantage: 10 ** index, ...counts, source, p, interval, theory: null };
  });
  const cost = { join: { seconds: null }, election: null };
  return { protocol: 'raft', defences, acting: defences, bits: 16, results, cost, excluded: [] };
}

const comparisonOf = (...rows: ReturnType<typeof rowOf>[]) => [
  { honest: 50, reference: { attempts: 1 }, rows },
];

describe('a sentence of the study', () => {
  const none = rowOf([], [[0.99, null]]);
  const open = comparisonOf(none, rowOf(['proof-of-work'], [[1 / 30, [0.0008, 0.172]]]));
  const held = comparisonOf(none, rowOf(['proof-of-work'], [[0.001, [0.0001, 0.004]]]));
  const failed = comparisonOf(none, rowOf(['proof-of-work'], [[0.065, [0.05, 0.08]]]));
  const said = (singles: typeof open) =>
    answer({ singles, pairs: [], fast: [] }, { advantages: [1, 10] });

  it('gives each frequency its interval, and each closed form its star', () => {
    expect(shareText({ p: 1 / 30, source: 'runs', interval: [0.00084, 0.17217] })).toBe(
      '3.3 % (0.08 to 17.22)',
    );
    expect(shareText({ p: 0.0656, source: 'closed form', interval: null })).toBe('6.6 %\\*');
  });

  it('says no more than the intervals decide', () => {
    expect(said(failed)).toContain('**The answer: no defence and no pair of defences does so');
    expect(said(open)).toContain('the runs show no defence and no pair of defences that does so');
    expect(said(open)).toContain('The runs do not decide proof-of-work with raft at 1×.');
    expect(said(held)).toContain('**The answer: proof-of-work with raft at 1× does so');
  });

  it('names a defence that reduces the share only if the intervals do not overlap', () => {
    expect(reducing(failed)).toContain('- raft: `proof-of-work`.');
    const near = comparisonOf(
      rowOf([], [[0.9, [0.8, 0.95]]]),
      rowOf(['proof-of-work'], [[0.8, [0.7, 0.85]]]),
    );
    expect(reducing(near)).toContain('- raft: none.');
  });
});
