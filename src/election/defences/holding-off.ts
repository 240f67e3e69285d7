/**
 * @module
 * Defence of honest nodes against nodes that do not back off: while a leader that they follow lives, they
 * ignore a better node that joins or returns until its turn. Its turn comes when the leader is suspected
 * or gives way, or earlier at a time that no other node can change: at the end of the leader's term of
 * office, or after a wait that doubles with each return (binary exponential back-off: R. Metcalfe and D.
 * Boggs, Ethernet, CACM 19(7), 1976). The protocol sees the node as down until then.
 *
 * Invariants: (1) a message from or about a node better than the leader in office changes nothing; (2) an
 * office begins one election after its leader was elected, so that candidates of that election are
 * accepted, and does not begin if the leader replaced a better living one; (3) a detector's report of a
 * node that waits is passed on at its turn, unless it was withdrawn; (4) an honest node that a majority of
 * the others ignores begins again, so that it finds and follows their leader. Message bound: one for each
 * ignored message, n − 1 at the end of a term for which a node waits.
 */

import { namedIn } from '../authentication/candidacies.ts';
import type { AnyMachine } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { react } from '../intercepted.ts';
import type { Effects, Event, Machine, Message, Rank } from '../machine.ts';
import { memberOf } from '../message-members.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { BACK_OFF_TIMER, createReturnBackOff, RETURN_BACK_OFF_TYPES } from '../return-back-off.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks } from '../timing.ts';
import type { DefenceContext } from './defence.ts';
import { defineDefence, WITHOUT_LIMITS } from './defence.ts';
import type { Guarded, GuardStep } from './guarded.ts';
import { beginAnew, initGuarded, stepInner } from './guarded.ts';

/** How long a better node is held off, in ticks. */
export type Turns =
  | { readonly type: 'term'; readonly electionTicks: number; readonly termTicks: number }
  | { readonly type: 'back-off'; readonly firstTicks: number; readonly ticksMax: number };

/** Which nodes a message speaks for: its sender, or the nodes that its token names. */
export type Speaking = 'by-sender' | 'by-token';

export interface HoldingOffOptions {
  readonly protocol: ProtocolName;
  readonly turns: Turns;
  readonly speaking: Speaking;
}

/** `stands`: the node has ended its own back-off. `said`: its last message since. */
type Waiting = { readonly stands: boolean; readonly said: { readonly type: string } | null };

export type HoldingOffState = Guarded & {
  /** The node last elected and not suspected since. */
  incumbent: Rank | null;
  /** Whether the incumbent's term runs (`term` only). */
  inOffice: boolean;
  /** Whether a term runs or will begin. */
  hasTerm: boolean;
  /** Nodes that failed and still wait (`back-off` only), and the number of returns of each. */
  delayed: Rank[];
  returns: Record<string, number>;
  /** Returned nodes that are held off, by rank, with what is passed on at their turn. */
  waiting: Record<string, Waiting>;
  /** This node stands as soon as the leader's term is over. */
  wouldStand: boolean;
  /** Nodes that ignore this one, by rank, and the leader that each follows. */
  heldOffBy: Record<string, Rank>;
  /** Number of ignored messages, with those of honest nodes. */
  putOff: number;
};

/** Least term of an incumbent, in elections. At most twice as long. */
export const TERM_ELECTIONS = 64;

const BEGIN_TIMER = 'off:begin';
const TERM_TIMER = 'off:term';
const TURN_TIMER = 'off:turn:';
const FORGET_TIMER = 'off:forget:';
/** The sender follows `leader` and ignores the recipient while that leader is in office. */
const HELD_OFF = 'HELD_OFF';
/** The sender leads, and its term of office is over. */
const TERM_OVER = 'TERM_OVER';
const SILENT: Waiting = { stands: false, said: null };
/** 2^40 times any wait exceeds every bound on it. */
const DOUBLINGS_MAX = 40;

/** The machine of every honest node, around the one with its own back-off. */
export function createHoldingOff(
  machine: AnyMachine,
  options: HoldingOffOptions,
): Machine<HoldingOffState, Message> {
  return {
    init: (self) => ({
      ...initGuarded(machine, self),
      incumbent: null,
      inOffice: false,
      hasTerm: false,
      delayed: [],
      returns: {},
      waiting: {},
      wouldStand: false,
      heldOffBy: {},
      putOff: 0,
    }),
    step(self, state, event, effects) {
      const context = { machine, options, self, state, effects };
      react(REACTIONS, passOn, context, event);
      giveTurns(context);
    },
  };
}

interface Step extends GuardStep<HoldingOffState> {
  readonly options: HoldingOffOptions;
}

const REACTIONS: Reactions<Step> = {
  deliver: onMessage,
  timeout: onTimeout,
  suspect: (context, { node }) => onSuspect(context, node),
  trust: (context, { node }) => onTrust(context, node),
};

function isHeldOff({ options, self, state }: Step, node: Rank): boolean {
  const { incumbent, inOffice, delayed } = state;
  if (incumbent === null || node === self.rank || !(node > incumbent)) return false;
  return options.turns.type === 'term' ? inOffice : delayed.includes(node);
}

function onMessage(context: Step, event: Event<Message> & { readonly type: 'deliver' }): void {
  const { self, state } = context;
  const { from, message } = event;
  switch (message.type) {
    case HELD_OFF:
      if (self.members.includes(from)) onHeldOff(context, from, memberOf(message, 'leader'));
      break;
    case TERM_OVER:
      if (from === state.incumbent) onTermOver(context);
      break;
    case 'HOLD_ASK':
      // The sender backs off again, so that its earlier messages no longer count.
      delete state.waiting[String(from)];
      passOn(context, event);
      break;
    case 'HOLD_STAND':
      if (isHeldOff(context, from)) state.waiting[String(from)] = { stands: true, said: null };
      else passOn(context, event);
      break;
    default:
      if (isContest(context, from, message)) refuse(context, from, message);
      else passOn(context, event);
  }
}

/** A node that backs off under this leader takes part in the next election. */
function onTermOver(context: Step): void {
  leaveOffice(context);
  context.state.wouldStand = true;
}

/** Whether the message speaks for a node that is held off. */
function isContest(context: Step, from: Rank, message: Message): boolean {
  if (RETURN_BACK_OFF_TYPES.includes(message.type)) return false;
  const { protocol, speaking } = context.options;
  const named = namedIn(protocol, message);
  const speakers = speaking === 'by-sender' ? [from, ...named] : named;
  return speakers.some((rank) => isHeldOff(context, rank));
}

function refuse(context: Step, from: Rank, message: Message): void {
  const { self, state, effects, options } = context;
  state.putOff += 1;
  if (options.speaking === 'by-token' || !isHeldOff(context, from)) return;
  if (!self.members.includes(from)) return;
  if (state.waiting[String(from)]?.stands === true) {
    state.waiting[String(from)] = { stands: true, said: message };
    return;
  }
  const refusal = { type: HELD_OFF, leader: state.incumbent };
  effects.send(from, refusal);
}

/** A node that only follows itself learns which leader the others follow. */
function onHeldOff(context: Step, from: Rank, leader: unknown): void {
  const { self, state } = context;
  const named = self.members.find((member) => member === leader);
  if (named === undefined || named >= self.rank || from === self.rank) return;
  if (state.leader === named) return;
  state.heldOffBy[String(from)] = named;
  const agreeing = Object.values(state.heldOffBy).filter((each) => each === named);
  if (agreeing.length <= (self.members.length - 1) / 2) return;
  state.heldOffBy = {};
  leaveOffice(context);
  state.incumbent = null;
  beginAnew(context, overhearing(context));
}

function onTimeout(context: Step, event: Event<Message> & { readonly type: 'timeout' }): void {
  const { self, state, effects, options } = context;
  const { timer } = event;
  if (timer === BACK_OFF_TIMER && isUnderAnother(context)) {
    state.wouldStand = true;
  } else if (timer === BEGIN_TIMER) {
    state.inOffice = true;
    if (options.turns.type === 'term') {
      effects.setTimer(TERM_TIMER, options.turns.termTicks, false);
    }
  } else if (timer === TERM_TIMER) {
    state.inOffice = false;
    state.hasTerm = false;
    // Other nodes may have learnt of this office later.
    if (state.incumbent === self.rank && Object.keys(state.waiting).length > 0) sayOver(context);
  } else if (timer.startsWith(TURN_TIMER)) {
    onTurn(context, timer.slice(TURN_TIMER.length));
  } else if (timer.startsWith(FORGET_TIMER)) {
    delete state.returns[timer.slice(FORGET_TIMER.length)];
  } else {
    passOn(context, event);
  }
}

function onSuspect(context: Step, node: Rank): void {
  const { state, effects, options } = context;
  delete state.waiting[String(node)];
  delete state.heldOffBy[String(node)];
  if (options.turns.type === 'back-off') {
    // A message of the node may arrive before the detector's `trust`.
    if (state.delayed.includes(node)) effects.cancelTimer(TURN_TIMER + node);
    else state.delayed.push(node);
    effects.cancelTimer(FORGET_TIMER + node);
  }
  if (node === state.incumbent) {
    leaveOffice(context);
    state.incumbent = null;
    // The protocol must know the participants before an election begins.
    giveTurns(context);
  }
  passOn(context, { type: 'suspect', node });
}

function onTrust(context: Step, node: Rank): void {
  const { state, effects, options } = context;
  if (options.turns.type === 'back-off') {
    const before = state.returns[String(node)] ?? 0;
    state.returns[String(node)] = before + 1;
    const { firstTicks, ticksMax } = options.turns;
    const ticks = Math.min(firstTicks * 2 ** Math.min(before, DOUBLINGS_MAX), ticksMax);
    if (!state.delayed.includes(node)) state.delayed.push(node);
    effects.setTimer(TURN_TIMER + node, ticks, false);
  }
  if (options.speaking === 'by-sender' && isHeldOff(context, node)) {
    state.waiting[String(node)] ??= SILENT;
  } else {
    passOn(context, { type: 'trust', node });
  }
}

/** Starts the uptime after which the returns of the node are reset, as the node does itself. */
function onTurn({ state, effects, options }: Step, name: string): void {
  state.delayed = state.delayed.filter((node) => String(node) !== name);
  if (options.turns.type !== 'back-off') return;
  effects.setTimer(FORGET_TIMER + name, options.turns.ticksMax, false);
}

/** Whether another node that it follows is in office, or will be. */
function isUnderAnother({ options, self, state }: Step): boolean {
  const { incumbent, hasTerm } = state;
  return options.turns.type === 'term' && hasTerm && incumbent !== null && incumbent !== self.rank;
}

/** Passes on the reports of nodes whose turn has come. */
function giveTurns(context: Step): void {
  const { self, state } = context;
  if (state.wouldStand && !isUnderAnother(context)) {
    state.wouldStand = false;
    passOn(context, { type: 'timeout', timer: BACK_OFF_TIMER });
  }
  for (const node of self.members) {
    const waits = state.waiting[String(node)];
    if (waits === undefined || isHeldOff(context, node)) continue;
    delete state.waiting[String(node)];
    passOn(context, { type: 'trust', node });
    const { stands, said } = waits;
    if (stands) passOn(context, { type: 'deliver', from: node, message: { type: 'HOLD_STAND' } });
    if (said !== null) passOn(context, { type: 'deliver', from: node, message: said });
  }
}

function passOn(context: Step, event: Event<Message>): void {
  stepInner(context, event, overhearing(context));
}

/** The collector of the inner machine's steps, which records the leader. */
function overhearing(context: Step): Partial<Effects<Message>> {
  const { options, self, state, effects } = context;
  return {
    elect(leader, epoch) {
      if (leader !== state.incumbent) enterOffice(context, leader);
      effects.elect(leader, epoch);
    },
    stepDown() {
      if (state.incumbent === self.rank && options.turns.type === 'term') sayOver(context);
      leaveOffice(context);
      state.incumbent = null;
      effects.stepDown();
    },
  };
}

function enterOffice(context: Step, leader: Rank): void {
  const { state, effects, options } = context;
  const isFromBetter = state.incumbent !== null && state.incumbent > leader;
  leaveOffice(context);
  state.incumbent = leader;
  state.heldOffBy = {};
  if (options.turns.type === 'term' && !isFromBetter) {
    state.hasTerm = true;
    effects.setTimer(BEGIN_TIMER, options.turns.electionTicks, false);
  }
}

function leaveOffice({ state, effects }: Step): void {
  if (!state.hasTerm) return;
  effects.cancelTimer(state.inOffice ? TERM_TIMER : BEGIN_TIMER);
  state.inOffice = false;
  state.hasTerm = false;
}

function sayOver({ self, effects }: Step): void {
  const over = { type: TERM_OVER };
  for (const member of self.members) if (member !== self.rank) effects.send(member, over);
}

/**
 * Back-off: a node that returns waits before it contests a living leader, twice as long at each return. Honest nodes
 * hold themselves back (return-back-off.ts) and hold off nodes that do not (holding-off.ts), so that they stop a
 * node that ignores both.
 */
export const BACK_OFF = defineDefence({
  kind: 'inside',
  name: 'back-off',
  code: 'D8',
  summary:
    'A returned node waits before it contests a living leader, twice as long at each return, and is ignored before that, which thins out the storms of a node that flaps; costs n messages a return, 2(n − 1) if all still follow the node, and the better leader meanwhile, and does not stop a node that has never failed.',
  unsupportedReason: (protocol) =>
    PROTOCOLS[protocol].family === 'bully'
      ? null
      : 'a node that returns deposes no living leader by asking',
  ...WITHOUT_LIMITS,
  guard(machine, { protocol, timing }) {
    const electionTicks = announcementTicks(timing);
    // A returned node counts from its return, which others learn Δ later.
    const firstTicks = electionTicks - timing.latencyTicksMax - 1;
    const ticksMax = TERM_ELECTIONS * firstTicks;
    return createHoldingOff(createReturnBackOff(machine, timing), {
      protocol,
      speaking: 'by-sender',
      turns: { type: 'back-off', firstTicks, ticksMax },
    });
  },
});

/**
 * Incumbency: a living leader is left alone for a term when a better node comes or returns. Honest nodes that return
 * hold themselves back (return-back-off.ts) and hold off nodes that do not (holding-off.ts), so that they stop a
 * node that ignores both. The better node's turn comes when the leader is gone or has had its term.
 */
export const INCUMBENCY = defineDefence({
  kind: 'inside',
  name: 'incumbency',
  code: 'D8',
  summary: `Leaves a living leader alone for ${TERM_ELECTIONS} elections' time when a better node comes or returns, which is ignored until then; this ends outbidding after an election and, in a Bully, storms of a top node that flaps; costs n messages a return, 2(n − 1) if all still follow the node, the better leader meanwhile, and where all nodes were down the wait for one.`,
  unsupportedReason,
  limit: (protocol) =>
    PROTOCOLS[protocol].family === 'bully'
      ? null
      : 'no node is elected on a ring while one is down, so that it calms no storm; it stops bids after the election',
  needsLevel: null,
  response: { newcomers: 'held-off', ranks: 'by-id' },
  guard: (machine, context) =>
    PROTOCOLS[context.protocol].family === 'bully'
      ? underIncumbents(machine, context)
      : createHoldingOff(machine, {
          protocol: context.protocol,
          speaking: 'by-token',
          turns: termOf(context.timing),
        }),
});

function underIncumbents(machine: AnyMachine, { protocol, timing }: DefenceContext): AnyMachine {
  const turns = termOf(timing);
  const { termTicks: backOffTicks } = turns;
  const back = createReturnBackOff(machine, timing, {
    backOffTicks,
    backOffTicksMax: backOffTicks,
  });
  return createHoldingOff(back, { protocol, turns, speaking: 'by-sender' });
}

function termOf(timing: Timing) {
  const electionTicks = announcementTicks(timing);
  return { type: 'term', electionTicks, termTicks: TERM_ELECTIONS * electionTicks } as const;
}

function unsupportedReason(protocol: ProtocolName): string | null {
  const { family, tokens, carries } = PROTOCOLS[protocol];
  if (family === 'bully') return null;
  if (carries !== null) return 'every death and every return begins another election of all';
  return typeof tokens !== 'string' && tokens.outbidsLeaders
    ? null
    : 'a node that comes or returns takes the lead from no leader by being better';
}
