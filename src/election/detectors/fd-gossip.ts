/**
 * @module
 * R. van Renesse, Y. Minsky, M. Hayden, "A gossip-style failure detection service", Middleware 1998.
 * Once a period a node raises its own count and sends its table of counts to one random member. The
 * receiver keeps the larger count of each member, with the time of its local clock. A member whose count
 * has not risen for `failTicks` is suspected and no longer sent. After `cleanupTicks` it is removed; its
 * last count is kept until then, so that a stale table cannot bring it back. n messages a period, tables
 * of n entries.
 *
 * Counts have no proof. A Byzantine node that raises another's count keeps a dead node alive; a count at
 * the limit silences a live node. Counts begin at the clock, so that `refusesAhead` can drop counts beyond
 * it. That prevents the second attack only; the first needs signatures.
 */

import type { Message, Rank, Self } from '../machine.ts';
import type { Detector, DetectorEffects, DetectorEvent } from './detector.ts';
import { nextCount } from './detector.ts';
import {
  clashIfBelow,
  defineDetector,
  EVERY_OPTION,
  switchOption,
  ticksFrom,
} from './detector-definition.ts';

export interface GossipOptions {
  readonly everyTicks: number;
  readonly failTicks: number;
  /** At least `failTicks`; 2·failTicks in the paper. */
  readonly cleanupTicks: number;
  /** Whether counts beyond the own clock are dropped. Needs synchronised clocks. */
  readonly refusesAhead: boolean;
}

export interface Gossip extends Message {
  readonly type: 'FD_GOSSIP';
  readonly table: readonly (readonly [rank: Rank, count: number])[];
}

export type GossipState = {
  count: number;
  /** Number of outstanding choices. */
  asked: number;
  /** By the text of their rank. */
  peers: { [rank: string]: Peer };
};

type Peer = {
  count: number;
  /** Time of the last rise of the count, or of the start of watching. */
  at: number;
  standing: 'live' | 'suspected' | 'forgotten';
};

interface Context {
  readonly options: GossipOptions;
  readonly self: Self;
  readonly state: GossipState;
  readonly now: number;
  readonly effects: DetectorEffects<Gossip>;
}

const ROUND = 'gossip';

/** A gossiped count reaches 100 nodes in some 12 periods; the rest is a margin. */
const GOSSIP_PERIODS = 20;

export const FD_GOSSIP = defineDetector({
  name: 'fd-gossip',
  rule: 'suspects a node whose gossiped count has not risen for fail ticks',
  messageBound: 'n a period, with tables of up to n counts',
  source:
    'R. van Renesse, Y. Minsky, M. Hayden, A gossip-style failure detection service, Middleware 1998',
  messages: { FD_GOSSIP: { table: 'table' } },
  options: {
    every: { ...EVERY_OPTION, meaning: 'ticks from one round of gossip to the next' },
    fail: {
      ...ticksFrom(1),
      meaning: 'ticks without a rise until a suspicion',
      byDefault: (timing, read) => GOSSIP_PERIODS * (read.number('every') + timing.latencyTicksMax),
    },
    cleanup: {
      ...ticksFrom(1),
      meaning: 'ticks without a rise until the count is forgotten',
      byDefault: (_timing, read) => 2 * read.number('fail'),
    },
    bounded: switchOption('drops counts that are ahead of its own clock'),
  },
  clash: (read) => clashIfBelow(['cleanup', 'fail'], read),
  // With tables of all in every message: 2.7 GB were measured.
  nodesMax: 512,
  detectionTicks: (timing, read) =>
    2 * read.number('fail') + read.number('every') + timing.latencyTicksMax,
  create: (_timing, read) =>
    createGossipDetector({
      everyTicks: read.number('every'),
      failTicks: read.number('fail'),
      cleanupTicks: read.number('cleanup'),
      refusesAhead: read.isOn('bounded'),
    }),
});

/** The detector of every node. */
export function createGossipDetector(options: GossipOptions): Detector<GossipState, Gossip> {
  return {
    init: () => ({ count: 0, asked: 0, peers: {} }),
    step(self, state, event, now, effects) {
      step({ options, self, state, now, effects }, event);
    },
  };
}

function step(context: Context, event: DetectorEvent<Gossip>): void {
  switch (event.type) {
    case 'start':
    case 'recover':
      context.effects.setTimer(ROUND, context.options.everyTicks, true);
      goRound(context);
      break;
    case 'timeout':
      if (event.timer === ROUND) goRound(context);
      break;
    case 'chosen':
      sendCounts(context, event.value);
      break;
    case 'deliver':
      if (event.message.type === 'FD_GOSSIP') merge(context, event.message);
      break;
    default:
      event satisfies never;
  }
}

function goRound({ options, self, state, now, effects }: Context): void {
  state.count = nextCount(state.count, now);
  const peers = others(self);
  for (const member of peers) {
    const peer = peerOf(state, member, now);
    const silentTicks = now - peer.at;
    if (peer.standing === 'live' && silentTicks >= options.failTicks) {
      peer.standing = 'suspected';
      effects.suspect(member);
    }
    if (peer.standing === 'suspected' && silentTicks >= options.cleanupTicks) {
      peer.standing = 'forgotten';
      peer.count = 0;
    }
  }
  if (peers.length === 0) return;
  state.asked += 1;
  effects.choose(peers.length);
}

function sendCounts({ self, state, now, effects }: Context, value: number): void {
  if (state.asked === 0) return;
  state.asked -= 1;
  const peers = others(self);
  // Suspects are recipients too; otherwise the end of a partition would go unnoticed.
  const listener = peers[value];
  if (listener === undefined) return;
  const live = peers.flatMap((member): [Rank, number][] => {
    const { standing, count } = peerOf(state, member, now);
    return standing === 'live' && count > 0 ? [[member, count]] : [];
  });
  effects.send(listener, { type: 'FD_GOSSIP', table: [[self.rank, state.count], ...live] });
}

function merge(context: Context, { table }: Gossip): void {
  // A Byzantine member may send anything under this type, also entries of any number of nodes that do not exist.
  if (!Array.isArray(table)) return;
  const known = new Set(others(context.self));
  for (const entry of table) {
    if (Array.isArray(entry) && known.has(entry[0])) raise(context, entry[0], entry[1]);
  }
}

function raise({ options, state, now, effects }: Context, member: Rank, count: number): void {
  if (!Number.isSafeInteger(count) || (options.refusesAhead && count > now)) return;
  const peer = peerOf(state, member, now);
  if (count <= peer.count) return;
  peer.count = count;
  peer.at = now;
  if (peer.standing === 'live') return;
  peer.standing = 'live';
  effects.trust(member);
}

/** The entry of a member. A new entry starts the watching of an unknown member. */
function peerOf({ peers }: GossipState, member: Rank, now: number): Peer {
  const key = String(member);
  const known = Object.hasOwn(peers, key) ? peers[key] : undefined;
  if (known !== undefined) return known;
  const peer: Peer = { count: 0, at: now, standing: 'live' };
  peers[key] = peer;
  return peer;
}

function others(self: Self): Rank[] {
  return self.members.filter((member) => member !== self.rank);
}
