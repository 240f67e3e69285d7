/**
 * @module
 * The modelled store on the real clock, behind the contract of real stores, so that one suite tests both.
 */

import { castWithWorkload } from '../../../src/election/lease/workload-cast.ts';
import type { Effects, Event, Message, Rank } from '../../../src/election/machine.ts';
import type { Cast } from '../../../src/election/world/cast.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import { NodeTimers } from '../../../src/live/live-node.ts';
import type { LiveStore, StoreUse } from '../../../src/live/stores/live-store.ts';

type Uses = Pick<StoreUse, 'protocol' | 'timing' | 'resource'>;

/** One store for all that open it. */
export function createModelledStore({ protocol, timing, resource }: Uses) {
  const plain = createCast({ protocol, timing, ring: [1], crashedBefore: [] });
  const cast: Cast =
    resource === null ? plain : castWithWorkload(plain, { protocol, resource, everyTicks: 1 });
  const rank = cast.store ?? 0;
  const machine = cast.machineOf(rank);
  const state = machine.init(cast.selfOf(rank));
  const clients = new Map<Rank, (value: Message) => void>();
  let revision = 0;
  const timers = new NodeTimers((timer) => {
    revision += 1;
    for (const { to, message } of step({ type: 'timeout', timer })) clients.get(to)?.(message);
  });
  const step = (event: Event<Message>) => {
    const sent: { readonly to: Rank; readonly message: Message }[] = [];
    const refuse = (): never => {
      throw new TypeError('a store has no such effect');
    };
    const effects: Effects<Message> = {
      send: (to, message) => sent.push({ to, message }),
      setTimer: (timer, ticks, periodic) => timers.set(timer, ticks, periodic),
      cancelTimer: (timer) => timers.cancel(timer),
      ...{ choose: refuse, persist: refuse, call: refuse, elect: refuse },
      ...{ stepDown: refuse, accuse: refuse, respond: refuse },
    };
    machine.step(cast.selfOf(rank), state, event, effects);
    return sent;
  };
  return {
    open({ own, onNotice }: StoreUse): LiveStore {
      clients.set(own, onNotice);
      return {
        async call(message) {
          const before = JSON.stringify(state);
          const sent = step({ type: 'deliver', from: own, message });
          const wrote = JSON.stringify(state) !== before;
          if (wrote) revision += 1;
          const [answer = null, ...others] = sent.toSorted(
            (one, other) => Number(other.to === own) - Number(one.to === own),
          );
          for (const { to, message: notice } of others) clients.get(to)?.(notice);
          return answer === null ? null : { value: answer.message, mark: { revision, wrote } };
        },
        close: async () => void clients.delete(own),
      };
    },
    close: () => timers.close(),
  };
}
