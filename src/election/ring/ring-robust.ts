/**
 * @module
 * Any unidirectional ring election on a ring that heals itself, with the successor lists of Chord
 * (Stoica et al. 2001, SIGCOMM, section 6.1). A node sends to the first of its next s neighbours that
 * is not suspected. The rule of reconstruction is Chord's: when fewer than s of the list are left, the
 * last of them is asked for its own (LOOKUP, SUCCESSORS), which begins where this one ends, so that
 * the joined list is still a true piece of the ring. When the whole list is suspected the ring is
 * broken, and the node falls silent until one of them returns: a guess could close two rings.
 *
 * Invariants: (1) `ahead` names the ring's members after this one in order, without a gap; (2) elections
 * are numbered and a node serves only the highest it has met, its wrapped machine made anew for each;
 * (3) a token is known by where it was made and is taken once in an election, so that re-routing and
 * copies do no harm and none circulates for ever; (4) a leader steps down before it serves a higher
 * election. A crash during an election, the leader's, and the return of a node begin the next one.
 * Message bound: the wrapped protocol's for each election, and 2s LOOKUP and SUCCESSORS for a crash.
 * A node that returns is told who is down, in answers that name its life: one to an earlier life may be
 * about a node that has returned since, of which nobody would speak to it again.
 * Survives s−1 neighbours that fail together and any number that fail one after the other, provided
 * that the detector never errs: a live node that is skipped may elect itself elsewhere.
 */

import { breaks, ok, stop } from '../definition/fault-row.ts';
import type { AnyMachine } from '../definition/protocol.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import { intercepted } from '../intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from '../machine.ts';
import { CR_JOIN } from './cr-join.ts';
import { PETERSON } from './peterson.ts';
import { electionOnDisk } from './ring-facts.ts';
import { ROBUST, ROBUST_FAULTS, robustForgery, robustMessages } from './robust-facts.ts';

/** A token: the wrapped protocol's message, and who made it, that node's how manieth. */
export interface RobustMessage extends Message {
  readonly election: number;
  readonly token: readonly [maker: Rank, serial: number];
  readonly message: Message;
}

export interface ListMessage extends Message {
  readonly type: 'LOOKUP' | 'SUCCESSORS';
  readonly successors: readonly Rank[];
  readonly suspected: readonly Rank[];
  /** The asker's life, which the answer repeats. */
  readonly life: number;
}

export type RobustState = {
  /** 0 before the first; survives in the stable store. */
  election: number;
  /** It has met this election and does not know its end. */
  running: boolean;
  leader: Rank | null;
  ahead: readonly Rank[];
  suspected: readonly Rank[];
  /** Whom its own detector has spoken of; of others it believes what it is told. */
  spokenOf: readonly Rank[];
  /** The election that its return began, 0 before any: no two returns have the same. */
  life: number;
  /** Who has asked it, and in which life of theirs: what it is told later, they are told too. */
  askers: readonly (readonly [asker: Rank, life: number])[];
  /** Tokens taken in this election, and how many were made. */
  taken: Record<string, true>;
  made: number;
  wrapped: Json;
};

interface Settings {
  readonly wrapped: AnyMachine;
}

type Own = Step<RobustState, Message, Settings>;

export const RING_ROBUST = defineProtocol({
  name: 'ring-robust',
  fifo: false,
  assumes:
    'A detector that never errs; static membership; reliable links; never three neighbours down that failed together.',
  messageBound: 'as cr-join for each election; 2s LOOKUP and SUCCESSORS a crash, s = 3',
  messagesAbout: CR_JOIN.messagesAbout,
  source:
    'I. Stoica et al., Chord: A Scalable Peer-to-peer Lookup Service for Internet Applications, SIGCOMM 2001, successor lists, around cr-join',
  messages: robustMessages(CR_JOIN),
  carries: CR_JOIN,
  forgery: robustForgery(CR_JOIN),
  faults: {
    drop: stop('As cr-join: the wrapper goes round the dead, and repeats nothing.'),
    reorder: ok('As cr-join; rounds are numbered.'),
    ...ROBUST_FAULTS,
  },
  create: (timing) => createRingRobust(CR_JOIN.create(timing)),
  ...ROBUST,
});

export const RING_ROBUST_PETERSON = defineProtocol({
  name: 'ring-robust:peterson',
  fifo: true,
  assumes: 'As ring-robust; FIFO links.',
  messageBound: 'as peterson for each election; 2s LOOKUP and SUCCESSORS a crash, s = 3',
  messagesAbout: PETERSON.messagesAbout,
  source: 'I. Stoica et al., Chord, SIGCOMM 2001, successor lists, around peterson',
  messages: robustMessages(PETERSON),
  carries: PETERSON,
  forgery: robustForgery(PETERSON),
  faults: {
    drop: breaks(['S3'], 'A lost TID shifts the pairs.'),
    reorder: breaks(['S1', 'S2', 'S3'], 'Pairs need FIFO links.'),
    ...ROBUST_FAULTS,
  },
  create: (timing) => createRingRobust(PETERSON.create(timing)),
  ...ROBUST,
});

/** The machine of every node around `wrapped`, which sends to `self.successors[0]` alone. */
export function createRingRobust(wrapped: AnyMachine): Machine<RobustState, Message> {
  return createMachine<RobustState, Message, Settings>({
    settings: { wrapped },
    init: (self) => ({
      election: 0,
      running: false,
      leader: self.incumbent,
      ahead: self.successors.filter((rank) => rank !== self.rank),
      suspected: [],
      spokenOf: [],
      life: 0,
      askers: [],
      taken: {},
      made: 0,
      wrapped: wrapped.init({ ...self, incumbent: null }),
    }),
    on: {
      start(step) {
        if (!step.state.running) begin(step, step.state.election + 1);
      },
      recover: (step, persisted) => onReturn(step, electionOnDisk(persisted) + 1),
      suspect: onSuspect,
      trust: onTrust,
      deliver: onMessage,
      timeout: (step, timer) => stepWrapped(step, { type: 'timeout', timer }, null),
      chosen: (step, value) => stepWrapped(step, { type: 'chosen', value }, null),
    },
  });
}

function onMessage(context: Own, message: Message, from: Rank): void {
  if (isToken(message)) {
    onToken(context, from, message);
  } else if (isList(message)) {
    if (message.type === 'SUCCESSORS') onSuccessors(context, from, message);
    else onLookup(context, from, message.life);
  }
}

function onToken(context: Own, from: Rank, token: RobustMessage): void {
  const { state } = context;
  if (token.election < state.election) return;
  if (token.election > state.election) enter(context, token.election);
  const name = token.token.join(':');
  if (state.taken[name]) return;
  state.taken[name] = true;
  stepWrapped(context, { type: 'deliver', from, message: token.message }, token);
}

/** Who is down it must be told: its detector speaks of changes alone. */
function onReturn(context: Own, election: number): void {
  const { state } = context;
  state.leader = null;
  state.life = election;
  for (const rank of state.ahead) ask(context, rank);
  begin(context, election);
}

function onSuspect(context: Own, node: Rank): void {
  const { state } = context;
  state.suspected = union(state.suspected, [node]);
  state.spokenOf = union(state.spokenOf, [node]);
  lookUp(context);
  if (state.running || node === state.leader) begin(context, state.election + 1);
}

/** What was running may have gone past that node, and it does not know who leads. */
function onTrust(context: Own, node: Rank): void {
  const { self, state } = context;
  state.suspected = state.suspected.filter((each) => each !== node);
  state.spokenOf = union(state.spokenOf, [node]);
  if (state.running || state.leader === self.rank || state.leader === node) {
    begin(context, state.election + 1);
  }
}

/** Asks for what lies beyond the list, when it has become short. */
function lookUp(context: Own): void {
  const { self, state } = context;
  const living = livingAhead(state);
  const last = living.at(-1);
  const isWhole = state.ahead.length >= self.ringNodes - 1;
  if (isWhole || last === undefined || living.length >= self.successors.length) return;
  ask(context, last);
}

function ask({ state, effects }: Own, rank: Rank): void {
  const { life } = state;
  const message: ListMessage = { type: 'LOOKUP', successors: [], suspected: [], life };
  effects.send(rank, message);
}

function onLookup(context: Own, from: Rank, life: number): void {
  const { state } = context;
  state.askers = [...state.askers.filter(([asker]) => asker !== from), [from, life]];
  answer(context, from, life);
}

function answer({ state, effects }: Own, to: Rank, life: number): void {
  const { ahead: successors, suspected } = state;
  const message: ListMessage = { type: 'SUCCESSORS', successors, suspected, life };
  effects.send(to, message);
}

function onSuccessors(context: Own, from: Rank, lists: ListMessage): void {
  const { self, state } = context;
  // What was said to an earlier life may be over: whoever returned meanwhile, it was not told.
  if (lists.life !== state.life) return;
  const before = state.suspected.length;
  const hearsay = lists.suspected.filter((rank) => !state.spokenOf.includes(rank));
  state.suspected = union(state.suspected, hearsay);
  const hasChanged = extendList(self, state, from, lists.successors);
  const isNews = state.suspected.length > before;
  // A list that adds nothing is no reason to ask again.
  if (hasChanged || isNews) lookUp(context);
  if (!isNews) return;
  // Whoever asked before may have nobody else to ask.
  for (const [asker, life] of state.askers) answer(context, asker, life);
  if (state.running) begin(context, state.election + 1);
}

/** Appends what `from` knows beyond this node's own list; answers whether there was anything. */
function extendList(
  self: Self,
  state: RobustState,
  from: Rank,
  successors: readonly Rank[],
): boolean {
  const index = state.ahead.indexOf(from);
  const own = successors.indexOf(self.rank);
  const beyond = own < 0 ? successors : successors.slice(0, own);
  const joined = [...state.ahead.slice(0, index + 1), ...beyond];
  const isLonger = joined.length > state.ahead.length && joined.length < self.ringNodes;
  if (index < 0 || !isLonger) return false;
  state.ahead = joined;
  return true;
}

/** Takes part in an election from its beginning. */
function begin(context: Own, election: number): void {
  enter(context, election);
  stepWrapped(context, { type: 'start' }, null);
}

function enter({ settings: { wrapped }, self, state, effects }: Own, election: number): void {
  if (state.leader === self.rank) effects.stepDown();
  state.election = election;
  state.running = true;
  state.leader = null;
  state.taken = {};
  state.made = 0;
  state.wrapped = wrapped.init({ ...self, incumbent: null });
  // Before anything is sent: in one election no two tokens have one name.
  effects.persist(election);
}

function stepWrapped(context: Own, event: Event<Message>, token: RobustMessage | null): void {
  const {
    settings: { wrapped },
    self,
    state,
  } = context;
  wrapped.step(self, state.wrapped, event, wrappedEffects(context, token));
}

/** What the wrapped machine does, on the ring as it is now; `token` is the one it has been given. */
function wrappedEffects(context: Own, token: RobustMessage | null): Effects<Message> {
  const { self, state, effects } = context;
  return intercepted(effects, {
    send(_successor, message) {
      const next = livingAhead(state)[0] ?? beyondAll(self, state);
      if (next === null) return;
      if (token !== null && isSame(token.message, message)) {
        effects.send(next, token);
        return;
      }
      const { election, made } = state;
      state.made += 1;
      const { type } = message;
      const sent: RobustMessage = { type, election, token: [self.rank, made], message };
      effects.send(next, sent);
    },
    elect(leader) {
      state.running = false;
      state.leader = leader;
      effects.elect(leader, state.election);
    },
    // The number of the election is all that has to survive.
    persist() {},
  });
}

/** With nobody left in the whole ring a node is its own neighbour; with a short list it is stuck. */
function beyondAll(self: Self, state: RobustState): Rank | null {
  return state.ahead.length >= self.ringNodes - 1 ? self.rank : null;
}

function livingAhead({ ahead, suspected }: RobustState): Rank[] {
  return ahead.filter((rank) => !suspected.includes(rank));
}

function union(ranks: readonly Rank[], others: readonly Rank[]): Rank[] {
  return [...ranks, ...others.filter((rank) => !ranks.includes(rank))];
}

function isToken(message: Message): message is RobustMessage {
  if (!('token' in message && 'election' in message && 'message' in message)) return false;
  const { type, message: carried } = message;
  // A token has the type of what it carries: one of another version is none, whatever its shape.
  const isObject = typeof carried === 'object' && carried !== null;
  return isObject && 'type' in carried && carried.type === type;
}

function isList(message: Message): message is ListMessage {
  const isOne = message.type === 'LOOKUP' || message.type === 'SUCCESSORS';
  return isOne && 'successors' in message && 'suspected' in message && 'life' in message;
}

/** A relay may write the message anew; its few fields are the same then, in the same order. */
function isSame(one: Message, other: Message): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
