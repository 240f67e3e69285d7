/**
 * @module
 * Counts the accepted writes of replaced leaders in a run. The resource cannot count them, because it does not see
 * elections.
 */

import type { AnyMachine } from '../../election/definition/protocol.ts';
import { ReplacedLeaders } from '../../election/lease/replaced-leaders.ts';
import { resourceIn } from '../../election/lease/workload-cast.ts';
import { memberOf } from '../../election/message-members.ts';
import type { Cast } from '../../election/world/cast.ts';
import { castWithStore, fromRank } from '../../election/world/cast.ts';
import type { LeaderView } from '../engine/engine-options.ts';
import type { Plan } from '../plan/plan.ts';

export interface StaleWrites {
  /** The cast with a resource whose accepted writes are seen. */
  readonly cast: Cast;
  /** Notes the new state of a node. */
  observe(view: LeaderView): void;
  count(): number;
}

/** Null if leaders write to no resource. */
export function watchStaleWrites(cast: Cast, plan: Plan): StaleWrites | null {
  if (plan.workload === null || cast.store === null) return null;
  const byzantine = new Set(plan.byzantine.map(({ rank }) => rank));
  const leaders = new ReplacedLeaders<number>();
  let count = 0;
  const onWrite = (by: number, epoch: number) => {
    if (leaders.hasReplaced(by, epoch)) count += 1;
  };
  return {
    cast: castWithStore(cast, seenWriting(cast.machineOf(cast.store), onWrite)),
    observe({ rank, up, leader, epoch }) {
      if (byzantine.has(rank)) return;
      if (up && leader === rank) leaders.leads(rank, epoch);
      else leaders.yields(rank);
      // A Byzantine node can claim any epoch. It leads if an honest node follows it.
      if (leader !== null && byzantine.has(leader)) leaders.leads(leader, epoch);
    },
    count: () => count,
  };
}

/** The machine of a store. `onWrite` receives each write that takes effect. */
function seenWriting(
  machine: AnyMachine,
  onWrite: (by: number, epoch: number) => void,
): AnyMachine {
  return {
    init: machine.init,
    step(self, state, event, effects) {
      const before = resourceIn(state)?.accepted ?? 0;
      machine.step(self, state, event, effects);
      if (event.type !== 'deliver' || event.message.type !== 'WRITE') return;
      const epoch = memberOf(event.message, 'epoch');
      const isAccepted = (resourceIn(state)?.accepted ?? 0) > before;
      if (isAccepted && typeof epoch === 'number') onWrite(fromRank(event.from), epoch);
    },
  };
}
