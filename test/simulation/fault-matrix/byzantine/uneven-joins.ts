/**
 * @module
 * Members that do not learn of newcomers at the same time: until it has learned of one, a node counts
 * without them, takes them for strangers and is told nothing of them. Rings are closed for all at once:
 * the network alone knows the neighbours of each node.
 */

import type { AnyMachine } from '../../../../src/election/definition/protocol.ts';
import type { Rank, Self } from '../../../../src/election/machine.ts';
import type { Random } from '../../../../src/random.ts';

export interface LateReports {
  /** For how many ticks `member` does not know of `newcomer`. */
  readonly ticksOf: (member: Rank, newcomer: Rank) => number;
}

/** Half of the members know at once, the others up to this number of ticks later. */
const REPORTS_TICKS_MAX = 120;
const TIMER = 'news:';

export function createLateReports(random: Random): LateReports {
  const drawn = new Map<string, number>();
  return {
    ticksOf(member, newcomer) {
      const pair = `${member} ${newcomer}`;
      const ticks = drawn.get(pair) ?? random.below(2) * (1 + random.below(REPORTS_TICKS_MAX));
      drawn.set(pair, ticks);
      return ticks;
    },
  };
}

/** A machine that learns of newcomers late. It must not crash meanwhile: what it waits for is kept here. */
export function hearingLate(machine: AnyMachine, reports: LateReports): AnyMachine {
  const waiting = new Map<Rank, Set<Rank>>();
  const unknownTo = (member: Rank) => waiting.get(member) ?? new Set<Rank>();
  const without = (self: Self): Self => {
    const members = self.members.filter((each) => !unknownTo(self.rank).has(each));
    return { ...self, members };
  };
  return {
    init: (self) => machine.init(without(self)),
    step(self, state, event, effects) {
      const unknown = unknownTo(self.rank);
      if (event.type === 'join') {
        const ticks = reports.ticksOf(self.rank, event.node);
        if (ticks > 0) {
          waiting.set(self.rank, unknown.add(event.node));
          effects.setTimer(`${TIMER}${event.node}`, ticks, false);
          return;
        }
      }
      if ((event.type === 'trust' || event.type === 'suspect') && unknown.has(event.node)) return;
      if (event.type !== 'timeout' || !event.timer.startsWith(TIMER)) {
        machine.step(without(self), state, event, effects);
        return;
      }
      for (const node of unknown) {
        if (event.timer !== `${TIMER}${node}`) continue;
        unknown.delete(node);
        machine.step(without(self), state, { type: 'join', node }, effects);
        machine.step(without(self), state, { type: 'trust', node }, effects);
      }
    },
  };
}
