/**
 * @module
 * This folder contains what a receiver checks in a message before its protocol receives it. This file
 * wraps any protocol in one of four levels of authentication. Cryptography is an argument, real or
 * symbolic. A message is plain data with its proofs in one more member, `seal`.
 *
 * - L0: no check. The sender that a message states is accepted.
 * - L1: the network prevents that a node sends as another.
 * - L2: the sender signs the message for its recipient, and each node that the message names as candidate
 *   or leader has signed its candidacy. Messages of detectors need no signature where the network itself proves who
 *   sends. A node can neither send as another nor name a node that does not
 *   exist. Old messages are still accepted.
 * - L3: both signatures are for one election, and messages are numbered, so that each counts once. A crash
 *   loses which numbers have counted, so that a message in flight may then count once more.
 *
 * At every level a message that no honest node could have sent is dropped, because protocols trust
 * messages. Cheap checks come first. A number counts as used only after its signature was verified;
 * otherwise an attacker could use up the numbers of another node.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import { isDetectorType } from '../detectors/detector.ts';
import type { Reactions } from '../intercepted.ts';
import { intercepted, react } from '../intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from '../machine.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { candidatesIn, isCandidatesOwn, namedIn } from './candidacies.ts';
import type { RankRange } from './message-forms.ts';
import { isRank, isWellFormed } from './message-forms.ts';
import { candidacyText, messageText } from './signed-text.ts';

export { candidacyText, messageText } from './signed-text.ts';

export const LEVELS = ['L0', 'L1', 'L2', 'L3'] as const;
export type Level = (typeof LEVELS)[number];

/** What nodes check of messages at each level. */
export const LEVEL_CHECKS: Readonly<Record<Level, string>> = {
  L0: 'only their form',
  L1: 'true senders',
  L2: 'signatures',
  L3: 'fresh signatures',
};

/** The keys of one node: it signs with its own and verifies with all public ones. */
export interface Keys {
  sign(text: string): string;
  /** Whether `signer`, an admitted node, made this signature of this text. */
  verify(signer: Rank, text: string, signature: string): boolean;
}

/** The proof of a message. Its members depend on the level. */
export interface Seal {
  /** The sender that the message states. If absent, the sender that the network observed. */
  readonly by?: Rank;
  /** Sequence number of this message among those sent to the recipient. */
  readonly number?: number;
  readonly signature?: string;
  /** By rank in decimal or hex, the candidacy signatures of the nodes that the message names. */
  readonly candidacies?: Readonly<Record<string, string>>;
}

export type SealedMessage = Message & { readonly seal?: Seal };

export interface Authentication {
  readonly level: Level;
  readonly protocol: ProtocolName;
  /** Identifies this election. Both signatures cover it from L3 on. */
  readonly election: string;
  readonly keysOf: (rank: Rank) => Keys;
  /**
   * Whether the network proves who sends, as TLS does with certificates that the nodes have signed. Messages of detectors, of
   * which an idle node sends and receives nothing else, then need no signature. False if absent.
   */
  readonly provesSenders?: boolean | undefined;
  /** Receives the reason when a node refuses a message. */
  readonly onRefusal?: ((reason: Refusal) => void) | undefined;
  /** The highest rank, phantoms included, if ranks are integers. A message cannot name a higher one. */
  readonly highestRank?: number | undefined;
}

/** Why a message was refused, in the order of the checks. */
export const REFUSALS = ['sender', 'malformed', 'replay', 'signature', 'candidacy'] as const;
export type Refusal = (typeof REFUSALS)[number];

export type AuthenticatedState = {
  inner: Json;
  /** Number of lives of this node, persisted: the high part of its numbers. */
  life: number;
  /** Last persisted state of the protocol. */
  saved: Json;
  /** Messages sent in this life, by recipient. */
  sent: Record<string, number>;
  /** Which numbers of each sender have been used, in messages of detectors and in others. */
  heard: Record<string, { detectors?: Numbers; others?: Numbers }>;
  /** Proved candidacies, with its own, by rank. */
  candidacies: Record<string, string>;
  refused: Record<Refusal, number>;
};

/** The counters of the authentication in a state, which other machines may wrap; null if it has none. */
export function refusedIn(state: Json): Record<Refusal, number> | null {
  for (let inner: Json = state; isMembers(inner); inner = inner.inner ?? null) {
    const { refused } = inner;
    if (!isMembers(refused)) continue;
    const counts = REFUSALS.map((reason) => [reason, Number(refused[reason] ?? 0)] as const);
    // Object.fromEntries loses the names of the reasons.
    return Object.fromEntries(counts) as Record<Refusal, number>;
  }
  return null;
}

function isMembers(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A protocol's machine under a level. Its store is not asked for proofs. */
export function createAuthenticated(
  machine: AnyMachine,
  authentication: Authentication,
): Machine<AuthenticatedState, Message> {
  return {
    init: (self) => ({
      inner: machine.init(self),
      life: 0,
      saved: null,
      sent: {},
      heard: {},
      candidacies: {},
      refused: { sender: 0, malformed: 0, replay: 0, signature: 0, candidacy: 0 },
    }),
    step: (self, state, event, effects) =>
      react(REACTIONS, stepInner, { machine, authentication, self, state, effects }, event),
  };
}

interface Step {
  readonly machine: AnyMachine;
  readonly authentication: Authentication;
  readonly self: Self;
  readonly state: AuthenticatedState;
  readonly effects: Effects<Message>;
}

const REACTIONS: Reactions<Step> = {
  deliver(context, event) {
    const { state, authentication } = context;
    const opened = open(context, event.from, event.message);
    if (typeof opened !== 'string') {
      stepInner(context, { type: 'deliver', ...opened });
      return;
    }
    state.refused[opened] += 1;
    authentication.onRefusal?.(opened);
  },
  recover: (context, event) =>
    stepInner(context, { type: 'recover', persisted: revive(context, event) }),
};

function stepInner(context: Step, event: Event<Message>): void {
  context.machine.step(context.self, context.state.inner, event, sealing(context));
}

/** Bits of a number below those of the life in which it was given. */
export const NUMBERS_PER_LIFE = 2 ** 32;

/**
 * What the protocol had saved. A returned node numbers its messages above all that its disk knows. A node
 * that loses its disk repeatedly uses the numbers of its first return again, and is refused until it is past
 * them: it must be admitted anew.
 */
function revive(
  { authentication, state, effects }: Step,
  { persisted }: Event<Message> & { readonly type: 'recover' },
): Json {
  if (authentication.level !== 'L3') return persisted;
  const { life, saved } = savedOf(persisted);
  state.life = life + 1;
  state.saved = saved;
  effects.persist({ life: state.life, saved });
  return saved;
}

function savedOf(persisted: Json): { readonly life: number; readonly saved: Json } {
  const isKept = typeof persisted === 'object' && persisted !== null && 'life' in persisted;
  if (!isKept || !('saved' in persisted)) return { life: 0, saved: null };
  const { life, saved } = persisted;
  return Number.isSafeInteger(life) ? { life: Number(life), saved } : { life: 0, saved: null };
}

/** The sender and the content of a message, or why it is refused. */
function open(
  context: Step,
  from: Rank,
  sealed: SealedMessage,
): { readonly from: Rank; readonly message: Message } | Refusal {
  const { protocol, level, highestRank } = context.authentication;
  const range: RankRange = { self: context.self, highestRank };
  if (!isObject(sealed)) return 'malformed';
  const { seal, ...message } = sealed;
  const by = seal?.by ?? from;
  const isOurs =
    level === 'L0' || (level === 'L1' ? by === from : context.self.members.includes(by));
  if (!isOurs) return 'sender';
  if (!isRank(by, range) || !isWellFormed(protocol, message, range)) return 'malformed';
  if (level === 'L0' || level === 'L1') return { from: by, message };
  const isProved = by === from && needsNoSignature(context.authentication, message);
  return prove(context, by, { seal, message, isProved }) ?? { from: by, message };
}

/** The first check that a message of a member fails; null if it is proved. */
function prove(
  context: Step,
  by: Rank,
  {
    seal,
    message,
    isProved,
  }: {
    readonly seal: Seal | undefined;
    readonly message: Message;
    /** Whether it is the network that proves the sender. */
    readonly isProved: boolean;
  },
): Refusal | null {
  const { authentication, self, state } = context;
  const { signature, number = 0, candidacies = {} } = seal ?? {};
  const isSigned = typeof signature === 'string';
  const mayLack = isProved && signature === undefined;
  if (!(isSigned || mayLack) || !isObject(candidacies)) return 'malformed';
  const isNumbered = authentication.level === 'L3';
  // Heartbeats overtake what waits for a slow receiver, however many messages that are.
  const kind = isDetectorType(message.type) ? 'detectors' : 'others';
  const heard = state.heard[String(by)] ?? {};
  const { [kind]: numbers = noNumbers() } = heard;
  if (isNumbered && !isFresh(numbers, number)) return 'replay';
  if (isSigned) {
    const text = messageText(authentication, { by, to: self.rank, number, body: message });
    const { verify } = authentication.keysOf(self.rank);
    if (!verify(by, text, signature)) return 'signature';
  }
  if (isNumbered) {
    noteNumber(numbers, number);
    state.heard[String(by)] = { ...heard, [kind]: numbers };
  }
  const { protocol } = authentication;
  const isAnothers = namedIn(protocol, message).some((rank) => rank !== by);
  if (isAnothers && isCandidatesOwn(protocol, message)) return 'candidacy';
  const candidates = candidatesIn(protocol, message, by);
  return candidates.every((rank) => isCandidate(context, rank, candidacies)) ? null : 'candidacy';
}

function needsNoSignature({ provesSenders = false }: Authentication, { type }: Message): boolean {
  return provesSenders && isDetectorType(type);
}

/** A seal comes from outside, so that its type is not guaranteed. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/**
 * Whether a named node has signed its candidacy. A proof is kept, to be shown to others. On a ring the
 * receiver's own must accompany each message, as honest nodes send it, so that only a node that was shown
 * it can return it to its origin.
 */
function isCandidate(
  { authentication, self, state }: Step,
  rank: Rank,
  candidacies: Readonly<Record<string, string>>,
): boolean {
  const name = String(rank);
  const signature = Object.hasOwn(candidacies, name) ? candidacies[name] : undefined;
  const known = Object.hasOwn(state.candidacies, name) ? state.candidacies[name] : undefined;
  const isAsked = rank === self.rank && PROTOCOLS[authentication.protocol].returnsToOrigin;
  if (known !== undefined && (!isAsked || signature === known)) return true;
  if (typeof signature !== 'string') return false;
  const text = candidacyText(authentication, rank);
  if (!authentication.keysOf(self.rank).verify(rank, text, signature)) return false;
  state.candidacies[name] = signature;
  return true;
}

/** The collector of the protocol's step, which seals what it sends. */
function sealing(context: Step): Effects<Message> {
  const { authentication, state, effects } = context;
  const { level } = authentication;
  if (level === 'L0' || level === 'L1') return effects;
  return intercepted(effects, {
    send: (to, message) => effects.send(to, sealFor(context, to, message)),
    persist(fields) {
      state.saved = fields;
      effects.persist(level === 'L3' ? { life: state.life, saved: fields } : fields);
    },
  });
}

function sealFor(context: Step, to: Rank, body: Message): SealedMessage {
  const { authentication, self, state } = context;
  const by = self.rank;
  const sent = (state.sent[String(to)] ?? 0) + 1;
  state.sent[String(to)] = sent;
  const number = authentication.level === 'L3' ? state.life * NUMBERS_PER_LIFE + sent : 0;
  const numbered = authentication.level === 'L3' ? { number } : {};
  if (needsNoSignature(authentication, body)) return { ...body, seal: { by, ...numbered } };
  const { sign } = authentication.keysOf(by);
  const signature = sign(messageText(authentication, { by, to, number, body }));
  const proofs: Record<string, string> = {};
  for (const rank of candidatesIn(authentication.protocol, body, by)) {
    const known = proofOf(context, rank);
    if (known !== null) proofs[String(rank)] = known;
  }
  const candidacies = Object.keys(proofs).length === 0 ? {} : { candidacies: proofs };
  return { ...body, seal: { by, ...numbered, signature, ...candidacies } };
}

function proofOf({ authentication, self, state }: Step, rank: Rank): string | null {
  const name = String(rank);
  if (rank === self.rank && !Object.hasOwn(state.candidacies, name)) {
    const { sign } = authentication.keysOf(rank);
    state.candidacies[name] = sign(candidacyText(authentication, rank));
  }
  return state.candidacies[name] ?? null;
}

/**
 * Which message numbers of one sender have been used by one kind of messages: each counts once, in any order, as long as
 * none is overtaken by more than a window (as in RFC 4303, section 3.4.3). The numbers of a node that has returned are far above those
 * of before, which with its first message count as used.
 */
type Numbers = {
  /** The highest used number. 0 before the first. */
  highest: number;
  /** Lower unused numbers, ascending. Numbers outside the window count as used. */
  missing: number[];
};

/** Number of messages of its kind that may overtake one. */
export const NUMBERS_WINDOW = 1024;

function noNumbers(): Numbers {
  return { highest: 0, missing: [] };
}

/** Whether a message with this number counts. */
export function isFresh({ highest, missing }: Numbers, number: number): boolean {
  return number > highest ? Number.isSafeInteger(number) : missing.includes(number);
}

/** Marks a number as used. */
function noteNumber(numbers: Numbers, number: number): void {
  if (number <= numbers.highest) {
    numbers.missing = numbers.missing.filter((each) => each !== number);
    return;
  }
  const first = Math.max(numbers.highest + 1, number - NUMBERS_WINDOW);
  for (let skipped = first; skipped < number; skipped += 1) numbers.missing.push(skipped);
  numbers.missing = numbers.missing.filter((each) => each >= number - NUMBERS_WINDOW);
  numbers.highest = number;
}
