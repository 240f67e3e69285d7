/**
 * @module
 * Any unidirectional ring election on a ring that heals itself, with the successor lists of Chord (Stoica et
 * al. 2001, SIGCOMM, section 6.1). A node sends to the first of its next s neighbours that is not suspected. When
 * fewer than s of its list are left, it asks the last of them for its list (LOOKUP, SUCCESSORS), which begins
 * where this one ends. When the whole list is suspected, the node sends nothing until one of them returns: a
 * guess could close two rings. The ring survives s−1 neighbours that fail together, and any number that fail
 * one after the other, if the detector never errs: a live node that is skipped may elect itself.
 *
 * Invariants: (1) `ahead` names the members after this one in order, without a gap; (2) elections are numbered,
 * and a node serves only the highest that it has met, with a new wrapped machine; (3) a token is identified by
 * its maker and is accepted once in an election, so that copies do no harm and none circulates for ever; (4) a
 * node stops following its leader when it enters a higher election. A crash during an election, a crash of the leader, and
 * the return of a node begin the next one. A node that returns asks which nodes are down. Answers name the life
 * that asked, because an answer to an earlier life may be about a node that has returned since.
 */

import { AFFECTED_BUT_BY_CLOCKS } from '../definition/drawn-faults.ts';
import { breaks, live, ok, stop } from '../definition/fault-row.ts';
import type { ForgedMessages, Forgery, Reason } from '../definition/forgery.ts';
import type { ComputedMessages, MessageFacts } from '../definition/message-definition.ts';
import { computedMessages, DIRECT } from '../definition/message-definition.ts';
import type { AnyMachine, Protocol } from '../definition/protocol.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import { intercepted } from '../intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { CR_JOIN } from './chang-roberts.ts';
import { PETERSON } from './peterson.ts';
import { electionOnDisk, RING, RING_FAULTS, RING_FORGERY } from './ring-facts.ts';

/** A token carries a message of the wrapped protocol, with its maker and a serial number of the maker. */
interface RobustMessage extends Message {
  readonly election: number;
  readonly token: readonly [maker: Rank, serial: number];
  readonly message: Message;
}

interface ListMessage extends Message {
  readonly type: 'LOOKUP' | 'SUCCESSORS';
  readonly successors: readonly Rank[];
  readonly suspected: readonly Rank[];
  /** The life of the node that asked. The answer repeats it. */
  readonly life: number;
}

type RobustState = {
  /** 0 before the first. On disk. */
  election: number;
  /** Whether it does not know the end of this election. */
  running: boolean;
  leader: Rank | null;
  ahead: readonly Rank[];
  suspected: readonly Rank[];
  /** Nodes that its own detector has reported. About others it believes what nodes send it. */
  reported: readonly Rank[];
  /** The election that its return began, which no two returns share. 0 before any. */
  life: number;
  /** The nodes that have asked it, and their lives then. It forwards what it learns later. */
  inquirers: readonly (readonly [inquirer: Rank, life: number])[];
  /** Serial numbers of the tokens accepted in this election, by their makers, and the number of tokens made. */
  taken: Record<string, number[]>;
  made: number;
  wrapped: Json;
};

interface Settings {
  readonly wrapped: AnyMachine;
}

type Own = Step<RobustState, Message, Settings>;

/** More tokens than an honest node makes in an election: two in each phase of peterson, of which n nodes need log2(n). */
const TOKENS_OF_MAKER_MAX = 64;

const LISTS = {
  members: { successors: 'ranks', suspected: 'ranks', life: 'integer' },
  ...DIRECT,
} as const satisfies MessageFacts;

const SKIPPED =
  'A node that is suspected and alive is skipped, and elects as well: it needs a detector that never errs.';

const ROBUST_FAULTS = {
  duplicate: ok('The wrapper takes each token once.'),
  'clean-majority': breaks(['S1'], SKIPPED),
  'one-way': breaks(['S1', 'S2', 'S3'], SKIPPED),
  'majorities-ring': breaks(['S1', 'S2', 'S3'], SKIPPED),
  'swizzle-clog': breaks(['S1'], SKIPPED, { rarely: ['S2'] }),
  // A node that suspects another before it takes part begins no election that replaces what was lost there.
  'crash-best': live('The hole is known and gone round.', { late: ['L'] }),
  restart: live('A node that returns is trusted and begins again.'),
  amnesia: live('As restart: the next message contains what was forgotten.'),
  pause: breaks(['S1'], SKIPPED),
  ...RING_FAULTS,
} as const;

/** The facts of every protocol on a ring that heals itself. */
function robust(wrapped: Protocol) {
  return {
    elects: 'highest',
    messagesAbout: wrapped.messagesAbout,
    entriesAbout: null,
    attributes: null,
    successors: 3,
    tokens: 'it accepts every token only once already',
    messages: robustMessages(wrapped),
    carries: wrapped,
    forgery: robustForgery(wrapped),
    create: (timing: Timing) => createRingRobust(wrapped.create(timing)),
    unaffected: AFFECTED_BUT_BY_CLOCKS,
    symmetry: 'the protocol that it carries compares ranks',
    ...RING,
  } as const;
}

export const RING_ROBUST = defineProtocol({
  name: 'ring-robust',
  fifo: false,
  assumes:
    'A detector that never errs; static membership; reliable links; never three neighbours down that failed together.',
  messageBound: 'as cr-join for each election; 2s LOOKUP and SUCCESSORS a crash, s = 3',
  source:
    'I. Stoica et al., Chord: A Scalable Peer-to-peer Lookup Service for Internet Applications, SIGCOMM 2001, successor lists, around cr-join',
  faults: {
    drop: stop('As cr-join: the wrapper goes round the dead, and repeats nothing.'),
    reorder: ok('As cr-join; rounds are numbered.'),
    ...ROBUST_FAULTS,
  },
  ...robust(CR_JOIN),
});

export const RING_ROBUST_PETERSON = defineProtocol({
  name: 'ring-robust:peterson',
  fifo: true,
  assumes: 'As ring-robust; FIFO links.',
  messageBound: 'as peterson for each election; 2s LOOKUP and SUCCESSORS a crash, s = 3',
  source: 'I. Stoica et al., Chord, SIGCOMM 2001, successor lists, around peterson',
  faults: {
    drop: breaks(['S3'], 'A lost TID shifts the pairs.'),
    reorder: breaks(['S1', 'S2', 'S3'], 'Pairs need FIFO links.'),
    ...ROBUST_FAULTS,
  },
  ...robust(PETERSON),
});

/** A token has the type of the message that it carries, and the facts of its candidates. */
function robustMessages({ messages }: Protocol): ComputedMessages {
  const tokens = Object.entries(messages).map(([type, facts]) => {
    const members = { election: 'integer', token: 'token', message: 'carried' } as const;
    return [type, { ...facts, members, token: null }] as const;
  });
  return computedMessages({ ...Object.fromEntries(tokens), LOOKUP: LISTS, SUCCESSORS: LISTS });
}

/** Forged tokens carry the forged messages, in elections that this ring numbers. */
function robustForgery({ forgery }: Protocol): Forgery {
  const wrap = (forged: ForgedMessages | Reason): ForgedMessages | Reason =>
    typeof forged === 'string'
      ? forged
      : {
          ...forged,
          messages: (subject) =>
            forged.messages(subject).map((message) => {
              const { home, serial, epoch: election } = subject;
              return { type: message.type, election, token: [home, serial], message };
            }),
        };
  return {
    numbering: 'election',
    announcement: wrap(forgery.announcement),
    candidacy: wrap(forgery.candidacy),
    answer: wrap(forgery.answer),
    ...RING_FORGERY,
  };
}

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
      reported: [],
      life: 0,
      inquirers: [],
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
  const [maker, serial] = token.token;
  if (!context.self.members.includes(maker)) return;
  const taken = state.taken[String(maker)] ?? [];
  if (taken.includes(serial) || taken.length >= TOKENS_OF_MAKER_MAX) return;
  state.taken[String(maker)] = [...taken, serial].toSorted((one, other) => one - other);
  stepWrapped(context, { type: 'deliver', from, message: token.message }, token);
}

/** A node that returns must ask which nodes are down, because its detector reports only changes. */
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
  state.reported = union(state.reported, [node]);
  lookUp(context);
  if (state.running || node === state.leader) begin(context, state.election + 1);
}

/** A node that is up again may have missed a running election, and does not know the leader. */
function onTrust(context: Own, node: Rank): void {
  const { self, state } = context;
  state.suspected = state.suspected.filter((each) => each !== node);
  state.reported = union(state.reported, [node]);
  if (state.running || state.leader === self.rank || state.leader === node) {
    begin(context, state.election + 1);
  }
}

/** Asks for the nodes beyond the list when it has become short. */
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
  state.inquirers = [...state.inquirers.filter(([inquirer]) => inquirer !== from), [from, life]];
  answer(context, from, life);
}

function answer({ state, effects }: Own, to: Rank, life: number): void {
  const { ahead: successors, suspected } = state;
  const message: ListMessage = { type: 'SUCCESSORS', successors, suspected, life };
  effects.send(to, message);
}

function onSuccessors(context: Own, from: Rank, lists: ListMessage): void {
  const { self, state } = context;
  // An answer to an earlier life may be about a node that has returned since.
  if (lists.life !== state.life) return;
  const before = state.suspected.length;
  const newSuspects = lists.suspected.filter(
    (rank) => self.members.includes(rank) && !state.reported.includes(rank),
  );
  state.suspected = union(state.suspected, newSuspects);
  const hasChanged = extendList(self, state, from, lists.successors);
  const hasNewSuspects = state.suspected.length > before;
  // A list that adds nothing is no reason to ask again.
  if (hasChanged || hasNewSuspects) lookUp(context);
  if (!hasNewSuspects) return;
  // Nodes that asked before may have no other node to ask.
  for (const [inquirer, life] of state.inquirers) answer(context, inquirer, life);
  if (state.running) begin(context, state.election + 1);
}

/** Appends the members that `from` knows beyond this node's list. Returns whether there were any. */
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
  // The end of this election can be lost, and the former leader can be down.
  if (state.leader !== null) effects.stepDown();
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

/** The collector of the wrapped machine, on the ring as it is now. `token` is the one that it handles. */
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
    // Only the number of the election must survive.
    persist() {},
  });
}

/** Without another live node in the ring a node is its own neighbour. With a short list it has none. */
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
  // A token has the type of the message that it carries.
  const isObject = typeof carried === 'object' && carried !== null;
  return isObject && 'type' in carried && carried.type === type;
}

function isList(message: Message): message is ListMessage {
  const isOne = message.type === 'LOOKUP' || message.type === 'SUCCESSORS';
  return isOne && 'successors' in message && 'suspected' in message && 'life' in message;
}

/** A relay may create the message again, with the same members in the same order. */
function isSame(one: Message, other: Message): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
