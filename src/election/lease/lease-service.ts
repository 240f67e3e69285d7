/**
 * @module
 * A lease service, the store of lease-local: it grants one lease at a time, for a fixed number of ticks
 * on its own clock, and numbers its grants (C. Gray and D. Cheriton, Leases: An Efficient
 * Fault-Tolerant Mechanism for Distributed File Cache Consistency, SOSP 1989; the number is the
 * fencing token). Each call is one step.
 *
 * Calls may come late and twice. A copy of the ACQUIRE that the lease was granted for gets the same
 * answer and no more time; any other ACQUIRE is refused while the lease runs, the holder's own too. A
 * RENEW or a RELEASE counts in its own epoch alone.
 */

import type { Effects, Machine, Rank } from '../machine.ts';

export type ServiceCall =
  | { readonly type: 'ACQUIRE'; readonly request: number }
  | { readonly type: 'RENEW'; readonly request: number; readonly epoch: number }
  /** Has no answer. */
  | { readonly type: 'RELEASE'; readonly epoch: number };

export type ServiceReply =
  | { readonly type: 'GRANTED'; readonly request: number; readonly epoch: number }
  | {
      readonly type: 'REFUSED';
      readonly request: number;
      /** Who has the lease; null when nobody does. */
      readonly holder: Rank | null;
      readonly epoch: number;
    };

export type ServiceState = {
  holder: Rank | null;
  /** Of the last grant; 0 before the first. */
  epoch: number;
  /** The ACQUIRE that it was granted for. */
  request: number;
};

type Out = Effects<ServiceCall | ServiceReply>;

export function createLeaseService(
  leaseTicks: number,
): Machine<ServiceState, ServiceCall | ServiceReply> {
  return {
    init: () => ({ holder: null, epoch: 0, request: 0 }),
    step(_self, state, event, effects) {
      if (event.type === 'timeout' && event.timer === 'lease') state.holder = null;
      if (event.type !== 'deliver') return;
      const { from, message } = event;
      switch (message.type) {
        case 'ACQUIRE':
          onAcquire(state, { from, request: message.request, leaseTicks }, effects);
          break;
        case 'RENEW':
          if (state.holder === from && state.epoch === message.epoch) {
            effects.setTimer('lease', leaseTicks, false);
            grant(state, { from, request: message.request }, effects);
          } else {
            refuse(state, { from, request: message.request }, effects);
          }
          break;
        case 'RELEASE':
          if (state.holder === from && state.epoch === message.epoch) {
            state.holder = null;
            effects.cancelTimer('lease');
          }
          break;
        case 'GRANTED':
        case 'REFUSED':
          break;
        default:
          // Somebody speaks another protocol; there is nothing to do.
          message satisfies never;
      }
    },
  };
}

interface Asked {
  readonly from: Rank;
  readonly request: number;
}

function onAcquire(
  state: ServiceState,
  { leaseTicks, ...asked }: Asked & { readonly leaseTicks: number },
  effects: Out,
): void {
  if (state.holder === null) {
    state.holder = asked.from;
    state.epoch += 1;
    state.request = asked.request;
    effects.setTimer('lease', leaseTicks, false);
    grant(state, asked, effects);
  } else if (state.holder === asked.from && state.request === asked.request) {
    grant(state, asked, effects);
  } else {
    refuse(state, asked, effects);
  }
}

function grant({ epoch }: ServiceState, { from, request }: Asked, effects: Out): void {
  effects.send(from, { type: 'GRANTED', request, epoch });
}

function refuse({ holder, epoch }: ServiceState, { from, request }: Asked, effects: Out): void {
  effects.send(from, { type: 'REFUSED', request, holder, epoch });
}
