/**
 * @module
 * Zab's leader election as ZooKeeper has it: fast leader election, then discovery and synchronisation,
 * after which there is a leader. F. Junqueira, B. Reed and M. Serafini (2011), "Zab: High-performance
 * broadcast for primary-backup systems", DSN; A. Medeiros (2012), "ZooKeeper's atomic broadcast
 * protocol: theory and practice"; P. Hunt et al. (2010), "ZooKeeper", USENIX ATC. No transaction is
 * broadcast here: a node's last zxid is what it claims, and stays.
 *
 * Invariants: (1) `acceptedEpoch` never falls and `currentEpoch` never exceeds it, both on disk before
 * a word that rests on them; (2) a node promises an epoch to one leader, itself included; (3) whoever
 * leads in an epoch has a quorum's promises of it, so no other does, on any network, as long as no disk
 * forgets; (4) its log is not behind that of any who promised; (5) who follows in `broadcast` follows
 * one that led in that epoch; (6) who looks has timer "notify" set or, when a quorum
 * agrees with it, "finalize", who leads or follows "silence". Messages when all n start and hear each other in ascending order, in a
 * tick: each says every better vote that it meets, n(n+1)/2 times n−1 NOTIFICATION; at best (the best
 * is heard first) 2n−1 times n−1; then 6(n−1) up to COMMIT, and 2(n−1) a heartbeat.
 */

import type { Flags, NumberFlags } from '../flags.ts';
import { numbersOf } from '../flags.ts';
import type { Event, Json, Machine, Rank } from '../machine.ts';
import type { AttributeOf } from '../protocol.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import { follow, hearLeader, introduce } from './zab-following.ts';
import { hearCepoch, hearFollower, lead, ping } from './zab-leading.ts';
import { conclude, hear, look, notifyAgain, ownNotification } from './zab-looking.ts';
import type { Next, Notification, ZabMessage, ZabState, ZabStep } from './zab-state.ts';
import { initZab, isExact, readEpochs } from './zab-state.ts';

const TICKS_MAX = 1_000_000_000;

/** Times that the descriptions leave to the configuration. */
export const ZAB_NUMBERS = {
  finalizeWaitTicks: {
    min: 1,
    max: TICKS_MAX,
    meaning: 'ticks that a node waits for a better vote when a quorum agrees with its own',
    byDefault: answerTicks,
  },
  heartbeatTicks: {
    min: 1,
    max: TICKS_MAX,
    meaning: 'ticks between the PINGs of a leader, and after which a joining follower asks again',
    byDefault: (_timing, numberOf) => Math.max(1, Math.floor(numberOf('silenceTicks') / 10)),
  },
  silenceTicks: {
    min: 1,
    max: TICKS_MAX,
    meaning: 'ticks without a PING, a quorum of PONGs or progress after which a node looks again',
    byDefault: silenceTicks,
  },
} as const satisfies NumberFlags;

/** The machine of every node; `zxidOf` is the last transaction in a rank's log, by default the same. */
export function createZab(
  timing: Timing,
  flags: Flags = {},
  zxidOf: AttributeOf = () => 0,
): Machine<ZabState, ZabMessage> {
  const ticks = numbersOf(ZAB_NUMBERS, timing, flags);
  return {
    init: initZab,
    step(self, state, event, effects) {
      const context = { ticks, zxidOf, self, state, effects };
      if (event.type === 'recover') recover(context, event.persisted);
      else if (state.phase !== 'refused') proceed(context, stepZab(context, event));
    },
  };
}

/**
 * How long one agreed leader has to last: whoever it had lost would have been silent for too long.
 */
export function zabSteadyTicks(timing: Timing, flags: Flags): number {
  const ticks = numbersOf(ZAB_NUMBERS, timing, flags);
  return ticks.silenceTicks + ticks.heartbeatTicks + answerTicks(timing);
}

function stepZab(
  context: ZabStep,
  event: Exclude<Event<ZabMessage>, { readonly type: 'recover' }>,
): Next {
  switch (event.type) {
    case 'start':
      return context.state.phase === 'idle' ? 'look' : 'stay';
    case 'deliver':
      return onMessage(context, event.from, event.message);
    case 'timeout':
      return onTimeout(context, event.timer);
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
    case 'chosen':
    case 'reply':
    case 'request':
      return 'stay';
    default:
      return event satisfies never;
  }
}

/** What one part of the protocol has decided, another carries out. */
function proceed(context: ZabStep, next: Next): void {
  switch (next) {
    case 'stay':
      break;
    case 'look':
      look(context);
      break;
    case 'lead':
      lead(context);
      break;
    case 'follow':
      follow(context);
      break;
    default:
      next satisfies never;
  }
}

function onMessage(context: ZabStep, from: Rank, message: ZabMessage): Next {
  const { state } = context;
  if (!isExact(message)) return 'stay';
  switch (message.type) {
    case 'NOTIFICATION':
      return onNotification(context, from, message);
    case 'CEPOCH':
      return isLeading(context) ? hearCepoch(context, from, message.epoch) : 'stay';
    case 'ACKEPOCH':
    case 'ACK':
    case 'PONG':
      return isLeading(context) ? hearFollower(context, from, message) : 'stay';
    case 'NEWEPOCH':
    case 'NEWLEADER':
    case 'COMMIT':
    case 'PING':
      if (state.phase === 'idle' || state.phase === 'looking' || isLeading(context)) return 'stay';
      return hearLeader(context, from, message);
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
      return 'stay';
  }
}

function onNotification(context: ZabStep, from: Rank, notification: Notification): Next {
  const { state, effects } = context;
  if (state.phase === 'idle') {
    if (notification.state !== 'LOOKING') return 'stay';
    look(context);
  }
  if (state.phase === 'looking') return hear(context, from, notification);
  // Whoever looks is told whom this node follows, and may join.
  if (notification.state === 'LOOKING') effects.send(from, ownNotification(context));
  return 'stay';
}

function onTimeout(context: ZabStep, timer: string): Next {
  const { phase } = context.state;
  const isLooking = phase === 'looking';
  const isJoining = phase === 'discovery' || phase === 'proposal' || phase === 'synchronisation';
  if (timer === 'notify' && isLooking) notifyAgain(context);
  if (timer === 'finalize' && isLooking) return conclude(context);
  if (timer === 'retry' && isJoining && !isLeading(context)) introduce(context);
  if (timer === 'heartbeat' && phase === 'broadcast' && isLeading(context)) ping(context);
  if (timer === 'silence' && (isJoining || phase === 'broadcast')) return 'look';
  return 'stay';
}

/** Back with what the disk has kept, which says nothing of rounds and leaders. */
function recover(context: ZabStep, persisted: Json): void {
  const epochs = readEpochs(persisted);
  Object.assign(context.state, initZab(context.self), epochs);
  if (epochs === null) context.state.phase = 'refused';
  else look(context);
}

/** It leads, or would: its vote is for itself. */
function isLeading({ self, state }: ZabStep): boolean {
  return state.phase !== 'idle' && state.vote.leader === self.rank;
}
