/**
 * @module
 * Instances of a protocol on a ring by rank, in which all nodes start.
 */

import { castWithResource } from '../../src/checking/check-request.ts';
import type { Bounds, Instance } from '../../src/checking/instance.ts';
import { NO_FAULTS } from '../../src/checking/instance.ts';
import type { Flags } from '../../src/election/definition/flags.ts';
import { withReplica } from '../../src/election/lease/stores/lagging-replica.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOLS } from '../../src/election/registry.ts';
import { createCast } from '../../src/election/world/cast.ts';

export interface Given extends Partial<Omit<Instance, 'cast' | 'bounds'>> {
  readonly ring?: readonly number[];
  readonly flags?: Flags;
  readonly bounds?: Partial<Bounds>;
}

export function instanceOf(protocol: ProtocolName, nodes: number, given: Given = {}): Instance {
  const { ring = Array.from({ length: nodes }, (_, index) => index + 1), flags = {} } = given;
  const { crashedBefore = [], resource } = given;
  const timing = { latencyTicksMax: 1 };
  const plain = createCast({ protocol, timing, ring, crashedBefore, absent: given.absent, flags });
  const cast = withReplica(plain, given.bounds?.failover ?? 0);
  return {
    protocol,
    cast: resource === undefined ? cast : castWithResource(cast, protocol, resource),
    ...{ crashedBefore, absent: given.absent },
    initiators: given.initiators ?? ring.toSorted((left, right) => left - right),
    starts: given.starts ?? 'together',
    timing: given.timing ?? 'asynchronous',
    links: given.links ?? (PROTOCOLS[protocol].fifo ? 'fifo' : 'any'),
    bounds: { ...NO_FAULTS, ...given.bounds },
    ...{ cut: given.cut ?? [], perLink: given.perLink ?? null },
    ...{ isShifted: given.isShifted ?? false, spread: given.spread ?? null, resource },
  };
}
