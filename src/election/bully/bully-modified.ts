/**
 * @module
 * Kordafshari, Gholipour, Jahanshahi and Haghighat (2005), "Modified bully election algorithm in
 * distributed systems", in the form of lectures. A node that is asked answers OK with its priority and
 * starts no election. After T the asking node grants the election to the highest that answered
 * (GRANT), and that one announces itself. Lectures leave these cases open: a node that is granted the
 * election while it holds one of its own answers OK again and is granted it again after T; a grant
 * without an announcement within T goes to the next highest node, and at last to the asking node
 * itself; all grants of a tick cost one announcement.
 *
 * Invariants: (1) a node holds one election at a time, and an ELECTION from below does not change it;
 * (2) `asking`, `granting` and `await-coordinator` have the timer of their name, `idle` has none; (3) no
 * node elects a lower one; (4) no node announces itself while it knows that a higher one is up; (5) a
 * node that answered asks for itself if the asking node dies before a leader is announced.
 */

import { breaks } from '../definition/fault-row.ts';
import { bySender, naming } from '../definition/forgery.ts';
import { DIRECT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, answerTicks } from '../timing.ts';
import {
  BULLY_FAULTS,
  BULLY_FORGERY,
  EARLY_END,
  HELD_BACK,
  higherMembers,
  isHighest,
  JUMPED,
  LATE_OK,
  LEADS_ITSELF,
  lowerMembers,
  SIDES,
  SILENT_BULLY,
  STILL_LEADS,
  SYNCHRONOUS,
  WAITS_FOR_COORDINATOR,
} from './bully-facts.ts';

export type ModifiedMessage =
  /** `election`: number of this election among those of the asking node. Answers and grants repeat it. */
  | { readonly type: 'ELECTION' | 'GRANT'; readonly election: number }
  | { readonly type: 'OK'; readonly priority: Rank; readonly election: number }
  | { readonly type: 'COORDINATOR'; readonly leader: Rank };

export type ModifiedState = {
  phase: 'idle' | 'asking' | 'granting' | 'await-coordinator';
  leader: Rank | null;
  /** Number of elections that this node has started since it came up. */
  election: number;
  /** Nodes that answered, ascending, without one that was granted the election and is silent since. */
  answers: Rank[];
  /** Nodes that asked since the last announcement. Each owes this node a grant or an announcement. */
  asked: Rank[];
  /** The last grant that was accepted. The same one again is a copy. */
  granted: { readonly by: Rank; readonly election: number } | null;
  /** The highest node known to be up: it returned or announced itself and was not suspected since. */
  senior: Rank | null;
};

/** A node that only answers waits for a grant. If its OK counts as none, no node grants it the election, or it gets the grant late. */
const UNASKED = { late: ['S2', 'S3'] } as const;

type Own = Step<ModifiedState, ModifiedMessage, Timing>;

/** The protocol does not number elections for all nodes. */
const EPOCH = 0;

export const BULLY_MODIFIED = defineProtocol({
  name: 'bully-modified',
  assumes: SYNCHRONOUS,
  decided: null,
  messageBound:
    'detector i, highest dead: n-i ELECTION + n-1-i OK + 1 GRANT + n-2 COORDINATOR, 3n-4 for the lowest; O(n^2) when all detect',
  messagesAbout: (nodes) => nodes ** 2 + 2 * nodes,
  source:
    'M. S. Kordafshari, M. Gholipour, M. Jahanshahi and A. T. Haghighat, Modified bully election algorithm in distributed systems, WSEAS 2005',
  flags: {},
  forgery: {
    numbering: 'election',
    announcement: naming(({ about }) => [{ type: 'COORDINATOR', leader: about }]),
    candidacy: bySender(({ epoch }) => [{ type: 'ELECTION', election: epoch }]),
    answer: bySender(({ about, epoch }) => [{ type: 'OK', priority: about, election: epoch }]),
    ...BULLY_FORGERY,
  },
  messages: {
    ELECTION: { members: { election: 'integer' }, ...DIRECT },
    OK: { members: { priority: 'rank', election: 'integer' }, ...DIRECT },
    GRANT: { members: { election: 'integer' }, ...DIRECT },
    COORDINATOR: { members: { leader: 'rank' }, ...LEADS_ITSELF },
  },
  faults: {
    reorder: breaks(['S1'], HELD_BACK),
    // A COORDINATOR of a node that has crashed can arrive after that of its successor.
    delay: breaks(['S1'], LATE_OK, { ...UNASKED, rarely: ['S2'] }),
    'majorities-ring': breaks(['S1'], 'As bully-oneshot.', { rarely: ['S2', 'S3'] }),
    pause: breaks(['S1'], STILL_LEADS, UNASKED),
    'clock-skew': breaks(['S1'], EARLY_END, UNASKED),
    'clock-jump': breaks(['S1'], JUMPED, UNASKED),
    ...SIDES,
    ...BULLY_FAULTS,
  },
  create: createBullyModified,
  ...WAITS_FOR_COORDINATOR,
  ...SILENT_BULLY,
});

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyModified(timing: Timing): Machine<ModifiedState, ModifiedMessage> {
  return createMachine<ModifiedState, ModifiedMessage, Timing>({
    settings: timing,
    init: (self) => ({
      phase: 'idle',
      leader: self.incumbent,
      election: 0,
      answers: [],
      asked: [],
      granted: null,
      senior: null,
    }),
    on: {
      start: begin,
      recover(step) {
        step.state.leader = null;
        begin(step);
      },
      suspect: onSuspect,
      trust: onReturned,
      deliver: {
        ELECTION({ self, state, effects }, { election }, from) {
          if (from > self.rank) return;
          if (!state.asked.includes(from)) state.asked.push(from);
          effects.send(from, { type: 'OK', priority: self.rank, election });
        },
        OK(step, { priority, election }, from) {
          // No node answers for another: the grant would go to a node that has sent no answer.
          if (priority === from && election === step.state.election) onAnswer(step, from);
        },
        GRANT(step, { election }, from) {
          if (from < step.self.rank) onGrant(step, { by: from, election });
        },
        COORDINATOR: onCoordinator,
      },
      timeout: {
        announce(step) {
          const { self, state } = step;
          // This node may have begun an election of its own since the grant. Then an OK is from a higher node.
          const isAlone = state.phase === 'asking' && state.answers.length === 0;
          const isGranted = state.phase === 'idle' || isAlone;
          if (isGranted && !isOvertaken(state, self.rank)) announce(step);
        },
        asking: ending('asking', grantNext),
        granting: ending('granting', grantNext),
        'await-coordinator': ending('await-coordinator', begin),
      },
    },
  });
}

/** The timer of a phase ends it. `next` follows if the node is still in that phase. */
function ending(phase: ModifiedState['phase'], next: (step: Own) => void) {
  return (step: Own): void => {
    if (step.state.phase !== phase) return;
    step.state.phase = 'idle';
    next(step);
  };
}

/** The leader is down, or a node that asked and neither grants the election nor announces itself. */
function onSuspect(step: Own, node: Rank): void {
  const { state } = step;
  if (node === state.senior) state.senior = null;
  if (node !== state.leader && !state.asked.includes(node)) return;
  state.asked = state.asked.filter((other) => other !== node);
  begin(step);
}

function onCoordinator(step: Own, { leader }: { readonly leader: Rank }): void {
  const { self, state } = step;
  // Bully back: a node that announces a lower one does not know of this one.
  if (leader < self.rank) {
    begin(step);
  } else if (!isOvertaken(state, leader)) {
    // A copy of an older announcement may still be on its way, and this node would believe it.
    state.senior = leader;
    settle(step, leader);
  }
}

function begin(step: Own): void {
  const { self, state, effects, settings } = step;
  if (state.phase !== 'idle') return;
  if (isHighest(self)) {
    announce(step);
    return;
  }
  state.election += 1;
  state.answers = [];
  for (const member of higherMembers(self)) {
    effects.send(member, { type: 'ELECTION', election: state.election });
  }
  enter(step, 'asking', answerTicks(settings));
}

/**
 * While granting, an OK is the granted node's request to wait. At rest it is late. From a node above
 * the leader it means that this node believed an announcement that was overtaken.
 */
function onAnswer(step: Own, from: Rank): void {
  const { self, state } = step;
  if (state.phase === 'idle' && state.leader !== null && from > state.leader) begin(step);
  if (state.phase !== 'asking' && state.phase !== 'granting') return;
  if (from < self.rank || state.answers.includes(from)) return;
  const below = state.answers.filter((other) => other < from);
  const above = state.answers.filter((other) => other > from);
  state.answers = [...below, from, ...above];
}

/** T is over: the election goes to the highest remaining node that answered, or to this one. */
function grantNext(step: Own): void {
  const { self, state, effects, settings } = step;
  const highest = state.answers.at(-1);
  if (highest !== undefined) {
    state.answers = state.answers.slice(0, -1);
    effects.send(highest, { type: 'GRANT', election: state.election });
    enter(step, 'granting', answerTicks(settings));
  } else if (isOvertaken(state, self.rank)) {
    awaitCoordinator(step);
  } else {
    announce(step);
  }
}

function onGrant(step: Own, grant: { readonly by: Rank; readonly election: number }): void {
  const { self, state, effects } = step;
  if (state.granted?.by === grant.by && state.granted.election === grant.election) return;
  const knowsHigher = isOvertaken(state, self.rank);
  if (state.phase === 'idle' && !knowsHigher) {
    state.granted = grant;
    // At the end of the tick, so that all grants of one tick cost one announcement.
    effects.setTimer('announce', 0, false);
  } else {
    effects.send(grant.by, { type: 'OK', priority: self.rank, election: grant.election });
    if (knowsHigher) begin(step);
  }
}

function announce(step: Own): void {
  const { self, effects } = step;
  settle(step, self.rank);
  for (const member of lowerMembers(self)) {
    effects.send(member, { type: 'COORDINATOR', leader: self.rank });
  }
}

function settle({ state, effects }: Own, leader: Rank): void {
  if (state.phase !== 'idle') effects.cancelTimer(state.phase);
  state.phase = 'idle';
  state.answers = [];
  state.asked = [];
  state.leader = leader;
  effects.elect(leader, EPOCH);
}

/**
 * A detector's report that a higher node is up counts as that node's OK. An announcement follows.
 * Otherwise a leader would lead beside the returned one for up to Δ.
 */
function onReturned(step: Own, node: Rank): void {
  const { self, state } = step;
  // A node that has returned numbers its elections anew.
  if (state.granted?.by === node) state.granted = null;
  if (node < self.rank) return;
  if (state.senior === null || node > state.senior) state.senior = node;
  const leads = state.phase === 'idle' && state.leader === self.rank;
  if (leads || state.phase === 'asking' || state.phase === 'granting') awaitCoordinator(step);
}

/** Whether a node above `leader` is up, so that the announcement of `leader` is out of date. */
function isOvertaken(state: ModifiedState, leader: Rank): boolean {
  return state.senior !== null && leader < state.senior;
}

/** A higher node is up: this node does not lead, and waits for the announcement of a leader. */
function awaitCoordinator(step: Own): void {
  const { self, state, effects, settings } = step;
  if (state.leader === self.rank) {
    state.leader = null;
    effects.stepDown();
  }
  enter(step, 'await-coordinator', announcementTicks(settings));
}

/** Enters a phase, which the timer of its name ends. */
function enter(
  { state, effects }: Own,
  phase: Exclude<ModifiedState['phase'], 'idle'>,
  ticks: number,
): void {
  if (state.phase !== 'idle') effects.cancelTimer(state.phase);
  state.phase = phase;
  effects.setTimer(phase, ticks, false);
}
