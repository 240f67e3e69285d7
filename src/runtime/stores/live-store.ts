/**
 * @module
 * This folder connects live nodes to real stores. This file is the contract that every store fulfils: it takes the
 * operations of a modelled store (src/election/lease/stores) and answers with the same messages, in one order of steps.
 * A store that cannot be reached loses operations or answers, as a network does. The machines ask again.
 */

import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import type { Message, Rank } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';

/** The answer to an operation. */
export interface StoreAnswer {
  readonly value: Message;
  readonly mark: {
    /** Number of the last write of the store before the answer, this one included. The end of a lease counts as a write. */
    readonly revision: number;
    /** Whether the operation is that write, or saw first that a lease had ended. */
    readonly wrote: boolean;
  };
}

/** A store as one node has it. */
export interface LiveStore {
  /** Null if the operation has no answer, or it was lost. */
  call(operation: Message): Promise<StoreAnswer | null>;
  close(): Promise<void>;
}

/** Who uses a store, and for what. */
export interface StoreUse {
  readonly own: Rank;
  /** Elections have nothing in common. */
  readonly election: string;
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  /** The resource that leaders write to, beside the store of the protocol; null without one. */
  readonly resource: ResourceKind | null;
  /** Receives messages that answer no operation. */
  readonly onNotice: (value: Message) => void;
}

/** Carries out the operations of one service. Throws `StoreAway` if the outcome is unknown. */
export interface StoreService {
  readonly operations: readonly string[];
  call(operation: Message): Promise<StoreAnswer | null>;
}

/** The store did not answer. The operation may have taken effect. */
export class StoreAway extends Error {}

/** Operations of one node that wait for a store. More are lost. */
export const STORE_WAITING_MAX = 256;

/** A store with these services. Operations of no service have no effect. */
export function storeOfServices(
  services: readonly StoreService[],
  close: () => Promise<void>,
): LiveStore {
  let waiting = 0;
  return {
    async call(operation) {
      const service = services.find(({ operations }) => operations.includes(operation.type));
      if (service === undefined || waiting >= STORE_WAITING_MAX) return null;
      waiting += 1;
      try {
        return await service.call(operation);
      } catch (error) {
        if (error instanceof StoreAway) return null;
        throw error;
      } finally {
        waiting -= 1;
      }
    },
    close,
  };
}
