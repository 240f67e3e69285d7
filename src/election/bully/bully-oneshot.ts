/**
 * @module
 * The Bully election in its one-shot form: G. Coulouris, J. Dollimore, T. Kindberg and G. Blair (2012), "Distributed
 * Systems: Concepts and Design", section 15.3, after Garcia-Molina (1982). With `coordTo=all` it is that of A. S.
 * Tanenbaum and M. van Steen (2007), "Distributed Systems", section 6.5. Garcia-Molina's polls start no election where
 * they arrive, and his Halt, Reorganization and Ready are another protocol (bully-gm82). In the books a node accepts every
 * COORDINATOR. Here one of a lower node starts an election, and a detector's report that a higher node is up counts as
 * its OK. Messages carry no epoch, so nodes believe an old COORDINATOR.
 *
 * Invariants: (1) a node runs one election at a time: outside `idle` it starts no other (`dedup`); (2)
 * `await-ok` has a timer for each open election, `await-coordinator` has the timer "coordinator",
 * `idle` has neither; (3) the highest member never waits; (4) no node elects a lower one; (5) a node
 * sends OK to lower nodes only. The message bound n² − n − 1 holds if the highest is dead and all or the lowest
 * detect it.
 */

import type { Flags } from '../definition/flags.ts';
import { chosenFlag } from '../definition/flags.ts';
import { DIRECT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Handlers, Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Machine, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, answerTicks } from '../timing.ts';
import {
  ANNOUNCED_BY_HIGHEST,
  GARCIA_MOLINA,
  higherMembers,
  isHighest,
  LEADS_ITSELF,
  ONESHOT_FAULTS,
  ONESHOT_FORGERY,
  SILENT_BULLY,
  SYNCHRONOUS,
  WAITS_FOR_COORDINATOR,
} from './bully-facts.ts';

export type BullyMessage =
  | { readonly type: 'ELECTION' | 'OK' }
  | { readonly type: 'COORDINATOR'; readonly leader: Rank };

export type BullyState = {
  phase: 'idle' | 'await-ok' | 'await-coordinator';
  /** Timers of the elections that no node has answered yet. Under `dedup` there is one at most. */
  open: Record<string, true>;
  /** Size of `open`. It can be half a million under `naive`, too many to count at each step. */
  openCount: number;
  /** Number of elections that were ever open (`naive` only). */
  begun: number;
  leader: Rank | null;
  /** Whether it was down or has elected a node, so that its leader is no longer the one of before the run. */
  settled: boolean;
  /** Whether it was down, and its detector did not report then which nodes returned. */
  wasDown: boolean;
  /**
   * Higher nodes that returned by the detector's report and were not suspected since. If this node was
   * down, also those that answered or led.
   */
  up: Rank[];
  /** Whether it returned less than T ago: nodes that are up may not have answered yet (short cuts only). */
  justBack: boolean;
  /** The highest node has just announced itself and only answers (`announceOnce`). */
  quiet: boolean;
};

/**
 * Published descriptions differ here, and with them message counts. The default comes first.
 *
 * - rejoin: whether a question starts an election only at a node that has none running, or always
 *   another one, as one-page listings read when taken literally.
 * - coordTo: whether COORDINATOR goes to the lower members or to every other member.
 * - aliveTop: what the highest node does when it is asked: it announces itself once for all questions
 *   of a tick, or it announces itself and then only answers for T. Within T every node that asks has
 *   received the announcement, unless it returned meanwhile, and a return ends that time.
 */
export const BULLY_FLAGS = {
  rejoin: ['dedup', 'naive'],
  coordTo: ['lower', 'all'],
  aliveTop: ['reannounce', 'announceOnce'],
} as const;

export type BullyFlags = {
  readonly [Name in keyof typeof BULLY_FLAGS]: (typeof BULLY_FLAGS)[Name][number];
};

/** What the machines of the one-shot election and its variants are configured with. */
export interface BullySettings {
  readonly timing: Timing;
  readonly flags: BullyFlags;
}

export type BullyStep = Step<BullyState, BullyMessage, BullySettings>;

const ELECTION: BullyMessage = { type: 'ELECTION' };
const OK: BullyMessage = { type: 'OK' };
/** The one-shot form does not number elections. */
const EPOCH = 0;

/** The messages of the one-shot election. */
export const BULLY_MESSAGES = {
  ELECTION: { members: {}, ...DIRECT },
  OK: { members: {}, ...DIRECT },
  COORDINATOR: { members: { leader: 'rank' }, ...LEADS_ITSELF },
} as const;

export const BULLY_ONESHOT = defineProtocol({
  name: 'bully-oneshot',
  assumes: SYNCHRONOUS,
  messageBound:
    'n(n-1)/2 ELECTION + (n-1)(n-2)/2 OK + n-2 COORDINATOR when the highest is dead; n-1 at best; 2^(n-1)-1 ELECTION if naive',
  // With `naive` one detector costs (n+5)·2^(n−3) − 2, and all together cost twice that.
  messagesAbout: (nodes, flags) =>
    flags?.rejoin === 'naive' ? (nodes + 5) * 2 ** (nodes - 2) : nodes ** 2 + nodes,
  decided: ANNOUNCED_BY_HIGHEST,
  source: `G. Coulouris, J. Dollimore, T. Kindberg and G. Blair, Distributed Systems: Concepts and Design, section 15.3, 2012, after ${GARCIA_MOLINA}; coordTo=all: A. S. Tanenbaum and M. van Steen, Distributed Systems: Principles and Paradigms, section 6.5, 2007`,
  flags: BULLY_FLAGS,
  forgery: ONESHOT_FORGERY,
  messages: BULLY_MESSAGES,
  faults: ONESHOT_FAULTS,
  create: createBullyOneshot,
  ...WAITS_FOR_COORDINATOR,
  ...SILENT_BULLY,
});

/** The handlers of the one-shot election. Variants extend them. */
export const ONESHOT_HANDLERS = {
  start: begin,
  recover(step) {
    step.state.leader = null;
    step.state.settled = true;
    step.state.wasDown = true;
    begin(step);
  },
  suspect(step, node) {
    forgetUp(step.state, node);
    if (node === step.state.leader) begin(step);
  },
  trust(step, node) {
    if (node > step.self.rank) onHigherReturned(step, node);
    // It was down and may have missed the announcement, so it needs a full answer to its question.
    else if (step.state.quiet) endQuiet(step);
  },
  deliver: {
    ELECTION(step, _message, from) {
      if (from < step.self.rank) onQuestion(step, from);
    },
    OK(step, _message, from) {
      const { self, state } = step;
      if (from <= self.rank) return;
      if (state.wasDown) noteUp(state, from);
      if (state.phase === 'await-ok') awaitCoordinator(step);
    },
    COORDINATOR(step, message) {
      const { self, state } = step;
      // Bully back: a node that announces a lower one does not know of this one.
      if (message.leader < self.rank) begin(step);
      else if (!isOvertaken(state, message.leader)) follow(step, message.leader);
    },
  },
  timeout: {
    answer(step, timer) {
      const { state } = step;
      if (!Object.hasOwn(state.open, timer)) return;
      delete state.open[timer];
      state.openCount -= 1;
      announce(step);
    },
    announce(step) {
      if (step.state.phase === 'idle') announce(step);
    },
    quiet({ state }) {
      state.quiet = false;
    },
    coordinator(step) {
      const { state } = step;
      if (state.phase !== 'await-coordinator') return;
      state.phase = 'idle';
      begin(step);
    },
  },
} as const satisfies Handlers<BullyState, BullyMessage, BullySettings>;

/**
 * The machine of every node, for a network whose messages keep to `timing`. Throws RangeError for a
 * flag or a value that is not listed.
 */
export function createBullyOneshot(
  timing: Timing,
  flags: Flags = {},
): Machine<BullyState, BullyMessage> {
  return createMachine({
    settings: { timing, flags: chooseFlags(flags) },
    init: initBully,
    on: ONESHOT_HANDLERS,
  });
}

/** The settings of a variant, which has no flags of its own. */
export function defaultSettings(timing: Timing): BullySettings {
  return { timing, flags: chooseFlags({}) };
}

function chooseFlags(flags: Flags): BullyFlags {
  for (const name of Object.keys(flags)) {
    if (Object.hasOwn(BULLY_FLAGS, name)) continue;
    throw new RangeError(`"flags" expected ${Object.keys(BULLY_FLAGS)}, got ${name}`);
  }
  return {
    rejoin: chosenFlag('rejoin', BULLY_FLAGS.rejoin, flags),
    coordTo: chosenFlag('coordTo', BULLY_FLAGS.coordTo, flags),
    aliveTop: chosenFlag('aliveTop', BULLY_FLAGS.aliveTop, flags),
  };
}

/** A node at rest, which follows the leader of before the run. */
export function initBully(self: Self): BullyState {
  return {
    phase: 'idle',
    open: {},
    openCount: 0,
    begun: 0,
    leader: self.incumbent,
    settled: false,
    wasDown: false,
    up: [],
    justBack: false,
    quiet: false,
  };
}

/** Asks all higher members, or leads if there is none. */
export function begin(step: BullyStep): void {
  const { self, state, effects, settings } = step;
  if (state.phase !== 'idle' && settings.flags.rejoin === 'dedup') return;
  if (isHighest(self)) {
    announce(step);
    return;
  }
  for (const member of higherMembers(self)) effects.send(member, ELECTION);
  if (state.phase === 'await-coordinator') effects.cancelTimer('coordinator');
  state.phase = 'await-ok';
  const timer = nameElection(step);
  state.open[timer] = true;
  state.openCount += 1;
  effects.setTimer(timer, answerTicks(settings.timing), false);
}

/** The timer of the election that begins now. Each election has its own if several may be open. */
function nameElection({ state, settings }: BullyStep): string {
  if (settings.flags.rejoin === 'dedup') return 'answer';
  state.begun += 1;
  return `answer:${state.begun}`;
}

function onQuestion(step: BullyStep, from: Rank): void {
  const { self, state, effects } = step;
  effects.send(from, OK);
  if (!isHighest(self)) begin(step);
  // At the end of the tick, so that all questions of one tick cost one announcement.
  else if (!state.quiet) effects.setTimer('announce', 0, false);
}

/** Leads and announces it. */
export function announce(step: BullyStep): void {
  const { self, state, effects, settings } = step;
  const { timing, flags } = settings;
  const announcement: BullyMessage = { type: 'COORDINATOR', leader: self.rank };
  settle(step, self.rank);
  for (const member of self.members) {
    if (member < self.rank || (member > self.rank && flags.coordTo === 'all')) {
      effects.send(member, announcement);
    }
  }
  if (flags.aliveTop === 'announceOnce' && isHighest(self)) {
    state.quiet = true;
    effects.setTimer('quiet', answerTicks(timing), false);
  }
}

function follow(step: BullyStep, leader: Rank): void {
  const { self, state, effects } = step;
  // An older announcement may still be on its way, and this node would believe it.
  if (state.wasDown && leader > self.rank) noteUp(state, leader);
  closeElections(step);
  if (state.phase === 'await-coordinator') effects.cancelTimer('coordinator');
  settle(step, leader);
}

function settle({ state, effects }: BullyStep, leader: Rank): void {
  state.phase = state.openCount === 0 ? 'idle' : 'await-ok';
  state.leader = leader;
  state.settled = true;
  effects.elect(leader, EPOCH);
}

function closeElections({ state, effects }: BullyStep): void {
  if (state.openCount === 0) return;
  for (const timer of Object.keys(state.open)) effects.cancelTimer(timer);
  state.open = {};
  state.openCount = 0;
}

/**
 * A detector's report that a higher node is up counts as that node's OK. Its announcement is on the
 * way. Otherwise a leader would lead beside the returned one for up to Δ.
 */
function onHigherReturned(step: BullyStep, node: Rank): void {
  const { self, state } = step;
  noteUp(state, node);
  const leads = state.phase === 'idle' && state.leader === self.rank;
  if (leads || state.phase === 'await-ok') awaitCoordinator(step);
}

function endQuiet({ state, effects }: BullyStep): void {
  state.quiet = false;
  effects.cancelTimer('quiet');
}

function noteUp(state: BullyState, node: Rank): void {
  if (!state.up.includes(node)) state.up.push(node);
}

/** A node that was up is down. */
export function forgetUp(state: BullyState, node: Rank): void {
  state.up = state.up.filter((other) => other !== node);
}

/** Whether a node above `leader` has returned since. Its announcement may have been overtaken. */
export function isOvertaken(state: BullyState, leader: Rank): boolean {
  return state.up.some((node) => node > leader);
}

/** A higher node is up: this node does not lead, and waits for the announcement of a leader. */
export function awaitCoordinator(step: BullyStep): void {
  const { self, state, effects, settings } = step;
  closeElections(step);
  if (state.leader === self.rank) {
    state.leader = null;
    effects.stepDown();
  }
  state.phase = 'await-coordinator';
  effects.setTimer('coordinator', announcementTicks(settings.timing), false);
}
