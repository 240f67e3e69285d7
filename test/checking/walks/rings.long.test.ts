/**
 * @module
 * All rings of n nodes: each ring once up to turning, and a turned ring has the same worlds.
 */

import { describe, expect, it } from 'vitest';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { ringsOf } from '../../../src/experiment/checks/rings.ts';
import { checked } from '../checked.ts';

/** The same ring with another first node. */
function turned(ring: readonly number[], by: number): number[] {
  return [...ring.slice(by), ...ring.slice(0, by)];
}

/** All orders of these ranks. */
function orders(ranks: readonly number[]): number[][] {
  if (ranks.length === 0) return [[]];
  return ranks.flatMap((rank) =>
    orders(ranks.filter((other) => other !== rank)).map((rest) => [rank, ...rest]),
  );
}

describe('all rings', () => {
  it.each([1, 2, 3, 4, 5, 6])('of %i nodes are every order once up to turning', (nodes) => {
    const rings = ringsOf(nodes);
    const ranks = Array.from({ length: nodes }, (_, index) => index + 1);

    const all = rings.flatMap((ring) => ranks.map((_, by) => turned(ring, by).join()));

    expect(all.toSorted()).toEqual(
      orders(ranks)
        .map((ring) => ring.join())
        .toSorted(),
    );
  });

  it.each(PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].family === 'ring'))(
    'have the same worlds when they are turned (%s)',
    (protocol) => {
      const given = { bounds: { loss: 1, crash: 1, timeout: 2 }, properties: [], statesMax: 1500 };
      const [first, ...others] = [0, 1, 2].map((by) => {
        const result = checked(protocol, 3, { ...given, ring: turned([1, 3, 2], by) });
        return [result.type, result.counts];
      });

      for (const other of others) expect(other).toEqual(first);
    },
  );
});
