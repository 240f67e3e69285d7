/**
 * @module
 * Arghavani, Ahmadi and Haghighat (2011), "Improved Bully Election Algorithm in Distributed Systems",
 * in the form of lectures. The coordinator asks which nodes are up (INFO_REQ, INFO) and declares which
 * one is next (NEXT). A node that detects its crash reports it to the next one (CRASH), which announces
 * itself. If no announcement follows within T', the one-shot election is held.
 *
 * A leader gathers when its detector reports a change, not by the clock, so that a network at rest is
 * silent. Until then the member right below the leader counts as declared. Invariants: those of
 * bully-oneshot, and (6) NEXT counts only from the leader that a node follows, the newest one, and
 * never names a node below the receiver; (7) CRASH counts only for a leader of before this election that
 * has not returned: for any other leader the next in line has its own detector.
 */

import { DIRECT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Machine, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';
import {
  ANNOUNCED_BY_HIGHEST,
  ONESHOT_FAULTS,
  ONESHOT_FORGERY,
  SILENT_BULLY,
  SYNCHRONOUS,
  WAITS_FOR_COORDINATOR,
} from './bully-facts.ts';
import { isOfBefore, mayNotice, withShortCut } from './bully-nextinline.ts';
import type { BullyMessage, BullySettings, BullyState } from './bully-oneshot.ts';
import {
  announce,
  awaitCoordinator,
  BULLY_MESSAGES,
  begin,
  defaultSettings,
  initBully,
  isOvertaken,
  ONESHOT_HANDLERS,
} from './bully-oneshot.ts';

export type ImprovedMessage =
  | BullyMessage
  /** `round`: number of the leader's gatherings, this one included. */
  | { readonly type: 'INFO_REQ' | 'INFO'; readonly round: number }
  | { readonly type: 'NEXT'; readonly next: Rank; readonly round: number }
  | { readonly type: 'CRASH'; readonly leader: Rank };

export type ImprovedState = BullyState & {
  /** The node that leads next if the leader fails. */
  next: Rank | null;
  /** Number of this node's gatherings while it leads, otherwise of its leader's newest one. */
  round: number;
  /** The highest lower node that has answered this node's present gathering. */
  highestInfo: Rank | null;
};

type Own = Step<ImprovedState, ImprovedMessage, BullySettings>;

export const BULLY_IMPROVED = defineProtocol({
  name: 'bully-improved',
  assumes: `${SYNCHRONOUS} One false suspicion by the declared next makes two leaders.`,
  messageBound:
    'n-2 COORDINATOR + 1 CRASH for each detector but the next; 3(n-1) INFO_REQ, INFO and NEXT for each news of the detector; the fallback as bully-oneshot',
  messagesAbout: (nodes) => nodes ** 2 + nodes,
  decided: ANNOUNCED_BY_HIGHEST,
  source:
    'M. S. Arghavani, E. Ahmadi and A. T. Haghighat, Improved bully election algorithm in distributed systems, ICIMU 2011, in the form of lectures',
  flags: {},
  forgery: ONESHOT_FORGERY,
  messages: {
    ...BULLY_MESSAGES,
    INFO_REQ: { members: { round: 'integer' }, ...DIRECT },
    INFO: {
      members: { round: 'integer' },
      candidates: [],
      statementOf: 'sender',
      // The coordinator declares one of the nodes that have sent it INFO.
      senderStands: true,
      claim: null,
      token: null,
      alterations: null,
    },
    NEXT: {
      members: { next: 'rank', round: 'integer' },
      candidates: ['next'],
      statementOf: 'sender',
      senderStands: false,
      claim: null,
      token: null,
      alterations: { next: 'own-rank', round: 'none' },
    },
    CRASH: { members: { leader: 'rank' }, ...DIRECT },
  },
  faults: ONESHOT_FAULTS,
  create: createBullyImproved,
  ...WAITS_FOR_COORDINATOR,
  ...SILENT_BULLY,
});

const HANDLERS = withShortCut(onFailure);

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyImproved(timing: Timing): Machine<ImprovedState, ImprovedMessage> {
  const machine = createMachine<ImprovedState, ImprovedMessage, BullySettings>({
    settings: defaultSettings(timing),
    init: (self) => ({
      ...initBully(self),
      next: memberBelow(self, self.incumbent),
      round: 0,
      highestInfo: null,
    }),
    on: {
      ...HANDLERS,
      suspect(step, node) {
        const isNoticed = node === step.state.leader && mayNotice(step);
        if (!isNoticed) expectNextOf(step, node);
        HANDLERS.suspect(step, node);
        if (!isNoticed) gatherAfter(step, node);
      },
      trust(step, node) {
        expectNextOf(step, node);
        ONESHOT_HANDLERS.trust(step, node);
        gatherAfter(step, node);
      },
      deliver: {
        ...ONESHOT_HANDLERS.deliver,
        INFO_REQ: ({ effects }, { round }, from) => effects.send(from, { type: 'INFO', round }),
        INFO(step, { round }, from) {
          const { self, state } = step;
          if (round !== state.round || !leads(step) || from > self.rank) return;
          if (state.highestInfo === null || from > state.highestInfo) state.highestInfo = from;
        },
        NEXT(step, message, from) {
          if (from === step.state.leader) onNext(step, message);
        },
        CRASH(step, { leader }) {
          const { self, state } = step;
          const isBelieved = mayNotice(step) && isOfBefore(step) && state.leader === leader;
          if (isBelieved && trustedNext(state) === self.rank) announce(step);
        },
      },
      timeout: { ...HANDLERS.timeout, info: declareNext },
    },
  });
  return {
    init: machine.init,
    step(self, state, event, effects) {
      const leaderBefore = state.leader;
      machine.step(self, state, event, effects);
      if (state.leader !== leaderBefore) expectNextBelow(self, state);
    },
  };
}

/** The leader is down: the declared node takes over, and the others report the crash to it. */
function onFailure(step: Own): void {
  const { self, state, effects } = step;
  const { leader } = state;
  const next = trustedNext(state);
  if (next === self.rank) {
    announce(step);
  } else if (next !== null && leader !== null && self.rank < next) {
    effects.send(next, { type: 'CRASH', leader });
    awaitCoordinator(step);
  } else {
    begin(step);
  }
}

/** The declared next. Null if a higher one has returned since: it was declared without that one. */
function trustedNext(state: ImprovedState): Rank | null {
  const { next } = state;
  return next === null || isOvertaken(state, next) ? null : next;
}

/** A leader's declaration, unless it is old, names no member, or denies that this node is up. */
function onNext({ self, state }: Own, { next, round }: ImprovedMessage & { type: 'NEXT' }): void {
  if (state.leader === null || round <= state.round) return;
  if (next < self.rank || next >= state.leader || !self.members.includes(next)) return;
  state.round = round;
  state.next = next;
}

/** The detector's report about another node changes what a leader must declare. */
function gatherAfter(step: Own, node: Rank): void {
  const { self, state, effects, settings } = step;
  if (!leads(step) || node === self.rank) return;
  state.round += 1;
  state.highestInfo = null;
  for (const member of otherMembers(self)) {
    effects.send(member, { type: 'INFO_REQ', round: state.round });
  }
  effects.setTimer('info', answerTicks(settings.timing), false);
}

function declareNext(step: Own): void {
  const { self, state, effects } = step;
  const next = state.highestInfo;
  state.highestInfo = null;
  if (next === null || !leads(step)) return;
  for (const member of otherMembers(self)) {
    effects.send(member, { type: 'NEXT', next, round: state.round });
  }
}

function leads({ self, state }: Own): boolean {
  return state.leader === self.rank;
}

/** A leader that has returned numbers its gatherings anew. */
function expectNextOf({ self, state }: Own, node: Rank): void {
  if (node === state.leader) expectNextBelow(self, state);
}

/** What a node assumes of a leader that has declared none. */
function expectNextBelow(self: Self, state: ImprovedState): void {
  state.next = memberBelow(self, state.leader);
  state.round = 0;
  state.highestInfo = null;
}

function memberBelow(self: Self, leader: Rank | null): Rank | null {
  if (leader === null) return null;
  return self.members[self.members.indexOf(leader) - 1] ?? null;
}

function otherMembers(self: Self): readonly Rank[] {
  return self.members.filter((member) => member !== self.rank);
}
