/**
 * @module
 * Instances with pinned numbers of worlds and transitions: the packed search without reduction has as many as a plain
 * search over `enabled` and `apply`, and each property has the same verdict with and without reduction.
 */

import { describe, expect, it } from 'vitest';

import { concerning } from '../../../src/checking/properties/registry.ts';
import type { CheckedProperty } from '../../../src/checking/property.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { Given } from '../checked.ts';
import { checked } from '../checked.ts';
import { plainLevels } from '../plain-search.ts';
import { instanceOf } from '../small-instances.ts';

/** The plain search takes a second for 7000 worlds, so that the tests repeat it for the smaller instances only. */
const PLAIN_WORLDS_MAX = Number(process.env.PLAIN_WORLDS ?? 2500);
const SYNC = { timing: 'synchronous' } as const;
const ANY_START = { starts: 'again' } as const;
const TERMS = { spreadTicks: '1' };

/** Protocol, nodes, what else is given, worlds, transitions, and the lengths of the shortest violations. */
const PINNED: readonly (readonly [
  ProtocolName,
  number,
  Given,
  number,
  number,
  Readonly<Record<string, number>>,
])[] = [
  ['cr-join', 3, { ...ANY_START, bounds: { crash: 1 } }, 5378, 18_779, {}],
  ['cr-join', 3, { bounds: { partition: 1 } }, 183, 499, {}],
  ['cr-replace', 3, { ...ANY_START, bounds: { loss: 1, duplicate: 1 } }, 9855, 38_177, {}],
  ['cr-always', 3, { ...ANY_START, bounds: { duplicate: 1 } }, 1263, 4105, {}],
  [
    ...(['ring-lelann', 3, { links: 'any', bounds: { loss: 1 } }, 482, 1160] as const),
    { 'one-leader': 9, agreement: 10, 'highest-wins': 10 },
  ],
  ['ring-attr', 3, { ...SYNC, bounds: { crash: 1 } }, 1544, 2392, {}],
  ['peterson', 5, ANY_START, 12_356, 48_035, {}],
  ['peterson-prose', 4, ANY_START, 2064, 6263, {}],
  ['franklin', 3, {}, 104, 274, {}],
  ['bully-oneshot', 3, { ...SYNC, bounds: { crash: 1 } }, 885, 3085, {}],
  [
    ...(['bully-oneshot', 3, { bounds: { timeout: 2 } }, 19_241, 78_951] as const),
    { 'one-leader': 4, agreement: 16, 'highest-wins': 16 },
  ],
  ['lease-local', 2, { bounds: { timeout: 2 } }, 3359, 7162, {}],
  ['kubernetes-lease', 2, { bounds: { timeout: 2 } }, 3278, 5600, {}],
  ['raft', 2, { flags: TERMS, bounds: { timeout: 2, crash: 1, recover: 1 } }, 1660, 3282, {}],
  [
    ...(['raft', 3] as const),
    { flags: TERMS, ...SYNC, bounds: { crash: 1, amnesia: 1, timeout: 2 } },
    ...([13_409, 26_232, { 'one-vote': 23 }] as const),
  ],
  ['quorum-lease', 3, { bounds: { timeout: 2 } }, 3337, 9612, {}],
  ['zk-slide-quorum', 3, { bounds: { timeout: 1 } }, 2223, 7030, {}],
];

/** The length of the shortest violation; undefined if there is none. */
function violationOf(
  protocol: ProtocolName,
  nodes: number,
  given: Given,
  property: CheckedProperty,
): number | undefined {
  const result = checked(protocol, nodes, { ...given, properties: [property] });
  if (result.type === 'capped') throw new Error(`${property.name}: ${result.detail}`);
  return result.type === 'violated' ? result.trace.actions.length : undefined;
}

describe('pinned instances', () => {
  it.each(PINNED)('%s with %i nodes (%j): %i worlds, %i transitions, violations %j', (...row) => {
    const [protocol, nodes, given, worlds, transitions, violations] = row;

    const { type, counts } = checked(protocol, nodes, { ...given, properties: [] });

    expect([type, counts.states, counts.transitions]).toEqual(['exhausted', worlds, transitions]);
    for (const property of concerning(PROTOCOLS[protocol], null)) {
      if (property.kind === 'eventually' || property.kind === 'sometimes') continue;
      const expected = violations[property.name];
      for (const isReduced of [false, true]) {
        const found = violationOf(protocol, nodes, { ...given, isReduced }, property);
        expect(found, `${property.name}, reduced: ${isReduced}`).toBe(expected);
      }
    }
  });

  it.each(PINNED.filter(([, , , worlds]) => worlds <= PLAIN_WORLDS_MAX))(
    '%s with %i nodes (%j): %i worlds, %i transitions also in a plain search',
    (protocol, nodes, given, worlds, transitions) => {
      const levels = plainLevels(instanceOf(protocol, nodes, given), Number.POSITIVE_INFINITY);

      expect(sum(levels.worlds)).toBe(worlds);
      expect(sum(levels.transitions)).toBe(transitions);
    },
  );

  it('are 17', () => {
    expect(PINNED).toHaveLength(17);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
