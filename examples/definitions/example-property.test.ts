/**
 * @module
 * The judges of the property. Run it with `usurp conform ./example-property.ts`.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EXAMPLE_PROPERTY } from './example-property.ts';

const { judges } = EXAMPLE_PROPERTY;

test('an election that an honest node wins has it', () => {
  assert.equal(judges.election?.({ winner: 'honest', highestLeads: true }), true);
});

test('an election that the adversary wins, or no node, does not have it', () => {
  assert.equal(judges.election?.({ winner: 'adversary', highestLeads: true }), false);
  assert.equal(judges.election?.({ winner: 'none', highestLeads: false }), false);
});
