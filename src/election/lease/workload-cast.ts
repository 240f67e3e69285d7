/**
 * @module
 * A cast whose leaders write to a resource: the workload around each node, and the resource as the store, beside the
 * store of the protocol if it has one.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Json } from '../machine.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import type { Cast } from '../world/cast.ts';
import { castWithStore, memoised, withNodes } from '../world/cast.ts';
import { createLeaderWorkload } from './leader-workload.ts';
import type { ResourceKind, ResourceState } from './stores/resource.ts';
import { createResource, RESOURCE_OPERATIONS } from './stores/resource.ts';
import { createServices } from './stores/services.ts';

export interface CastWorkload {
  readonly protocol: ProtocolName;
  readonly resource: ResourceKind;
  /** Ticks between two writes of a leader. */
  readonly everyTicks: number;
  /** How far an epoch may exceed the highest epoch so far; any distance if absent. */
  readonly epochStepMax?: number | null | undefined;
}

/** The cast with the workload. Nodes that share a machine share the one around it. */
export function castWithWorkload(cast: Cast, workload: CastWorkload): Cast {
  const loaded = memoised((machine) => loadedMachine(machine, workload));
  return castWithStore(withNodes(cast, loaded), storeOf(cast, workload));
}

/** The machine of a node whose leaders write to such a resource. */
export function loadedMachine(
  machine: AnyMachine,
  { resource, everyTicks }: Pick<CastWorkload, 'resource' | 'everyTicks'>,
): AnyMachine {
  const registers = resource === 'fencing-register';
  return createLeaderWorkload(machine, { everyTicks, registers });
}

function storeOf(cast: Cast, { protocol, resource: kind, epochStepMax }: CastWorkload): AnyMachine {
  const resource = {
    machine: createResource(kind, { epochStepMax }),
    operations: RESOURCE_OPERATIONS,
  };
  if (cast.store === null) return createServices({ resource });
  const operations = PROTOCOLS[protocol].messageTypes;
  const store = { machine: cast.machineOf(cast.store), operations };
  return createServices({ resource, store });
}

/** The resource in the state of the store of a cast with a workload. */
export function resourceOf(store: Json): ResourceState {
  // Such a store is one of `createServices`, which the type does not say.
  const { services } = store as unknown as { readonly services: { resource: ResourceState } };
  return services.resource;
}

/** The resource in the state of any store; null if it has none. */
export function resourceIn(store: Json): ResourceState | null {
  if (store === null || typeof store !== 'object' || !('services' in store)) return null;
  const { services } = store;
  return services !== null && typeof services === 'object' && 'resource' in services
    ? resourceOf(store)
    : null;
}
