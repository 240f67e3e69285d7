/**
 * @module
 * The lease of lease-local on a store that has leases of its own: which action of the store serves each operation, and the
 * answers. What the modelled service answers is in src/election/lease/stores/lease-service.ts.
 */

import { z } from 'zod';
import { numbersOf } from '../../election/definition/flags.ts';
import { LEASE_LOCAL_NUMBERS } from '../../election/lease/lease-local.ts';
import type { ServiceCall, ServiceReply } from '../../election/lease/stores/lease-service.ts';
import type { Message, Rank } from '../../election/machine.ts';
import type { StoreAnswer, StoreService, StoreUse } from './live-store.ts';
import {
  contentBySchema,
  countSchema,
  countTextSchema,
  lastEpochSchema,
  lostData,
  numberAbove,
  raisedText,
  rankSchema,
} from './live-store.ts';

/** What a store does for the node that uses it. Each throws `StoreAway`. */
export interface LeaseActions {
  /** Where the lease is, in words for the user. */
  readonly where: string;
  /** Refuses if the last epoch is below `least`, because the store has then lost data. */
  acquire(request: number, least: number): Promise<StoreAnswer>;
  renew(request: number, epoch: number): Promise<StoreAnswer>;
  release(epoch: number): Promise<void>;
  /** Reads who has it. */
  look(): Promise<LeaseState>;
  /**
   * Sets the last epoch and the number of the last write to `epoch`, if the last write is still `revision`. The store then
   * grants nothing for a whole lease. Null for a store whose numbers cannot be raised.
   */
  readonly raise: ((epoch: number, revision: number) => Promise<LeaseState>) | null;
}

/** The length of the lease, in ms. */
export function leaseMs({ timing, flags = {} }: StoreUse): number {
  return numbersOf(LEASE_LOCAL_NUMBERS, timing, flags).leaseTicks;
}

/** The service with these actions. */
export function leaseService(actions: LeaseActions, use: StoreUse): StoreService {
  const { where } = actions;
  let last: Grant = { epoch: 0, holder: null };
  const run = (operation: ServiceCall, least: number): Promise<StoreAnswer | null> => {
    switch (operation.type) {
      case 'ACQUIRE':
        return actions.acquire(operation.request, least);
      case 'RENEW':
        return actions.renew(operation.request, operation.epoch);
      case 'RELEASE':
        return actions.release(operation.epoch).then(() => null);
      case 'RAISE':
        // No machine calls RAISE.
        return Promise.resolve(null);
      default:
        return operation satisfies never;
    }
  };
  const raised = async (seen: number, { request }: Grant & { readonly request: number }) => {
    if (actions.raise === null) throw lostData(where);
    const before = await actions.look();
    const epoch = numberAbove(seen, before.epoch, before.revision, last.epoch);
    const state = await actions.raise(epoch, before.revision);
    last = state;
    use.onWarning?.(raisedText(where, epoch));
    const { value, mark } = refused(request, state);
    return { value, mark: { ...mark, wrote: true } };
  };
  return {
    where,
    operations: ['ACQUIRE', 'RENEW', 'RELEASE'],
    async call(operation, seen) {
      const before = last;
      // A service gets only its operations, which the machine of the protocol made.
      const answer = await run(operation as ServiceCall, before.epoch);
      const given = answer === null ? null : grantIn(answer.value, use.own);
      if (answer === null || given === null) return answer;
      const isBehind = answer.mark.revision < seen || !canFollow(before, given);
      if (isBehind) return raised(Math.max(seen, answer.mark.revision), given);
      if (given.epoch >= last.epoch) last = given;
      return answer;
    },
    async check() {
      await actions.look();
    },
    recall(value) {
      last = grantIn(value, use.own) ?? last;
    },
  };
}

/** The last grant that an answer shows. `holder` is null if no node has the lease now. */
interface Grant {
  readonly epoch: number;
  readonly holder: Rank | null;
}

const grantSchema = z.looseObject({ request: countSchema, epoch: countSchema });

/** Returns the grant that an answer shows. Another program can have changed an answer of an earlier life. */
function grantIn(value: Message, own: Rank): (Grant & { readonly request: number }) | null {
  const { data } = grantSchema.safeParse(value);
  if (data === undefined || !['GRANTED', 'REFUSED'].includes(value.type)) return null;
  const { request, epoch } = data;
  const holder =
    value.type === 'GRANTED' ? own : (rankSchema(own).safeParse(data.holder).data ?? null);
  return { request, epoch, holder };
}

/** Whether a grant can have come after this one: an epoch has one holder. */
function canFollow(before: Grant, { epoch, holder }: Grant): boolean {
  const isSame = before.holder === null || holder === null || before.holder === holder;
  return epoch > before.epoch || (epoch === before.epoch && isSame);
}

/** The answer to a node that has the lease in this epoch. */
export function granted(request: number, epoch: number, mark: StoreAnswer['mark']): StoreAnswer {
  const value: ServiceReply = { type: 'GRANTED', request, epoch };
  return { value, mark };
}

/** The answer to a node that does not have it. Such an operation writes nothing. */
export function refused(request: number, state: LeaseState): StoreAnswer {
  const { holder, epoch, revision, isRaised = false } = state;
  const value: ServiceReply = { type: 'REFUSED', request, holder, epoch };
  const raised: ServiceCall = { type: 'RAISE', epoch };
  return { value, mark: { revision, wrote: false, ...(isRaised && { raised }) } };
}

/** Who has the lease at one revision of the store. */
export interface LeaseState {
  readonly holder: Rank | null;
  /** The last epoch that was granted. */
  readonly epoch: number;
  readonly revision: number;
  /** Whether the epoch was raised, and no node has had the lease since then. */
  readonly isRaised?: boolean | undefined;
}

/** Parses who has the lease, as a store says it. `where` names it. Throws `StoreMalformed`. */
export function leaseStateIn(
  given: { readonly [Member in keyof LeaseState]: unknown },
  own: Rank,
  where: string,
): LeaseState {
  const holder = rankSchema(own).nullable();
  const numbers = { epoch: lastEpochSchema, revision: countTextSchema };
  const schema = z.object({ holder, ...numbers, isRaised: z.boolean().optional() });
  return contentBySchema(schema, given, where);
}
