/**
 * @module
 * The judges of the property. Run it with `usurp conform ./example-property.ts`.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CheckedNode, CheckedWorld } from 'usurp';
import { EXAMPLE_PROPERTY } from './example-property.ts';

const { judges, worlds } = EXAMPLE_PROPERTY;

test('an election that an honest node wins has it', () => {
  assert.equal(judges.election?.({ winner: 'honest', highestLeads: true }), true);
});

test('an election that the adversary wins, or no node, does not have it', () => {
  assert.equal(judges.election?.({ winner: 'adversary', highestLeads: true }), false);
  assert.equal(judges.election?.({ winner: 'none', highestLeads: false }), false);
});

test('a world in which an honest node follows a Byzantine one does not have it', () => {
  assert.equal(worlds?.holds(worldWith([2, 2, null])), true);
  assert.equal(worlds?.holds(worldWith([3, 2, null])), false);
  assert.equal(
    worlds?.breach(worldWith([3, 2, null])),
    'node 1 follows node 3, which is Byzantine',
  );
});

/** A world at rest of nodes that follow these leaders. The last one is Byzantine. */
function worldWith(leaders: readonly (number | null)[]): CheckedWorld {
  const nodes = leaders.map((leader, index): CheckedNode => {
    const rank = index + 1;
    const others = { state: null, persisted: null, timers: [] };
    return { rank, up: true, byzantine: rank === leaders.length, leader, ...others };
  });
  return { protocol: 'bully-oneshot', isAtRest: true, nodes, store: null, inFlight: [] };
}
