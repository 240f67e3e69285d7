/**
 * @module
 * The instances of Redlock, the store of redlock: independent servers that each grant a lock for a fixed number of
 * ticks on their own clock (Redis documentation, Distributed Locks with Redis: SET with NX and PX to
 * acquire; a script compares the value and then extends or deletes). They are one machine, and each call names its
 * instance. `value` is the random value of a lock: the number of the ACQUIRE, which counts for its sender alone.
 *
 * The epoch of an instance is not part of Redlock. It counts the grants, and an EXTEND may raise it. An instance
 * therefore gives each epoch to one holder, as long as it loses no data. Calls may arrive late and twice. A copy of the
 * ACQUIRE that the lock was granted for gets the same answer and no more time.
 */

import type { Step } from '../../handlers.ts';
import { createMachine } from '../../handlers.ts';
import type { Machine, Rank } from '../../machine.ts';

type OfRequest = { readonly instance: number; readonly request: number };

export type InstanceCall =
  | (OfRequest & { readonly type: 'ACQUIRE' })
  /** Prolongs the lock of this value, and raises its epoch to this one. */
  | (OfRequest & { readonly type: 'EXTEND'; readonly value: number; readonly epoch: number })
  /** Deletes the lock of this value. Has no answer. */
  | { readonly type: 'RELEASE'; readonly instance: number; readonly value: number };

export type InstanceReply =
  | (OfRequest & { readonly type: 'GRANTED'; readonly epoch: number })
  | (OfRequest & { readonly type: 'EXTENDED'; readonly epoch: number })
  /** `holder` is the node that has the lock. Null if no node has it. */
  | (OfRequest & {
      readonly type: 'REFUSED';
      readonly holder: Rank | null;
      readonly epoch: number;
    });

type Instance = {
  holder: Rank | null;
  /** The random value of the lock that it granted last. */
  value: number;
  epoch: number;
};

export type InstancesState = { instances: Instance[] };

type Own = Step<InstancesState, InstanceCall | InstanceReply, number>;

/** Machine of this many instances, whose locks last `leaseTicks`. */
export function createRedlockInstances({
  instances,
  leaseTicks,
}: {
  readonly instances: number;
  readonly leaseTicks: number;
}): Machine<InstancesState, InstanceCall | InstanceReply> {
  return createMachine<InstancesState, InstanceCall | InstanceReply, number>({
    settings: leaseTicks,
    init: () => ({
      instances: Array.from({ length: instances }, () => ({ holder: null, value: 0, epoch: 0 })),
    }),
    on: {
      deliver: {
        ACQUIRE(step, call, from) {
          const instance = instanceOf(step, call);
          if (instance === undefined) return;
          if (instance.holder === null) {
            instance.holder = from;
            instance.value = call.request;
            instance.epoch += 1;
            startLock(step, call);
          } else if (instance.holder !== from || instance.value !== call.request) {
            refuse(step, call, from);
            return;
          }
          answer(step, 'GRANTED', call, from);
        },
        EXTEND(step, call, from) {
          const instance = instanceOf(step, call);
          if (instance === undefined) return;
          const { holder, value, epoch } = instance;
          // Such an epoch belonged to another lock, or would be given a second time.
          if (holder !== from || value !== call.value || !(call.epoch >= epoch)) {
            refuse(step, call, from);
            return;
          }
          instance.epoch = call.epoch;
          startLock(step, call);
          answer(step, 'EXTENDED', call, from);
        },
        RELEASE(step, call, from) {
          const instance = instanceOf(step, call);
          if (instance?.holder !== from || instance.value !== call.value) return;
          instance.holder = null;
          step.effects.cancelTimer(timerOf(call));
        },
      },
      timeout: {
        lock({ state }, timer) {
          const instance = state.instances[Number(timer.slice(LOCK_TIMER.length))];
          if (instance !== undefined) instance.holder = null;
        },
      },
    },
  });
}

const LOCK_TIMER = 'lock:';

/** A Byzantine client may name an instance that does not exist. */
function instanceOf({ state }: Own, { instance }: { readonly instance: number }) {
  return Number.isSafeInteger(instance) ? state.instances[instance] : undefined;
}

function timerOf({ instance }: { readonly instance: number }): string {
  return `${LOCK_TIMER}${instance}`;
}

function startLock({ effects, settings }: Own, call: OfRequest): void {
  effects.setTimer(timerOf(call), settings, false);
}

function answer(
  step: Own,
  type: 'GRANTED' | 'EXTENDED',
  { instance, request }: OfRequest,
  to: Rank,
): void {
  const epoch = step.state.instances[instance]?.epoch ?? 0;
  step.effects.send(to, { type, instance, request, epoch });
}

function refuse({ state, effects }: Own, { instance, request }: OfRequest, to: Rank): void {
  const { holder = null, epoch = 0 } = state.instances[instance] ?? {};
  effects.send(to, { type: 'REFUSED', instance, request, holder, epoch });
}
