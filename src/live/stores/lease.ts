/**
 * @module
 * The lease of lease-local on a store that has leases of its own: which action of the store serves each operation, and the
 * answers. What the modelled service answers is in src/election/lease/stores/lease-service.ts.
 */

import { z } from 'zod';
import { numbersOf } from '../../election/definition/flags.ts';
import { LEASE_LOCAL_NUMBERS } from '../../election/lease/lease-local.ts';
import type { ServiceCall, ServiceReply } from '../../election/lease/stores/lease-service.ts';
import type { Rank } from '../../election/machine.ts';
import type { StoreAnswer, StoreService, StoreUse } from './live-store.ts';
import { contentBySchema, countTextSchema, lastEpochSchema, rankSchema } from './live-store.ts';

/** What a store does for the node that uses it. Each throws `StoreAway`. */
export interface LeaseActions {
  acquire(request: number): Promise<StoreAnswer>;
  renew(request: number, epoch: number): Promise<StoreAnswer>;
  release(epoch: number): Promise<void>;
  /** Reads who has it. */
  look(): Promise<LeaseState>;
}

/** The length of the lease, in ms. */
export function leaseMs({ timing }: StoreUse): number {
  return numbersOf(LEASE_LOCAL_NUMBERS, timing, {}).leaseTicks;
}

/** The service with these actions. */
export function leaseService(actions: LeaseActions): StoreService {
  const run = async (operation: ServiceCall): Promise<StoreAnswer | null> => {
    switch (operation.type) {
      case 'ACQUIRE':
        return actions.acquire(operation.request);
      case 'RENEW':
        return actions.renew(operation.request, operation.epoch);
      case 'RELEASE':
        await actions.release(operation.epoch);
        return null;
      default:
        return operation satisfies never;
    }
  };
  return {
    operations: ['ACQUIRE', 'RENEW', 'RELEASE'],
    // A service gets only its operations, which the machine of the protocol made.
    call: (operation) => run(operation as ServiceCall),
    async check() {
      await actions.look();
    },
  };
}

/** The answer to a node that has the lease in this epoch. */
export function granted(request: number, epoch: number, mark: StoreAnswer['mark']): StoreAnswer {
  const value: ServiceReply = { type: 'GRANTED', request, epoch };
  return { value, mark };
}

/** The answer to a node that does not have it. Such an operation writes nothing. */
export function refused(request: number, { holder, epoch, revision }: LeaseState): StoreAnswer {
  const value: ServiceReply = { type: 'REFUSED', request, holder, epoch };
  return { value, mark: { revision, wrote: false } };
}

/** Who has the lease at one revision of the store. */
export interface LeaseState {
  readonly holder: Rank | null;
  /** The last epoch that was granted. */
  readonly epoch: number;
  readonly revision: number;
}

/** Parses who has the lease, as a store says it. `where` names it. Throws `StoreMalformed`. */
export function leaseStateIn(
  given: { readonly [Member in keyof LeaseState]: unknown },
  own: Rank,
  where: string,
): LeaseState {
  const holder = rankSchema(own).nullable();
  const schema = z.object({ holder, epoch: lastEpochSchema, revision: countTextSchema });
  return contentBySchema(schema, given, where);
}
