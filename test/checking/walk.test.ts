/**
 * @module
 * Walks by hand: the address of a violation leads to it in a new search, and an action can be undone.
 */

import { describe, expect, it } from 'vitest';
import { check } from '../../src/checking/check.ts';
import { searchOptionsOf } from '../../src/checking/check-request.ts';
import { Walk } from '../../src/checking/traces/walk.ts';
import type { Check } from '../../src/experiment/checks/request.ts';
import { requestOf } from '../../src/experiment/checks/request.ts';

const LIMITS = { statesMax: 1_000_000, bytesMax: 2 ** 28 };

const VIOLATED: readonly Check[] = [
  { protocol: 'bully-oneshot', ring: [1, 2, 3], properties: ['one-leader'] },
  { protocol: 'cr-join', ring: [1, 2, 3], bounds: { loss: 1 }, properties: ['leader-elected'] },
  { protocol: 'ring-lelann', ring: [2, 3, 1], links: 'any', properties: ['one-leader'] },
  { protocol: 'peterson-prose', ring: [1, 3, 2], properties: ['highest-wins'] },
];

describe('an address', () => {
  it.each(VIOLATED.map((each) => [each.protocol, each] as const))(
    'leads to the violation of %s in a new search',
    (_protocol, asked) => {
      const options = searchOptionsOf(requestOf(asked), LIMITS);
      const { property, trace, breach } = violationOf(options);
      const walk = new Walk({ ...options, properties: [property] });

      for (const index of trace.address) walk.take(index);

      expect(walk.actions).toEqual(trace.actions);
      expect(walk.world).toEqual(trace.end.world);
      expect(walk.judge()).toMatchObject([{ holds: false, breach }]);
    },
  );
});

describe('a walk', () => {
  const options = searchOptionsOf(
    requestOf({ protocol: 'bully-oneshot', ring: [1, 2, 3] }),
    LIMITS,
  );

  it('offers the starts first, with what each would do', () => {
    const walk = new Walk(options);

    const actions = Array.from(walk.offers(), (offer) => offer.actions.map(({ action }) => action));

    expect(actions).toEqual([[{ type: 'start', node: 1 }]]);
  });

  it('goes back to the world before an action', () => {
    const walk = new Walk(options);
    const first = walk.world;
    walk.take(0);

    expect(walk.isWorldAfter(0)).toBe(false);
    expect(walk.undo()).toBe(true);
    expect(walk.world).toBe(first);
    expect(walk.isWorldAfter(0)).toBe(true);
    expect(walk.undo()).toBe(false);
  });

  it('refuses an index without an action', () => {
    const walk = new Walk(options);

    expect(walk.take(1)).toBe(false);
    expect(walk.address).toEqual([]);
  });
});

function violationOf(options: Parameters<typeof check>[0]) {
  const steps = check(options);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  if (step.value.type !== 'violated') throw new RangeError('expected a violation');
  return step.value;
}
