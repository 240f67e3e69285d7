/**
 * @module
 * This folder contains the tests of the benches. This file: a bound that is slower than what it bounds is no measurement.
 */

import { expect, it } from 'vitest';
import { ratioText, rowOf } from '../../bench/measure.ts';

const UNIT = { unit: 'candidates' };

it.each([
  ['a bound that is faster', { isBound: true }, {}, 2, '2.00'],
  ['a bound as fast', { isBound: true }, {}, 1, '1.00'],
  ['a bound that is slower', { isBound: true }, {}, 0.0299, 'invalid (0.0299)'],
  ['a bounding yardstick that is faster', {}, { isBound: true }, 0.5, '0.500'],
  ['a bounding yardstick that is slower', {}, { isBound: true }, 1.5, 'invalid (1.50)'],
  ['no bound', {}, {}, 0.0299, '0.0299'],
])('%s', (_name, subject, yardstick, own, text) => {
  const rounds = [{ own: [own], standard: [1] }];
  const row = rowOf(
    {
      ...UNIT,
      name: 'native code',
      ...subject,
      yardstick: { ...UNIT, name: 'the kernel', ...yardstick },
    },
    rounds,
  );

  expect(ratioText(row.subject, row.ratio)).toBe(text);
});

it('without a yardstick there is no ratio', () => {
  const row = rowOf({ ...UNIT, name: 'x', yardstick: null }, [{ own: [1], standard: [] }]);

  expect(ratioText(row.subject, row.ratio)).toBe('–');
});
