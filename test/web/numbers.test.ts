/**
 * @module
 * Numbers as the browser lab shows them.
 */

import { describe, expect, it } from 'vitest';

import {
  about,
  count,
  counted,
  decimal,
  percent,
  seconds,
} from '../../server/web/parts/numbers.ts';

describe('numbers in the lab', () => {
  it('never call what is possible impossible, nor what is likely certain', () => {
    expect([0, 1e-9, 0.004, 0.48, 0.995, 0.99999, 1].map(percent)).toEqual([
      ...['0.0 %', 'less than 0.1 %', '0.4 %', '48 %'],
      ...['99.5 %', 'more than 99.9 %', '100.0 %'],
    ]);
  });

  it('have two digits for expectations, and all for counts', () => {
    expect([0, 0.00002, 0.52, 8, 16, 13_021].map(about)).toEqual([
      ...['0', '2.0e-5', '0.52', '8.0', '16', '13\u202f000'],
    ]);
    expect([
      count(8192),
      count(1e6),
      decimal(1234.56),
      counted(1, 'valid ID'),
      counted(0, 'valid ID'),
    ]).toEqual([
      ...['8\u202f192', '1\u202f000\u202f000', '1\u202f234.6', '1 valid ID', '0 valid IDs'],
    ]);
    expect([0.482, 1.74, 61.2].map(seconds)).toEqual(['0.48 s', '1.7 s', '61 s']);
  });
});
