/**
 * @module
 * The resource accepts no write of a leader that has been replaced: none of a lower epoch than an operation that it
 * accepted before. A fence prevents such writes under every schedule; without one a leader that does not know of the
 * end of its lease does harm (M. Kleppmann, How to do distributed locking, 2016).
 */

import type { Protocol } from '../../election/definition/protocol.ts';
import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import { resourceIn } from '../../election/lease/workload-cast.ts';
import { fromRank } from '../../election/world/cast.ts';
import type { CheckedProperty, Reading, WorldView } from '../property.ts';

/** Accepted operations, and those that were stale. Null for a node, and for a store without a resource. */
export const ACCEPTED: Reading<{ readonly accepted: number; readonly stale: number } | null> = {
  of({ state }) {
    const resource = resourceIn(state);
    return resource && { accepted: resource.accepted, stale: resource.staleAccepted };
  },
};

/** What the resource of a world accepted; null if leaders write to none. */
export function acceptedIn({ store, factOf }: WorldView): ReturnType<typeof ACCEPTED.of> {
  return store === null ? null : factOf(ACCEPTED, store);
}

/** Which leader wrote too late. */
function staleText({ store, nodeOf }: WorldView): string {
  const resource = store === null ? null : resourceIn(nodeOf(store).state);
  const stale = resource?.recent.findLast((write) => write.stale) ?? null;
  if (resource === null || stale === null) return 'the resource accepted no stale write';
  const [by, ...others] = Object.entries(resource.last).flatMap(([rank, [epoch]]) =>
    epoch === resource.highest ? [rank] : [],
  );
  const after = by === undefined || others.length > 0 ? '' : `, in which node ${by} wrote before`;
  return `the resource accepted write ${stale.value} of node ${fromRank(stale.by)}, which led epoch ${stale.epoch}, after an operation of epoch ${resource.highest}${after}`;
}

function withoutResource(_protocol: Protocol, resource: ResourceKind | null): string | null {
  return resource === null ? 'its leaders write to no resource' : null;
}

export const FENCED_WRITES: CheckedProperty = {
  name: 'fenced-writes',
  kind: 'always',
  description: 'the resource never accepts a write of a leader that has been replaced',
  claim: {
    unsupportedReason(protocol, resource) {
      if (protocol.unique !== 'epoch') return 'its leaders have no epochs';
      return withoutResource(protocol, resource);
    },
    matrix: [],
    needsFence: true,
  },
  partner: 'leader-writes',
  histories: [],
  readings: [ACCEPTED],
  isSymmetric: true,
  holds: (view) => (acceptedIn(view)?.stale ?? 0) === 0,
  breach: staleText,
};

export const LEADER_WRITES: CheckedProperty = {
  name: 'leader-writes',
  kind: 'sometimes',
  description: 'the resource accepts an operation of a leader',
  claim: { unsupportedReason: withoutResource, matrix: [] },
  partner: null,
  histories: [],
  readings: [ACCEPTED],
  isSymmetric: true,
  holds: (view) => (acceptedIn(view)?.accepted ?? 0) > 0,
  breach: () => 'the resource accepted nothing',
};
