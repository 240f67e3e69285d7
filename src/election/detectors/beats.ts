/**
 * @module
 * Basis of all detectors with heartbeats: a node sends a numbered FD_HEARTBEAT to every other member once a
 * period. It keeps a deadline for each member, which a heartbeat renews, and suspects a member after its
 * deadline. Detectors differ in the length of the deadline. The deadline is a timer, so that a suspicion
 * has no delay and no polling. n(n−1) messages a period.
 */

import type { Json, Message, Rank, Self } from '../machine.ts';
import type { Detector, DetectorEffects, DetectorEvent } from './detector.ts';
import { nextCount } from './detector.ts';

/** `seq` grows with each heartbeat, so that late and duplicate ones are ignored. */
export interface Heartbeat extends Message {
  readonly type: 'FD_HEARTBEAT';
  readonly seq: number;
}

/** How long to wait for a member. A memory is plain JSON data, changed in place. */
export interface Patience<Memory extends Json> {
  /** The memory of a member that is watched from now on. */
  begin(now: number): Memory;
  /** A heartbeat of the member has arrived. `seq` is its number: the tick of its sending by the clock of the sender. */
  receive(memory: Memory, now: number, wasSuspected: boolean, seq: number): void;
  /** Ticks from now, just after `begin` or `receive`, to the suspicion; Infinity for never, below 0 if it was due. */
  deadlineTicks(memory: Memory): number;
}

export type BeatsState<Memory extends Json> = {
  seq: number;
  /** By the text of their rank. */
  peers: { [rank: string]: Peer<Memory> };
};

type Peer<Memory extends Json> = { seq: number; suspected: boolean; memory: Memory };

type Out = DetectorEffects<Heartbeat>;

const BEAT = 'beat';
const DEADLINE = 'deadline:';

/** A detector that sends a beat every `everyTicks` and waits for those of others with `patience`. */
export function createBeats<Memory extends Json>(
  everyTicks: number,
  patience: Patience<Memory>,
): Detector<BeatsState<Memory>, Heartbeat> {
  return {
    init: () => ({ seq: 0, peers: {} }),
    step(self, state, event, now, effects) {
      step({ everyTicks, patience, self, state, now, effects }, event);
    },
  };
}

interface Context<Memory extends Json> {
  readonly everyTicks: number;
  readonly patience: Patience<Memory>;
  readonly self: Self;
  readonly state: BeatsState<Memory>;
  readonly now: number;
  readonly effects: Out;
}

function step<Memory extends Json>(
  context: Context<Memory>,
  event: DetectorEvent<Heartbeat>,
): void {
  switch (event.type) {
    case 'start':
    case 'recover':
      context.effects.setTimer(BEAT, context.everyTicks, true);
      beat(context);
      break;
    case 'timeout':
      if (event.timer === BEAT) beat(context);
      else if (event.timer.startsWith(DEADLINE)) expire(context, event.timer);
      break;
    case 'deliver':
      if (event.message.type === 'FD_HEARTBEAT') onBeat(context, event.from, event.message.seq);
      break;
    case 'chosen':
      break;
    default:
      event satisfies never;
  }
}

function beat<Memory extends Json>(context: Context<Memory>): void {
  const { self, state, now, effects } = context;
  attend(context);
  state.seq = nextCount(state.seq, now);
  for (const member of self.members) {
    if (member !== self.rank) effects.send(member, { type: 'FD_HEARTBEAT', seq: state.seq });
  }
}

/** Watches the members only, with those that have joined. */
function attend<Memory extends Json>(context: Context<Memory>): void {
  const { self, state, effects } = context;
  const watched = new Set<string>();
  for (const member of self.members) {
    if (member === self.rank) continue;
    watched.add(String(member));
    if (peerOf(state, member) === undefined) watch(context, member);
  }
  for (const key of Object.keys(state.peers)) {
    if (watched.has(key)) continue;
    delete state.peers[key];
    effects.cancelTimer(DEADLINE + key);
  }
}

function watch<Memory extends Json>(context: Context<Memory>, member: Rank): Peer<Memory> {
  const peer = { seq: 0, suspected: false, memory: context.patience.begin(context.now) };
  context.state.peers[String(member)] = peer;
  wait(context, member, peer);
  return peer;
}

function onBeat<Memory extends Json>(context: Context<Memory>, from: Rank, seq: number): void {
  const { self, state, patience, now, effects } = context;
  if (from === self.rank || !self.members.includes(from) || !Number.isSafeInteger(seq)) return;
  const peer = peerOf(state, from) ?? watch(context, from);
  if (seq <= peer.seq) return;
  peer.seq = seq;
  patience.receive(peer.memory, now, peer.suspected, seq);
  if (peer.suspected && patience.deadlineTicks(peer.memory) < 0) return;
  wait(context, from, peer);
  if (!peer.suspected) return;
  peer.suspected = false;
  effects.trust(from);
}

function wait<Memory extends Json>(
  { patience, effects }: Context<Memory>,
  member: Rank,
  peer: Peer<Memory>,
): void {
  const ticks = patience.deadlineTicks(peer.memory);
  if (ticks === Number.POSITIVE_INFINITY) effects.cancelTimer(DEADLINE + member);
  else effects.setTimer(DEADLINE + member, Math.max(0, ticks), false);
}

function expire<Memory extends Json>(
  { self, state, effects }: Context<Memory>,
  timer: string,
): void {
  const member = self.members.find((rank) => DEADLINE + rank === timer);
  if (member === undefined) return;
  const peer = peerOf(state, member);
  if (peer === undefined || peer.suspected) return;
  peer.suspected = true;
  effects.suspect(member);
}

function peerOf<Memory extends Json>(
  { peers }: BeatsState<Memory>,
  member: Rank,
): Peer<Memory> | undefined {
  const key = String(member);
  return Object.hasOwn(peers, key) ? peers[key] : undefined;
}
