/**
 * @module
 * A cast with clients: at the rank of the store, beside the store of the protocol and the resource if there are any. The
 * leader serves them from the resource. Without a resource the protocol serves them itself, from its log.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import { createServices } from '../lease/stores/services.ts';
import type { CastWorkload } from '../lease/workload-cast.ts';
import { servicesOf } from '../lease/workload-cast.ts';
import type { ProtocolName } from '../registry.ts';
import type { Cast } from '../world/cast.ts';
import { castWithStore, memoised, withNodes } from '../world/cast.ts';
import type { ClientsOptions } from './clients.ts';
import { CLIENT_MESSAGES, createClients } from './clients.ts';
import type { Reads } from './served-register.ts';
import { createServed } from './served-register.ts';
import { createServing } from './serving.ts';

export interface CastClients extends ClientsOptions {
  readonly protocol: ProtocolName;
  readonly reads: Reads;
  /** The resource behind the leader. Null if the protocol has a log. */
  readonly workload: CastWorkload | null;
}

/** The cast with the clients. Nodes that share a machine share the one around it. */
export function castWithClients(cast: Cast, options: CastClients): Cast {
  const serving = memoised((machine) => servingMachine(machine, options));
  const clients = { machine: createClients(options), operations: CLIENT_MESSAGES };
  const services = servicesOf(cast, options.protocol, options.workload);
  return castWithStore(withNodes(cast, serving), createServices({ ...services, clients }));
}

/** The machine of a node that serves clients while it leads. */
export function servingMachine(
  machine: AnyMachine,
  { workload, reads }: Pick<CastClients, 'workload' | 'reads'>,
): AnyMachine {
  if (workload === null) return createServing(machine);
  const { everyTicks, resource } = workload;
  const registers = resource === 'fencing-register';
  return createServing(createServed(machine, { reads, registers, everyTicks }));
}
