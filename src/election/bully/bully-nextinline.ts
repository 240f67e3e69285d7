/**
 * @module
 * Bully with a short cut, as lectures tell it after Garcia-Molina (1982): the member right below a
 * leader that its own detector suspects announces itself at once and asks nobody; everybody else, and
 * it too when it is merely asked, holds the one-shot election.
 *
 * Invariants: those of bully-oneshot, and (6) no short cut by a node that knows of a higher one back, or
 * has itself been back for less than T and may not know. Message bound: n−2 COORDINATOR when the next
 * in line notices, n² − n − 1 in all for the one-shot election. The time is one message's. Safety now
 * rests on the detector: after one false suspicion by the second highest two nodes lead until `trust`
 * takes it back and the second asks the first.
 */

import type { Event, Machine, Message, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';
import type { BullyFlags, BullyMessage, BullyState, BullyStep } from './bully-oneshot.ts';
import { announce, forgetUp, initBully, isOvertaken, stepBully } from './bully-oneshot.ts';
import { isNextAfter } from './seniority.ts';

const FLAGS: BullyFlags = { rejoin: 'dedup', coordTo: 'lower', aliveTop: 'reannounce' };

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyNextInLine(timing: Timing): Machine<BullyState, BullyMessage> {
  return {
    init: initBully,
    step(self, state, event, effects) {
      const bully = { timing, flags: FLAGS, self, state, effects };
      if (event.type === 'suspect') forgetUp(state, event.node);
      heedReturn(bully, event);
      if (noticesFailure(self, state, event) && isInLine(self, state)) announce(bully);
      else stepBully(bully, event);
    },
  };
}

/** What was said while it was down it learns from the answers to its own question, after T at last. */
export function heedReturn(
  {
    timing,
    state,
    effects,
  }: Pick<BullyStep, 'timing' | 'state'> & {
    readonly effects: Pick<BullyStep['effects'], 'setTimer'>;
  },
  event: Event<Message>,
): void {
  if (event.type === 'recover') {
    state.justBack = true;
    effects.setTimer('back', answerTicks(timing), false);
  }
  if (event.type === 'timeout' && event.timer === 'back') state.justBack = false;
}

/**
 * Its detector's word, or a start while it still follows the leader of before the run. One that was
 * down or has heard a leader since may follow that very node come back, and does not notice a thing;
 * nor does one whose leader has members above it, which it has not heard of.
 */
export function noticesFailure(
  self: Self,
  state: BullyState,
  event: Event<{ readonly type: string }>,
): boolean {
  if (state.phase !== 'idle' || state.leader === null || state.justBack) return false;
  if (event.type === 'start') return !state.settled && state.leader === self.members.at(-1);
  return event.type === 'suspect' && event.node === state.leader;
}

function isInLine(self: Self, state: BullyState): boolean {
  if (state.leader === null || isOvertaken(state, self.rank)) return false;
  return isNextAfter(self, state.leader);
}
