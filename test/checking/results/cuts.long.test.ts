/**
 * @module
 * Cuts of one direction, bridges, jumps of clocks and lost writes of stores in the bounds of a check: the worlds are those
 * of the plain search, and traces say what happens.
 */

import { describe, expect, it } from 'vitest';

import type { Bounds } from '../../../src/checking/instance.ts';
import { ONE_LEADER } from '../../../src/checking/properties/followers.ts';
import { ONE_LEADER_PER_EPOCH } from '../../../src/checking/properties/one-leader-per-epoch.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { describeLinks } from '../../../src/simulation/trace/describe.ts';
import { checked } from '../checked.ts';
import { packedLevels } from '../drawn.ts';
import { plainLevels } from '../plain-search.ts';
import type { Given } from '../small-instances.ts';
import { instanceOf } from '../small-instances.ts';

const WORLDS_MAX = 1500;

describe('a cut', () => {
  it.each<[ProtocolName, number, Partial<Bounds>]>([
    ['cr-join', 3, { oneWay: 1 }],
    ['cr-join', 3, { bridge: 1 }],
    ['bully-oneshot', 4, { bridge: 1, timeout: 1 }],
    ['bully-oneshot', 3, { oneWay: 2, crash: 1, timeout: 1 }],
    ['raft', 3, { oneWay: 1, bridge: 1, partition: 1, timeout: 1 }],
    // Here the store is on a side, is cut off in one direction, or is the bridge.
    ['kubernetes-lease', 2, { oneWay: 1, timeout: 1 }],
    ['db-lease', 2, { bridge: 1, timeout: 1 }],
    ['db-lease', 2, { failover: 2, timeout: 2 }],
    ['lease-local', 2, { failover: 2, timeout: 2 }],
    ['kubernetes-lease', 2, { failover: 1, crash: 1, recover: 1, timeout: 1 }],
  ])(
    'of %s with %i nodes and %j leads to the worlds of the plain search',
    (name, nodes, bounds) => {
      const instance = instanceOf(name, nodes, { flags: SHORT[name] ?? {}, bounds });

      expect(packedLevels(instance, WORLDS_MAX)).toEqual(plainLevels(instance, WORLDS_MAX));
    },
  );

  it.each<[ProtocolName, number, Partial<Bounds>]>([
    ['bully-oneshot', 3, { jump: 2 }],
    ['bully-modified', 3, { jump: 1, pause: 1 }],
    ['raft', 3, { jump: 1, timeout: 2 }],
  ])(
    'with a clock that jumps, of %s with %i nodes and %j, leads to them',
    (name, nodes, bounds) => {
      const flags = SHORT[name] ?? {};
      const instance = instanceOf(name, nodes, { flags, bounds, timing: 'synchronous' });

      expect(packedLevels(instance, WORLDS_MAX)).toEqual(plainLevels(instance, WORLDS_MAX));
    },
  );

  it.each<[ProtocolName, Given]>([
    ['lease-local', { bounds: { failover: 1, timeout: 1 } }],
    ['db-lease', { bounds: { failover: 1, timeout: 1 } }],
    ['bully-oneshot', { bounds: { jump: 1, timeout: 1 }, timing: 'synchronous' }],
  ])('lets two nodes of %s lead: %j', (name, given) => {
    const properties = [name === 'bully-oneshot' ? ONE_LEADER : ONE_LEADER_PER_EPOCH];

    const result = checked(name, 2, { ...given, properties });

    expect(result.type).toBe('violated');
    // Without the fault no world violates it.
    expect(checked(name, 2, { ...given, bounds: { timeout: 1 }, properties }).type).toBe(
      'exhausted',
    );
  });

  it.each([
    [{ sides: [[1], [2]], isOneWay: true }, 'a partition loses what 1 sends to 2'],
    [
      {
        sides: [
          [1, 3],
          [2, 3],
        ],
      },
      'a partition separates 1, store from 2, store',
    ],
  ] as const)('is described: %j', (separation, text) => {
    expect(describeLinks({ type: 'partition', ...separation }, 3)).toBe(text);
  });
});

/** Flags that make the worlds few. */
const SHORT: Partial<Record<ProtocolName, Readonly<Record<string, string>>>> = {
  raft: { spreadTicks: '1' },
};
