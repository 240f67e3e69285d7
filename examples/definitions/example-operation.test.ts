/**
 * @module
 * The operation against figures that are known. Run it with `usurp conform ./example-operation.ts`.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EXAMPLE_OPERATION } from './example-operation.ts';

test('needs 2^c1 attempts for each identity', () => {
  const output = EXAMPLE_OPERATION.atOnce({ c1: 8, count: 3 });

  assert.equal(output?.attempts, 768);
});

test('states the command that computes it again', () => {
  const output = EXAMPLE_OPERATION.atOnce({ c1: 8, count: 1 });

  assert.equal(output?.replay, 'usurp example-operation --c1 8');
});
