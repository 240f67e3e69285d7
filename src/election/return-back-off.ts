/**
 * @module
 * Incumbency and back-off against election storms: any Bully protocol, whose nodes do not contest a
 * living leader right after a return. A returned node holds back for a time that is drawn anew and
 * doubles with each return soon after the last (the binary exponential back-off of R. Metcalfe and D.
 * Boggs, Ethernet, CACM 19(7), 1976); to the protocol it is down until then. When the time is over, or
 * the leader it deferred to is suspected, or it hears that it is still followed itself, it stands: it
 * says so, and Δ + 1 later the protocol recovers as it always did.
 *
 * Invariants: (1) a node that holds back or stands sends nothing of the protocol's and never leads; (2)
 * others hear `trust` of it when it stands and not before, so that a leader has given way, where the
 * protocol lets it, before the returned one leads; (3) what the protocol persists reaches it unchanged;
 * (4) it holds back for less than 2 · `backOffTicksMax`. At most 2(n − 1) messages a return, and n − 1
 * to stand. It binds those who run it: a node that feigns returns and announces itself at once is
 * believed, amnesia forgets the count, and newcomers are not held back.
 */

import type { AnyMachine } from './definition/protocol.ts';
import type { Reactions } from './intercepted.ts';
import { intercepted, react } from './intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from './machine.ts';
import type { Timing } from './timing.ts';
import { announcementTicks } from './timing.ts';

export interface ReturnBackOffOptions {
  /** A first return waits at least so long and less than twice as long; by default one election, T'. */
  readonly backOffTicks: number;
  /** What doubling ends at; by default 64 times the first. */
  readonly backOffTicksMax: number;
  /** Up for so long since it stood, its returns are forgotten; by default `backOffTicksMax`. */
  readonly forgetTicks: number;
}

export type ReturnBackOffMessage =
  /** The sender has returned and asks who leads. */
  | { readonly type: 'HOLD_ASK' }
  /** The sender follows `leader`: itself, or the one that asked. */
  | { readonly type: 'HOLD_LEADER'; readonly leader: Rank; readonly epoch: number }
  /** The sender holds back no more. */
  | { readonly type: 'HOLD_STAND' };

/** Kind of each member of these messages, by type. */
export const RETURN_BACK_OFF_MESSAGES = {
  HOLD_ASK: {},
  HOLD_LEADER: { leader: 'rank', epoch: 'integer' },
  HOLD_STAND: {},
} as const;

export const RETURN_BACK_OFF_TYPES: readonly string[] = Object.keys(RETURN_BACK_OFF_MESSAGES);

type Word = { readonly type: 'suspect' | 'trust' | 'join' | 'leave'; readonly node: Rank };

export type ReturnBackOffState = {
  inner: Json;
  phase: 'up' | 'holding' | 'standing';
  /** Returns in quick succession, the present one included; on disk. */
  returns: number;
  /** What the protocol persisted last. */
  kept: Json;
  /** Whom it follows or defers to; null too once that one is suspected. */
  leader: Rank | null;
  epoch: number;
  /** What the protocol has yet to be told, since it was not up: the last word of a kind of each node. */
  words: Word[];
  /** What the protocol was sent while this node stood. */
  waiting: { readonly from: Rank; readonly message: { readonly type: string } }[];
  /** Others that have said that they hold back. */
  holding: Rank[];
  /** Others of whose return the protocol has not been told. */
  untold: Rank[];
  /** Who asked for the choices that are yet to come, in order. */
  askers: ('inner' | 'own')[];
};

export const BACK_OFF_TIMER = 'hold:back-off';
const STAND_TIMER = 'hold:stand';
const FORGET_TIMER = 'hold:forget';
const TRUST_TIMER = 'hold:trust:';
const GROWTH_MAX = 64;
/** Of messages that wait for a node that stands; more are lost. */
const WAITING_MAX = 10_000;
/** 2^40 times any back-off is above every bound on it. */
const DOUBLINGS_MAX = 40;

/** The machine of every node, around the protocol's own. Throws RangeError for times that are none. */
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
    ...{ inner, phase: 'up', returns: 0, kept: null, leader: null, epoch: 0 },
    ...{ words: [], waiting: [], holding: [], untold: [], askers: [] },
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
    // A leader is wanted: of a living one it knows that it is not.
    if (state.phase === 'holding' && state.leader === null) stand(context);
    else if (state.phase === 'up') stepInner(context, event);
  },
  deliver: onMessage,
  timeout: onTimeout,
  chosen(context, event) {
    const asker = context.state.askers.shift();
    if (asker === 'inner') stepInner(context, event);
    if (asker === 'own') awaitTurn(context, event.value);
  },
  suspect: onDetection,
  trust: onDetection,
  join: onDetection,
  leave: onDetection,
};

function onDetection(context: Step, event: Word): void {
  if (context.state.phase === 'up') onWord(context, event);
  else onWordMeanwhile(context, event);
}

function stepIfUp(context: Step, event: Event<Message>): void {
  if (context.state.phase === 'up') stepInner(context, event);
}

/** It has returned: asks who leads, and draws how long it will leave it at that. */
function holdBack(context: Step, persisted: Json): void {
  const { state, effects } = context;
  const { returns, inner } = onDisk(persisted);
  state.phase = 'holding';
  state.leader = null;
  state.returns = returns + 1;
  state.kept = inner;
  keep(context);
  tellOthers(context, { type: 'HOLD_ASK' });
  state.askers.push('own');
  effects.choose(leastBackOff(context));
}

/** It waits once to twice the least, as it has drawn. */
function awaitTurn(context: Step, drawn: number): void {
  if (context.state.phase !== 'holding') return;
  context.effects.setTimer(BACK_OFF_TIMER, leastBackOff(context) + drawn, false);
}

function leastBackOff({ state, options }: Step): number {
  const doublings = Math.min(state.returns - 1, DOUBLINGS_MAX);
  return Math.min(options.backOffTicks * 2 ** doublings, options.backOffTicksMax);
}

/** Holds back no more. Others are told first, and those who lead give way before it may lead. */
function stand(context: Step): void {
  const { state, timing, effects } = context;
  state.phase = 'standing';
  effects.cancelTimer(BACK_OFF_TIMER);
  if (state.leader !== null) {
    state.leader = null;
    effects.stepDown();
  }
  tellOthers(context, { type: 'HOLD_STAND' });
  effects.setTimer(STAND_TIMER, timing.latencyTicksMax + 1, false);
}

/** The protocol recovers, and hears what it would have heard meanwhile. */
function rise(context: Step): void {
  const { state, options, effects } = context;
  const { words, waiting, kept } = state;
  state.phase = 'up';
  state.words = [];
  state.waiting = [];
  effects.setTimer(FORGET_TIMER, options.forgetTicks, false);
  stepInner(context, { type: 'recover', persisted: kept });
  for (const word of words) onWord(context, word);
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
    // It has not said that it holds back, so it was never down, or does not play by these rules.
    const node = self.members.find((member) => TRUST_TIMER + member === timer);
    if (node !== undefined && state.untold.includes(node)) tellReturn(context, node);
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
    // Others may know that it is up, and take its silence for death. It answers within T of the question.
    state.waiting.push({ from, message });
  }
}

function onInnerMessage(context: Step, event: Event<Message> & { readonly type: 'deliver' }): void {
  // It takes part already: the protocol may know that it is back.
  if (context.state.untold.includes(event.from)) tellReturn(context, event.from);
  stepInner(context, event);
}

function onOwnMessage(context: Step, from: Rank, message: ReturnBackOffMessage): void {
  const { self, state, effects } = context;
  switch (message.type) {
    case 'HOLD_ASK':
      if (!state.holding.includes(from)) state.holding.push(from);
      if (state.untold.includes(from)) effects.cancelTimer(TRUST_TIMER + from);
      if (state.leader === self.rank || state.leader === from) sayLeader(context, from);
      break;
    case 'HOLD_LEADER':
      if (state.phase !== 'holding') break;
      // Nobody has missed it, and nobody else leads.
      if (message.leader === self.rank) stand(context);
      else if (message.leader === from) defer(context, from, message.epoch);
      break;
    case 'HOLD_STAND':
      // News even to those whom no detector told of its return: they were down then.
      forget(context, from);
      if (state.phase === 'up') stepInner(context, { type: 'trust', node: from });
      else onWordMeanwhile(context, { type: 'trust', node: from });
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

/** A word about another, while up. */
function onWord(context: Step, word: Word): void {
  const { state, timing, effects } = context;
  const { node } = word;
  if (word.type === 'trust') {
    if (!state.untold.includes(node)) state.untold.push(node);
    // If it has returned, its question is under way.
    if (!state.holding.includes(node)) {
      effects.setTimer(TRUST_TIMER + node, timing.latencyTicksMax + 1, false);
    }
    return;
  }
  if (word.type !== 'join') {
    forget(context, node);
    if (node === state.leader) state.leader = null;
  }
  stepInner(context, word);
}

/** A word about another, while the protocol is not up: kept for it in place of the last of its kind. */
function onWordMeanwhile(context: Step, word: Word): void {
  const { state } = context;
  const isOfLife = ({ type }: Word) => type === 'suspect' || type === 'trust';
  const others = state.words.filter(
    (each) => each.node !== word.node || isOfLife(each) !== isOfLife(word),
  );
  state.words = [...others, word];
  if (word.type === 'join' || word.type === 'trust') return;
  forget(context, word.node);
  if (state.phase === 'holding' && word.node === state.leader) stand(context);
}

function tellReturn(context: Step, node: Rank): void {
  forget(context, node);
  stepInner(context, { type: 'trust', node });
}

function forget({ state, effects }: Step, node: Rank): void {
  state.holding = state.holding.filter((other) => other !== node);
  if (!state.untold.includes(node)) return;
  state.untold = state.untold.filter((other) => other !== node);
  effects.cancelTimer(TRUST_TIMER + node);
}

function sayLeader({ state, effects }: Step, to: Rank): void {
  if (state.leader === null) return;
  const { leader, epoch } = state;
  const message: ReturnBackOffMessage = { type: 'HOLD_LEADER', leader, epoch };
  effects.send(to, message);
}

function tellOthers({ self, effects }: Step, message: ReturnBackOffMessage): void {
  for (const member of self.members) if (member !== self.rank) effects.send(member, message);
}

function keep({ state, effects }: Step): void {
  effects.persist({ returns: state.returns, inner: state.kept });
}

function stepInner(context: Step, event: Event<Message>): void {
  const { machine, self, state } = context;
  machine.step(self, state.inner, event, overheard(context));
}

/** The collector of the protocol's steps, which overhears who leads and keeps what is persisted. */
function overheard(context: Step): Effects<Message> {
  const { self, state, effects } = context;
  return intercepted(effects, {
    choose(below) {
      state.askers.push('inner');
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
      // To those who hold back nobody announces anything else that they would hear.
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

/** What `keep` wrote; nothing of it for a node without memory. */
function onDisk(persisted: Json): { readonly returns: number; readonly inner: Json } {
  const fields = persisted !== null && typeof persisted === 'object' ? { ...persisted } : {};
  const { returns, inner = null } = fields as Readonly<Record<string, Json>>; // A list has neither.
  const isCount = typeof returns === 'number' && Number.isSafeInteger(returns) && returns >= 0;
  return { returns: isCount ? returns : 0, inner };
}
