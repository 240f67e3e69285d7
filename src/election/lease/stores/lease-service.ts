/**
 * @module
 * A lease service, the store of lease-local. It grants one lease at a time, for a fixed number of ticks
 * on its own clock, and numbers its grants (C. Gray and D. Cheriton, Leases: An Efficient
 * Fault-Tolerant Mechanism for Distributed File Cache Consistency, SOSP 1989; the number is the
 * fencing token). Each call is one step.
 *
 * Calls may arrive late and twice. A copy of the ACQUIRE that the lease was granted for gets the same
 * answer and no more time. Any other ACQUIRE is refused while the lease runs, also the holder's own. A
 * RENEW or a RELEASE counts only in its own epoch. A RAISE reports that the service has lost data. The
 * service then grants nothing for a whole lease, because a node may still count on a lost lease.
 */

import type { Step } from '../../handlers.ts';
import { createMachine } from '../../handlers.ts';
import type { Machine, Rank } from '../../machine.ts';

export type ServiceCall =
  | { readonly type: 'ACQUIRE'; readonly request: number }
  | { readonly type: 'RENEW'; readonly request: number; readonly epoch: number }
  /** Has no answer. */
  | { readonly type: 'RELEASE'; readonly epoch: number }
  /** The service has lost data. Its next grants have epochs above this one. Has no answer. */
  | { readonly type: 'RAISE'; readonly epoch: number };

export type ServiceReply =
  | { readonly type: 'GRANTED'; readonly request: number; readonly epoch: number }
  | {
      readonly type: 'REFUSED';
      readonly request: number;
      /** The node that has the lease. Null if no node has it. */
      readonly holder: Rank | null;
      readonly epoch: number;
    };

export type ServiceState = {
  holder: Rank | null;
  /** Number of the last grant. 0 before the first. */
  epoch: number;
  /** Number of the ACQUIRE that the lease was granted for. 0 before the first grant and after a RAISE. */
  request: number;
};

type Own = Step<ServiceState, ServiceCall | ServiceReply, number>;

export function createLeaseService(
  leaseTicks: number,
): Machine<ServiceState, ServiceCall | ServiceReply> {
  return createMachine<ServiceState, ServiceCall | ServiceReply, number>({
    settings: leaseTicks,
    init: () => ({ holder: null, epoch: 0, request: 0 }),
    on: {
      deliver: {
        ACQUIRE(step, { request }, from) {
          const { state } = step;
          if (state.holder === null) {
            state.holder = from;
            state.epoch += 1;
            state.request = request;
            startLease(step);
          } else if (state.holder !== from || state.request !== request) {
            refuse(step, request, from);
            return;
          }
          grant(step, request, from);
        },
        RENEW(step, { request, epoch }, from) {
          if (!isHeld(step, epoch, from)) {
            refuse(step, request, from);
            return;
          }
          startLease(step);
          grant(step, request, from);
        },
        RELEASE(step, { epoch }, from) {
          if (!isHeld(step, epoch, from)) return;
          step.state.holder = null;
          step.effects.cancelTimer('lease');
        },
        RAISE(step, { epoch }, from) {
          if (epoch <= step.state.epoch) return;
          Object.assign(step.state, { holder: from, epoch, request: 0 });
          startLease(step);
        },
      },
      timeout: {
        lease({ state }) {
          state.holder = null;
        },
      },
    },
  });
}

/** Whether `by` has the lease of this epoch. */
function isHeld({ state }: Own, epoch: number, by: Rank): boolean {
  return state.holder === by && state.epoch === epoch;
}

function startLease({ effects, settings }: Own): void {
  effects.setTimer('lease', settings, false);
}

function grant({ state, effects }: Own, request: number, to: Rank): void {
  effects.send(to, { type: 'GRANTED', request, epoch: state.epoch });
}

function refuse({ state, effects }: Own, request: number, to: Rank): void {
  const { epoch } = state;
  const holder = state.request === 0 ? null : state.holder;
  effects.send(to, { type: 'REFUSED', request, holder, epoch });
}
