/**
 * @module
 * Drawn lengths of timers do not multiply worlds: searches that merge them have the verdicts of searches that do not, and
 * a protocol that states another number as such a length is refused.
 */

import { describe, expect, it } from 'vitest';

import type { Instance } from '../../../src/checking/instance.ts';
import { LEADER_ELECTED } from '../../../src/checking/properties/followers.ts';
import { CHECKED_PROPERTIES } from '../../../src/checking/properties/registry.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { checked } from '../checked.ts';
import { drawInstance, packedLevels } from '../drawn.ts';
import { plainLevels } from '../plain-search.ts';
import type { Given } from '../small-instances.ts';
import { instanceOf } from '../small-instances.ts';
import { fullVerdicts } from '../verdicts.ts';
import { withDrawnTicks } from './stated-ticks.ts';

const STATED = PROTOCOLS.raft.drawnTicks;
const DRAWN = 40;
const FULL = { order: 'breadth', statesMax: 4000 } as const;
const LIVE = { nodes: 2, isShifted: true, spread: 1 } as const;

/** The value of a function if drawn lengths are not merged. */
function apartOf<Value>(produce: () => Value): Value {
  return withDrawnTicks('raft', [], produce);
}

/** Raft with drawn faults, in which two timers fire at most. */
function drawn(seed: number): Instance {
  const { instance } = drawInstance(seed);
  const { crashedBefore, absent, phantoms, initiators, starts, timing, links, cut } = instance;
  const bounds = { ...instance.bounds, timeout: 1 + (seed % 2), partition: 0 };
  const named = { crashedBefore, absent, phantoms, initiators, cut };
  const flags: Flags = seed % 3 === 0 ? { preVote: 'on', checkQuorum: 'on' } : {};
  const given: Given = { ...named, starts, timing, links, bounds };
  const { nodes } = instance.cast;
  return instanceOf('raft', nodes, { ...given, flags: { ...flags, spreadTicks: '3' } });
}

/** The verdicts of both searches. Null if one of them is capped. */
function verdictsOf(instance: Instance) {
  const merged = fullVerdicts(instance, FULL);
  const apart = apartOf(() => fullVerdicts(instance, { ...FULL, statesMax: 60_000 }));
  return merged === null || apart === null ? null : { merged, apart };
}

/** The states of the nodes without the drawn lengths. */
function withoutLengths(ends: readonly string[]): readonly string[] {
  return [...new Set(ends.map((end) => end.replaceAll(/"timeoutTicks":[1-9]\d*/g, '')))].toSorted();
}

describe('drawn lengths of timers', () => {
  let compared = 0;
  let fewer = 0;

  it.each(Array.from({ length: DRAWN }, (_, seed) => seed))(
    'do not change what is found (%i)',
    (seed) => {
      const verdicts = verdictsOf(drawn(seed));
      if (verdicts === null) return;
      const { merged, apart } = verdicts;
      compared += 1;
      if (merged.size < apart.size) fewer += 1;

      expect(merged.views).toEqual(apart.views);
      expect(withoutLengths(merged.ends)).toEqual(withoutLengths(apart.ends));
      expect(merged.size).toBeLessThanOrEqual(apart.size);
    },
  );

  it('were compared for many instances', () => {
    expect(compared).toBeGreaterThan(DRAWN / 2);
    expect(fewer).toBeGreaterThan(DRAWN / 4);
  });

  it.each([1, 2, 3])('are merged by a plain search, too (%i)', (seed) => {
    const instance = drawn(seed);

    expect(packedLevels(instance, 150)).toEqual(plainLevels(instance, 150));
  });

  it.each(['synchronous', 'asynchronous'] as const)(
    'do not multiply the worlds under %s timing',
    (timing) => {
      const statesWith = (spreadTicks: string) =>
        checked('raft', 2, { timing, flags: { spreadTicks }, bounds: { timeout: 2 } }).counts;

      expect({ ...statesWith('30'), steps: 0 }).toEqual({ ...statesWith('1'), steps: 0 });
    },
  );

  it('do not change the length of a shortest counterexample', () => {
    const given = {
      bounds: { crash: 1, amnesia: 1, timeout: 2 },
      ...{ flags: { spreadTicks: '2' }, properties: CHECKED_PROPERTIES },
    };
    const lengthOf = () => {
      const result = checked('raft', 2, given);
      return result.type === 'violated' ? [result.property.name, result.trace.address.length] : [];
    };

    const merged = lengthOf();
    const apart = apartOf(lengthOf);

    expect(merged).toHaveLength(2);
    expect(apart).toEqual(merged);
  });

  it.each([{ cut: [[1, 2]] }, {}] as const)('do not change the verdict on liveness (%j)', (cut) => {
    const { nodes, ...live } = LIVE;
    const given = { ...live, ...cut, flags: { spreadTicks: '2' }, properties: [LEADER_ELECTED] };
    const merged = checked('raft', nodes, { ...given, perLink: 1 });
    const apart = apartOf(() => checked('raft', nodes, { ...given, perLink: 1 }));

    expect(merged.type).toBe('violated');
    expect(apart.type).toBe('violated');
    expect(merged.counts.states).toBeLessThan(apart.counts.states);
  });
});

describe('a protocol that states a number as a drawn length', () => {
  it.each(['term', 'granted.*'])('which its machine compares or sends (%s) is refused', (path) => {
    const check = () => checked('raft', 2, { bounds: { timeout: 2 } });

    expect(() => withDrawnTicks('raft', [...STATED, path], check)).toThrow(
      /^protocol raft: "drawnTicks" is wrong: with another length of a timer node \d, when .*, does/,
    );
  });
});
