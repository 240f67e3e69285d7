/**
 * @module
 * docs/study.md: each number in its text is a parameter of the study, and its answer is that of the tables.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WHOLE_STUDY } from '../../bench/study/tables.ts';
import { modelFrom } from '../experiment/models.ts';

const TEXT = readFileSync(new URL('../../docs/study.md', import.meta.url), 'utf8');
const MARKED = /<!-- study: ([a-z]+) -->\n(.*?)<!-- end -->/gs;
const TABLES = new Map([...TEXT.matchAll(MARKED)].map(([, name = '', body = '']) => [name, body]));

describe('the study', () => {
  it('states no frequency below 1 % in the tables of defences', () => {
    const tables = ['singles', 'pairs', 'machines'].map((name) => TABLES.get(name) ?? '').join('');
    const numbers = [...tables.matchAll(/\| (?:[<>] )?([\d.]+) %(?:\\\*)? (?=\|)/g)].map(
      ([, digits]) => Number(digits),
    );
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
