/**
 * @module
 * Bully with a short cut of lectures, after Garcia-Molina (1982). If the detector of the member right
 * below the leader suspects the leader, that member announces itself at once and asks no node. Every
 * other node, and that member too when it is only asked, runs the one-shot election.
 *
 * Invariants: those of bully-oneshot, and (6) a node takes no short cut if it knows that a higher one
 * has returned, or if it returned less than T ago itself and may not know. Safety depends on the detector: after a false suspicion by the second
 * highest node two nodes lead, until `trust` revokes the suspicion and the second asks the first.
 */

import { defineProtocol } from '../definition/protocol.ts';
import { createMachine } from '../handlers.ts';
import type { Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';
import {
  ANNOUNCED_BY_HIGHEST,
  GARCIA_MOLINA,
  isNextAfter,
  ONESHOT_FAULTS,
  ONESHOT_FORGERY,
  SILENT_BULLY,
  SYNCHRONOUS,
  WAITS_FOR_COORDINATOR,
} from './bully-facts.ts';
import type { BullyMessage, BullyState, BullyStep } from './bully-oneshot.ts';
import {
  announce,
  BULLY_MESSAGES,
  begin,
  defaultSettings,
  forgetUp,
  initBully,
  isOvertaken,
  ONESHOT_HANDLERS,
} from './bully-oneshot.ts';

export const BULLY_NEXTINLINE = defineProtocol({
  name: 'bully-nextinline',
  assumes: `${SYNCHRONOUS} One false suspicion by the second highest makes two leaders.`,
  messageBound:
    'n-2 COORDINATOR when n-1 alone notices that the highest is dead; as bully-oneshot when one lower node does; n^2-3 when all do, n-2 COORDINATOR more than bully-oneshot',
  messagesAbout: (nodes) => nodes ** 2 + nodes,
  decided: ANNOUNCED_BY_HIGHEST,
  source: `${GARCIA_MOLINA}; with the short cut of lectures`,
  flags: {},
  forgery: ONESHOT_FORGERY,
  messages: BULLY_MESSAGES,
  faults: ONESHOT_FAULTS,
  create: createBullyNextInLine,
  ...WAITS_FOR_COORDINATOR,
  ...SILENT_BULLY,
});

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyNextInLine(timing: Timing): Machine<BullyState, BullyMessage> {
  return createMachine({
    settings: defaultSettings(timing),
    init: initBully,
    on: withShortCut((step: BullyStep) => {
      if (isInLine(step)) announce(step);
      else begin(step);
    }),
  });
}

/**
 * The handlers of the one-shot election, with `onFailure` in the place of an election when a node
 * notices by itself that its leader has failed.
 */
export function withShortCut<Own extends BullyStep>(onFailure: (step: Own) => void) {
  return {
    ...ONESHOT_HANDLERS,
    start(step: Own) {
      if (mayNotice(step) && isOfBefore(step)) onFailure(step);
      else begin(step);
    },
    recover(step: Own) {
      // It learns what it missed from the answers to its own question, after T at the latest.
      step.state.justBack = true;
      step.effects.setTimer('back', answerTicks(step.settings.timing), false);
      ONESHOT_HANDLERS.recover(step);
    },
    suspect(step: Own, node: Rank) {
      forgetUp(step.state, node);
      if (node !== step.state.leader) return;
      if (mayNotice(step)) onFailure(step);
      else begin(step);
    },
    timeout: {
      ...ONESHOT_HANDLERS.timeout,
      back({ state }: BullyStep) {
        state.justBack = false;
      },
    },
  } as const;
}

/**
 * Whether a failure of the leader concerns this node: it follows one, and no election runs. A node that
 * has just returned may follow a leader that has been replaced.
 */
export function mayNotice({ state }: { readonly state: BullyState }): boolean {
  return state.phase === 'idle' && state.leader !== null && !state.justBack;
}

/**
 * Whether it still follows the leader of before the run, so that a start means that this one is down. A
 * node that was down or has elected a leader since may follow a node that has returned. A leader with
 * members above it proves that this node has missed an announcement.
 */
export function isOfBefore({ self, state }: Pick<BullyStep, 'self' | 'state'>): boolean {
  return !state.settled && state.leader === self.members.at(-1);
}

function isInLine({ self, state }: BullyStep): boolean {
  if (state.leader === null || isOvertaken(state, self.rank)) return false;
  return isNextAfter(self, state.leader);
}
