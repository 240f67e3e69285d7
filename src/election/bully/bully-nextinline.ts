/**
 * @module
 * Bully with a short cut, as lectures tell it after Garcia-Molina (1982): the member right below a
 * leader that its own detector suspects announces itself at once and asks nobody; everybody else, and
 * it too when it is merely asked, holds the one-shot election.
 *
 * Invariants: those of bully-oneshot, and (6) no short cut by a node that knows of a higher one back.
 * Message bound: n−2 COORDINATOR when the next in line notices, n² − n − 1 in all for the one-shot
 * election. The time is one message's. Safety now rests on the detector: after one false suspicion
 * by the second highest two nodes lead until `trust` takes it back and the second asks the first.
 */

import type { Event, Machine, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import type { BullyFlags, BullyMessage, BullyState } from './bully-oneshot.ts';
import { announce, forgetReturned, initBully, isOvertaken, stepBully } from './bully-oneshot.ts';
import { isNextAfter } from './seniority.ts';

const FLAGS: BullyFlags = { rejoin: 'dedup', coordTo: 'lower', aliveTop: 'reannounce' };

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyNextInLine(timing: Timing): Machine<BullyState, BullyMessage> {
  return {
    init: initBully,
    step(self, state, event, effects) {
      const bully = { timing, flags: FLAGS, self, state, effects };
      if (event.type === 'suspect') forgetReturned(state, event.node);
      if (noticesFailure(self, state, event) && isInLine(self, state)) announce(bully);
      else stepBully(bully, event);
    },
  };
}

/** Its detector's word, or a start while it still follows the leader of before this election. */
export function noticesFailure(
  self: Self,
  state: BullyState,
  event: Event<{ readonly type: string }>,
): boolean {
  if (state.phase !== 'idle' || state.leader === null) return false;
  if (event.type === 'start') return state.leader === self.incumbent;
  return event.type === 'suspect' && event.node === state.leader;
}

function isInLine(self: Self, state: BullyState): boolean {
  if (state.leader === null || isOvertaken(state, self.rank)) return false;
  return isNextAfter(self, state.leader);
}
