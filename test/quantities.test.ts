/**
 * @module
 * The syntax of quantities: what is accepted with which value, and the nearest texts that are refused.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { integer } from '../src/experiment/document/wording.ts';
import type { QuantityKind } from '../src/quantities.ts';
import { countExamples, parseQuantity, quantity, quantityKindOf } from '../src/quantities.ts';

describe('accepted texts', () => {
  it.each<[QuantityKind, string, number]>([
    ['count', '0', 0],
    ['count', '1000', 1000],
    ['count', '1e6', 1_000_000],
    ['count', '1.5e6', 1_500_000],
    ['count', '1E+3', 1000],
    ['count', '2^20', 1_048_576],
    ['count', '10^3', 1000],
    ['count', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['probability', '0.05', 0.05],
    ['probability', '.05', 0.05],
    ['probability', '5%', 0.05],
    ['probability', '0.7%', 0.007],
    ['probability', '7%', 0.07],
    ['probability', '1/18', 1 / 18],
    ['probability', '1e-9', 1e-9],
    ['probability', '1e-3%', 1e-5],
    ['probability', '100%', 1],
    ['time', '100ms', 0.1],
    ['time', '90s', 90],
    ['time', '5m', 300],
    ['time', '2h', 7200],
    ['time', '365d', 31_536_000],
    ['time', '1.5h', 5400],
    ['time', '0.5s', 0.5],
    ['time', '1e3s', 1000],
    ['time', '60', 60],
    ['number', '1.5', 1.5],
    ['number', '1e6', 1e6],
    ['number', '2^10', 1024],
    ['number', '2^-2', 0.25],
    ['number', '1.5^2', 2.25],
  ])('%s %s is %d', (kind, text, value) => {
    expect(parseQuantity(kind, text)).toBe(value);
  });
});

describe('refused texts', () => {
  it.each<[QuantityKind, string]>([
    ['count', ''],
    ['count', '-1'],
    ['count', '+1'],
    ['count', '1.5'],
    ['probability', '1e-400'],
    ['probability', '1e-323%'],
    ['time', '1e-322ms'],
    ['number', '2^-9999'],
    ['count', '1e-3'],
    ['count', '1.25e1'],
    ['count', '2^-1'],
    ['count', '2^53'],
    ['count', '1e400'],
    ['count', '1_000'],
    ['count', '1,000'],
    ['count', '0x10'],
    ['count', '5%'],
    ['count', '5m'],
    ['count', ' 5'],
    ['count', '5\n'],
    ['count', 'NaN'],
    ['count', 'Infinity'],
    ['probability', '5 %'],
    ['probability', '5%%'],
    ['probability', '%'],
    ['probability', '-5%'],
    ['probability', '5s'],
    ['probability', '.'],
    ['time', '5min'],
    ['time', '5 m'],
    ['time', '1w'],
    ['probability', '1/0'],
    ['probability', '0.5/2'],
    ['time', '5M'],
    ['time', '-5s'],
    ['time', 'm'],
    ['time', '1h30m'],
    ['time', '5%'],
    ['number', '5%'],
    ['number', '5s'],
    ['number', '2^'],
    ['number', '^2'],
  ])('%s does not accept %j', (kind, text) => {
    expect(parseQuantity(kind, text)).toBeNaN();
  });
});

describe('a schema of a quantity', () => {
  const attempts = integer(1, 1024);

  it.each([
    [1, 1],
    [1024, 1024],
    ['1', 1],
    ['1e3', 1000],
    ['2^10', 1024],
  ])('accepts %j', (input, value) => {
    expect(attempts.parse(input)).toBe(value);
  });

  it.each([0, 1025, 1.5, '0', '2^11', '1025', '5%', 'many', true, null, [1], Number.NaN])(
    'refuses %j with the syntax and an example',
    (input) => {
      const messages = attempts.safeParse(input).error?.issues.map(({ message }) => message);

      expect(messages).toEqual(['must be a whole number from 1 to 1024 such as 100, 1e3 or 2^10']);
    },
  );

  it('gives the number for its text, for all counts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1024 }), (value) => {
        expect(attempts.parse(String(value))).toBe(value);
      }),
    );
  });

  it('is described with both forms in JSON Schema', () => {
    const { anyOf } = z.toJSONSchema(integer(1, 9), { io: 'input' });

    expect(anyOf).toMatchObject([{ type: 'integer', minimum: 1, maximum: 9 }, { type: 'string' }]);
    expect(anyOf?.map((each) => quantityKindOf(each))).toEqual([null, 'count']);
  });

  it('accepts percentages and times', () => {
    const share = quantity('probability', { min: 0, max: 1 }, 'must be a share');
    const seconds = quantity('time', { min: 0, max: 60 }, 'must be a time');

    expect([share.parse('5%'), share.parse(0.05), seconds.parse('1m')]).toEqual([0.05, 0.05, 60]);
    expect([share.safeParse('101%').success, seconds.safeParse('61s').success]).toEqual([
      false,
      false,
    ]);
  });
});

describe('examples of counts', () => {
  it.each([
    [0, 3],
    [1, 8],
    [1, 1024],
    [1, 2 ** 20],
    [0, Number.MAX_SAFE_INTEGER],
    [32, 256],
  ])('are within %d..%d', (min, max) => {
    const values = countExamples(min, max)
      .replace(' such as ', '')
      .split(/, | or /)
      .filter((text) => text !== '');

    for (const text of values) {
      const value = parseQuantity('count', text);
      expect(value >= min && value <= max, text).toBe(true);
    }
  });
});
