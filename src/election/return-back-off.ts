/**
 * @module
 * Incumbency and back-off against election storms, around any Bully protocol: a returned node does not
 * contest a living leader at once. It backs off for a random time, which doubles with each return soon
 * after the last (binary exponential back-off: R. Metcalfe and D. Boggs, Ethernet, CACM 19(7), 1976). The
 * protocol sees it as down until then. The node stands when the time is over, when the leader to which it
 * deferred is suspected, or when it learns that others still follow it. It announces this, and the
 * protocol recovers Δ + 1 later.
 *
 * Invariants: (1) a node that backs off or stands sends no message of the protocol and never leads; (2)
 * other nodes get `trust` for it when it stands and not before, so that a leader can give way before the
 * returned node leads; (3) the protocol gets what it persisted unchanged; (4) a back-off is shorter than
 * 2 · `backOffTicksMax`. At most 2(n − 1) messages a return, and n − 1 to stand. Only honest nodes obey:
 * a node that feigns returns and announces itself at once is believed, amnesia resets the count, and new
 * members do not back off.
 */

import type { AnyMachine } from './definition/protocol.ts';
import type { Reactions } from './intercepted.ts';
import { intercepted, react } from './intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from './machine.ts';
import type { Timing } from './timing.ts';
import { announcementTicks } from './timing.ts';

export interface ReturnBackOffOptions {
  /** A first return waits for at least this time and less than twice it. Default: one election, T'. */
  readonly backOffTicks: number;
  /** Upper bound of the doubling. Default: 64 times the first. */
  readonly backOffTicksMax: number;
  /** Uptime after standing that resets the count of returns. Default: `backOffTicksMax`. */
  readonly forgetTicks: number;
}

export type ReturnBackOffMessage =
  /** The sender has returned and asks for the leader. */
  | { readonly type: 'HOLD_ASK' }
  /** The sender follows `leader`, which is the sender or the recipient. */
  | { readonly type: 'HOLD_LEADER'; readonly leader: Rank; readonly epoch: number }
  /** The sender ends its back-off. */
  | { readonly type: 'HOLD_STAND' };

/** Kind of each member of these messages, by type. */
export const RETURN_BACK_OFF_MESSAGES = {
  HOLD_ASK: {},
  HOLD_LEADER: { leader: 'rank', epoch: 'integer' },
  HOLD_STAND: {},
} as const;

export const RETURN_BACK_OFF_TYPES: readonly string[] = Object.keys(RETURN_BACK_OFF_MESSAGES);

type Report = { readonly type: 'suspect' | 'trust' | 'join' | 'leave'; readonly node: Rank };

export type ReturnBackOffState = {
  inner: Json;
  phase: 'up' | 'holding' | 'standing';
  /** Returns in quick succession, with the present one. Persisted. */
  returns: number;
  /** Last persisted state of the protocol. */
  kept: Json;
  /** The node that it follows or defers to. Null also once that node is suspected. */
  leader: Rank | null;
  epoch: number;
  /** Reports that the protocol has not got, since it was not up: the last of each kind for each node. */
  reports: Report[];
  /** Messages of the protocol that arrived while this node stood. */
  waiting: { readonly from: Rank; readonly message: { readonly type: string } }[];
  /** Other nodes that have announced a back-off. */
  holding: Rank[];
  /** Other nodes whose return the protocol does not know. */
  unreported: Rank[];
  /** The requesters of the outstanding choices, in order. */
  requesters: ('inner' | 'own')[];
};

export const BACK_OFF_TIMER = 'hold:back-off';
const STAND_TIMER = 'hold:stand';
const FORGET_TIMER = 'hold:forget';
const TRUST_TIMER = 'hold:trust:';
const GROWTH_MAX = 64;
/** Bound on `waiting`. Further messages are lost. */
const WAITING_MAX = 10_000;
/** 2^40 times any back-off exceeds every bound on it. */
const DOUBLINGS_MAX = 40;

/** The machine of every node, around that of the protocol. Throws RangeError for an invalid time. */
export function createReturnBackOff(
  machine: AnyMachine,
  timing: Timing,
  given: Partial<ReturnBackOffOptions> = {},
): Machine<ReturnBackOffState, Message> {
  const { backOffTicks = announcementTicks(timing) } = given;
  const { backOffTicksMax = GROWTH_MAX * backOffTicks } = given;
  const { forgetTicks = backOffTicksMax } = given;
  const options = { backOffTicks, backOffTicksMax, forgetTicks };
  for (const [name, ticks] of Object.entries(options)) assertTicks(name, ticks);
  return {
    init: (self) => initReturnBackOff(machine.init(self)),
    step: (self, state, event, effects) =>
      react(REACTIONS, stepIfUp, { machine, timing, options, self, state, effects }, event),
  };
}

function assertTicks(name: string, ticks: number): void {
  if (Number.isSafeInteger(ticks) && ticks >= 1 && ticks <= TICKS_MAX) return;
  throw new RangeError(`"${name}" expected 1..${TICKS_MAX}, got ${ticks}`);
}

const TICKS_MAX = 1_000_000_000;

function initReturnBackOff(inner: Json): ReturnBackOffState {
  return {
    inner,
    phase: 'up',
    returns: 0,
    kept: null,
    leader: null,
    epoch: 0,
    reports: [],
    waiting: [],
    holding: [],
    unreported: [],
    requesters: [],
  };
}

interface Step {
  readonly machine: AnyMachine;
  readonly timing: Timing;
  readonly options: ReturnBackOffOptions;
  readonly self: Self;
  readonly state: ReturnBackOffState;
  readonly effects: Effects<Message>;
}

const REACTIONS: Reactions<Step> = {
  recover: (context, { persisted }) => holdBack(context, persisted),
  start(context, event) {
    const { state } = context;
    // The election needs a leader. A node that defers to a living leader ignores it.
    if (state.phase === 'holding' && state.leader === null) stand(context);
    else if (state.phase === 'up') stepInner(context, event);
  },
  deliver: onMessage,
  timeout: onTimeout,
  chosen(context, event) {
    const requester = context.state.requesters.shift();
    if (requester === 'inner') stepInner(context, event);
    if (requester === 'own') awaitTurn(context, event.value);
  },
  suspect: onDetection,
  trust: onDetection,
  join: onDetection,
  leave: onDetection,
};

function onDetection(context: Step, event: Report): void {
  if (context.state.phase === 'up') onReport(context, event);
  else onReportMeanwhile(context, event);
}

function stepIfUp(context: Step, event: Event<Message>): void {
  if (context.state.phase === 'up') stepInner(context, event);
}

/** After a return: asks for the leader and draws the back-off. */
function holdBack(context: Step, persisted: Json): void {
  const { state, effects } = context;
  const { returns, inner } = onDisk(persisted);
  state.phase = 'holding';
  state.leader = null;
  state.returns = returns + 1;
  state.kept = inner;
  keep(context);
  sendToOthers(context, { type: 'HOLD_ASK' });
  state.requesters.push('own');
  effects.choose(leastBackOff(context));
}

/** Waits for the least back-off plus the drawn ticks. */
function awaitTurn(context: Step, drawn: number): void {
  if (context.state.phase !== 'holding') return;
  context.effects.setTimer(BACK_OFF_TIMER, leastBackOff(context) + drawn, false);
}

function leastBackOff({ state, options }: Step): number {
  const doublings = Math.min(state.returns - 1, DOUBLINGS_MAX);
  return Math.min(options.backOffTicks * 2 ** doublings, options.backOffTicksMax);
}

/** Ends the back-off. The others learn it first, so that leaders give way before this node can lead. */
function stand(context: Step): void {
  const { state, timing, effects } = context;
  state.phase = 'standing';
  effects.cancelTimer(BACK_OFF_TIMER);
  if (state.leader !== null) {
    state.leader = null;
    effects.stepDown();
  }
  sendToOthers(context, { type: 'HOLD_STAND' });
  effects.setTimer(STAND_TIMER, timing.latencyTicksMax + 1, false);
}

/** The protocol recovers and gets the events of the meantime. */
function rise(context: Step): void {
  const { state, options, effects } = context;
  const { reports, waiting, kept } = state;
  state.phase = 'up';
  state.reports = [];
  state.waiting = [];
  effects.setTimer(FORGET_TIMER, options.forgetTicks, false);
  stepInner(context, { type: 'recover', persisted: kept });
  for (const report of reports) onReport(context, report);
  for (const each of waiting) onInnerMessage(context, { type: 'deliver', ...each });
}

function onTimeout(context: Step, event: Event<Message> & { readonly type: 'timeout' }): void {
  const { self, state } = context;
  const { timer } = event;
  if (timer === BACK_OFF_TIMER) {
    if (state.phase === 'holding') stand(context);
  } else if (timer === STAND_TIMER) {
    if (state.phase === 'standing') rise(context);
  } else if (timer === FORGET_TIMER) {
    state.returns = 0;
    keep(context);
  } else if (timer.startsWith(TRUST_TIMER)) {
    // It has not announced a back-off, so that it was never down, or is Byzantine.
    const node = self.members.find((member) => TRUST_TIMER + member === timer);
    if (node !== undefined && state.unreported.includes(node)) reportReturn(context, node);
  } else if (state.phase === 'up') {
    stepInner(context, event);
  }
}

function onMessage(context: Step, event: Event<Message> & { readonly type: 'deliver' }): void {
  const { self, state } = context;
  const { from, message } = event;
  if (isOwn(message)) {
    if (self.members.includes(from)) onOwnMessage(context, from, message);
  } else if (state.phase === 'up') {
    onInnerMessage(context, event);
  } else if (state.phase === 'standing' && state.waiting.length < WAITING_MAX) {
    // Others may know that it is up and expect an answer within T.
    state.waiting.push({ from, message });
  }
}

function onInnerMessage(context: Step, event: Event<Message> & { readonly type: 'deliver' }): void {
  // The sender takes part already, so that the protocol may know of its return.
  if (context.state.unreported.includes(event.from)) reportReturn(context, event.from);
  stepInner(context, event);
}

function onOwnMessage(context: Step, from: Rank, message: ReturnBackOffMessage): void {
  const { self, state, effects } = context;
  switch (message.type) {
    case 'HOLD_ASK':
      if (!state.holding.includes(from)) state.holding.push(from);
      if (state.unreported.includes(from)) effects.cancelTimer(TRUST_TIMER + from);
      if (state.leader === self.rank || state.leader === from) sayLeader(context, from);
      break;
    case 'HOLD_LEADER':
      if (state.phase !== 'holding') break;
      // The others still follow this node, and no other node leads.
      if (message.leader === self.rank) stand(context);
      else if (message.leader === from) defer(context, from, message.epoch);
      break;
    case 'HOLD_STAND':
      // Nodes that were down then have no report of the return from a detector.
      forget(context, from);
      if (state.phase === 'up') stepInner(context, { type: 'trust', node: from });
      else onReportMeanwhile(context, { type: 'trust', node: from });
      break;
    default:
      message satisfies never;
  }
}

function defer({ state, effects }: Step, leader: Rank, epoch: number): void {
  state.leader = leader;
  state.epoch = epoch;
  effects.elect(leader, epoch);
}

/** A report about another node, while up. */
function onReport(context: Step, report: Report): void {
  const { state, timing, effects } = context;
  const { node } = report;
  if (report.type === 'trust') {
    if (!state.unreported.includes(node)) state.unreported.push(node);
    // If it has returned, its HOLD_ASK is under way.
    if (!state.holding.includes(node)) {
      effects.setTimer(TRUST_TIMER + node, timing.latencyTicksMax + 1, false);
    }
    return;
  }
  if (report.type !== 'join') {
    forget(context, node);
    if (node === state.leader) state.leader = null;
  }
  stepInner(context, report);
}

/** A report about another node, while the protocol is not up: replaces the last of its kind. */
function onReportMeanwhile(context: Step, report: Report): void {
  const { state } = context;
  const isOfLife = ({ type }: Report) => type === 'suspect' || type === 'trust';
  const others = state.reports.filter(
    (each) => each.node !== report.node || isOfLife(each) !== isOfLife(report),
  );
  state.reports = [...others, report];
  if (report.type === 'join' || report.type === 'trust') return;
  forget(context, report.node);
  if (state.phase === 'holding' && report.node === state.leader) stand(context);
}

function reportReturn(context: Step, node: Rank): void {
  forget(context, node);
  stepInner(context, { type: 'trust', node });
}

function forget({ state, effects }: Step, node: Rank): void {
  state.holding = state.holding.filter((other) => other !== node);
  if (!state.unreported.includes(node)) return;
  state.unreported = state.unreported.filter((other) => other !== node);
  effects.cancelTimer(TRUST_TIMER + node);
}

function sayLeader({ state, effects }: Step, to: Rank): void {
  if (state.leader === null) return;
  const { leader, epoch } = state;
  const message: ReturnBackOffMessage = { type: 'HOLD_LEADER', leader, epoch };
  effects.send(to, message);
}

function sendToOthers({ self, effects }: Step, message: ReturnBackOffMessage): void {
  for (const member of self.members) if (member !== self.rank) effects.send(member, message);
}

function keep({ state, effects }: Step): void {
  effects.persist({ returns: state.returns, inner: state.kept });
}

function stepInner(context: Step, event: Event<Message>): void {
  const { machine, self, state } = context;
  machine.step(self, state.inner, event, overheard(context));
}

/** The collector of the protocol's steps, which records the leader and the persisted state. */
function overheard(context: Step): Effects<Message> {
  const { self, state, effects } = context;
  return intercepted(effects, {
    choose(below) {
      state.requesters.push('inner');
      effects.choose(below);
    },
    persist(fields) {
      state.kept = fields;
      keep(context);
    },
    elect(leader, epoch) {
      state.leader = leader;
      state.epoch = epoch;
      effects.elect(leader, epoch);
      // Nodes that back off ignore all other announcements.
      if (leader === self.rank) for (const node of state.holding) sayLeader(context, node);
    },
    stepDown() {
      state.leader = null;
      effects.stepDown();
    },
  });
}

function isOwn(message: Message): message is ReturnBackOffMessage {
  return RETURN_BACK_OFF_TYPES.includes(message.type);
}

/** What `keep` wrote. Without memory: no returns, and null. */
function onDisk(persisted: Json): { readonly returns: number; readonly inner: Json } {
  const fields = persisted !== null && typeof persisted === 'object' ? { ...persisted } : {};
  const { returns, inner = null } = fields as Readonly<Record<string, Json>>; // A list has neither member.
  const isCount = typeof returns === 'number' && Number.isSafeInteger(returns) && returns >= 0;
  return { returns: isCount ? returns : 0, inner };
}
