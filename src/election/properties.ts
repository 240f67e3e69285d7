/**
 * @module
 * What an election must satisfy, judged from what a driver observes: which nodes are up, and which leader
 * each follows. Each property has a `witnessed` partner, true if the run showed the subject of the
 * property, so that a run without events proves nothing.
 *
 * - uniqueness (always): two live nodes never lead themselves at the same time, or, if votes or a store
 *   number epochs, never in the same epoch, under any schedule while disks and store keep their data: a
 *   leader that does not know of the end of its epoch leads beside the next one. Rings: under any
 *   schedule, with crashes and restarts, while no node joins; rings that need FIFO links only on FIFO
 *   links, and rings that number elections only while their store keeps the numbers. Bully: under
 *   synchronous timing and a detector that never errs and reports a returned node before that node's first
 *   step; not otherwise (stale or late announcements).
 * - agreement (at the end): no two live nodes follow different leaders. Conditions of termination: while a
 *   hole swallows messages, a node can continue to follow a dead leader.
 * - termination (at the end): every live node follows a live one. Bully: synchronous timing. Rings: only
 *   while no member is down, since a hole swallows every PROBE.
 * - highest-live-wins (at the end): each node that follows a live leader follows the highest live node, by
 *   attribute and then rank if a protocol elects by attribute. A leader that is down is a matter of
 *   termination. Never witnessed for a protocol in which any node may win. A Byzantine node breaks any
 *   property (Garcia-Molina 1982, Chang and Roberts 1979 assume crashes only).
 */

export const PROPERTY_NAMES = [
  'agreement',
  'uniqueness',
  'termination',
  'highestLiveWins',
] as const;

export type PropertyName = (typeof PROPERTY_NAMES)[number];

export type Truth = 'true' | 'false' | 'unknown';

export interface PropertyVerdict {
  readonly value: Truth;
  readonly witnessed: boolean;
}

export interface Verdict {
  readonly value: Truth;
  /** One plain sentence. */
  readonly reason: string;
  readonly properties: Readonly<Record<PropertyName, PropertyVerdict>>;
}

/** The summary of a run that the functions below update in O(1). */
export interface Observations {
  /** Live nodes that lead themselves now, and the sum of their ranks (it names a second one). */
  leading: number;
  leadingRankSum: number;
  everLed: boolean;
  breach: Breach | null;
  /** The leader of each epoch. */
  readonly leaderOfEpoch: Map<number, number>;
  epochBreach: (Breach & { readonly epoch: number }) | null;
}

/** Two leaders where one is allowed, and the moment of the second. */
export interface Breach {
  readonly ranks: readonly [number, number];
  readonly moment: number;
}

/** One node as a driver sees it. It leads if `leader` is its own rank. */
export interface NodeView {
  readonly rank: number;
  readonly up: boolean;
  readonly leader: number | null;
}

/** Which node must win. */
export interface Aim {
  readonly elects: 'highest' | 'attribute' | 'any';
  /** The attribute of each rank, index rank − 1. Null if all are equal. Only for `attribute`. */
  readonly attributes: readonly number[] | null;
  /** What must not have two leaders: a moment (the default), or an epoch. */
  readonly unique?: 'moment' | 'epoch' | undefined;
}

const HIGHEST_WINS: Aim = { elects: 'highest', attributes: null };

export function createObservations(): Observations {
  return {
    leading: 0,
    leadingRankSum: 0,
    everLed: false,
    breach: null,
    leaderOfEpoch: new Map(),
    epochBreach: null,
  };
}

/** A live node begins to lead itself. `moment` is the driver's clock: ticks, or steps without one. */
export function noteLeads(
  observations: Observations,
  leads: { rank: number; moment: number },
): void {
  if (observations.leading === 1 && observations.breach === null) {
    observations.breach = {
      ranks: [observations.leadingRankSum, leads.rank],
      moment: leads.moment,
    };
  }
  observations.leading += 1;
  observations.leadingRankSum += leads.rank;
  observations.everLed = true;
}

/** A node leads itself in this epoch; 0 is no epoch. */
export function noteEpoch(
  observations: Observations,
  leads: { readonly rank: number; readonly epoch: number; readonly moment: number },
): void {
  const { rank, epoch, moment } = leads;
  if (epoch === 0) return;
  const other = observations.leaderOfEpoch.get(epoch);
  if (other === undefined) observations.leaderOfEpoch.set(epoch, rank);
  else if (other !== rank) observations.epochBreach ??= { ranks: [other, rank], moment, epoch };
}

/** A node stops leading itself: it follows another, stepped down or crashed. */
export function noteYields(observations: Observations, rank: number): void {
  observations.leading -= 1;
  observations.leadingRankSum -= rank;
}

/**
 * The verdict on a run so far. `settled`: the election is at rest. Before that only a broken `uniqueness`
 * is definite and everything else is unknown. `nodes` are all nodes, index rank − 1. `aim` is that of the
 * protocol. O(n).
 */
export function judge(
  observations: Observations,
  nodes: readonly NodeView[],
  settled: boolean,
  aim: Aim = HIGHEST_WINS,
): Verdict {
  const summary = summarise(nodes, aim);
  const breach = breachOf(observations, aim);
  const atEnd = (holds: boolean): Truth => (settled ? truth(holds) : 'unknown');
  const properties = {
    agreement: {
      value: atEnd(summary.followedMin === summary.followedMax),
      witnessed: summary.followers > 0,
    },
    uniqueness: {
      value: breach !== null || settled ? truth(breach === null) : 'unknown',
      witnessed: observations.everLed,
    },
    termination: {
      value: atEnd(summary.live > 0 && summary.followersOfLive === summary.live),
      witnessed: observations.everLed,
    },
    highestLiveWins: {
      value: atEnd(
        aim.elects === 'any' ||
          summary.followersOfLive === 0 ||
          (summary.followedLiveMin === summary.highestLive &&
            summary.followedLiveMax === summary.highestLive),
      ),
      witnessed: aim.elects !== 'any' && summary.highestLeads,
    },
  } as const;
  const values = PROPERTY_NAMES.map((name) => properties[name].value);
  const value = values.includes('false')
    ? 'false'
    : values.includes('unknown')
      ? 'unknown'
      : 'true';
  return { value, reason: explain(observations, summary, { settled, aim }), properties };
}

/** A summary of the live nodes. The smallest and largest followed ranks are 0 if there are none. */
interface Summary {
  live: number;
  highestLive: number;
  highestLeads: boolean;
  followers: number;
  followersOfLive: number;
  followedMin: number;
  followedMax: number;
  /** The smallest and largest rank of a live node that is followed. */
  followedLiveMin: number;
  followedLiveMax: number;
}

function summarise(nodes: readonly NodeView[], { elects, attributes }: Aim): Summary {
  const attributeOf = (rank: number) =>
    elects === 'attribute' ? (attributes?.[rank - 1] ?? 0) : 0;
  let best = Number.NEGATIVE_INFINITY;
  const summary: Summary = {
    live: 0,
    highestLive: 0,
    highestLeads: false,
    followers: 0,
    followersOfLive: 0,
    followedMin: 0,
    followedMax: 0,
    followedLiveMin: 0,
    followedLiveMax: 0,
  };
  for (const node of nodes) {
    if (!node.up) continue;
    summary.live += 1;
    // Ranks ascend: of two with the same attribute the later is higher.
    if (attributeOf(node.rank) >= best) {
      best = attributeOf(node.rank);
      summary.highestLive = node.rank;
      summary.highestLeads = node.leader === node.rank;
    }
    if (node.leader === null) continue;
    summary.followers += 1;
    if (nodes[node.leader - 1]?.up === true) {
      summary.followersOfLive += 1;
      if (summary.followersOfLive === 1 || node.leader < summary.followedLiveMin) {
        summary.followedLiveMin = node.leader;
      }
      summary.followedLiveMax = Math.max(summary.followedLiveMax, node.leader);
    }
    if (summary.followers === 1 || node.leader < summary.followedMin) {
      summary.followedMin = node.leader;
    }
    summary.followedMax = Math.max(summary.followedMax, node.leader);
  }
  return summary;
}

function breachOf({ breach, epochBreach }: Observations, { unique }: Aim): Breach | null {
  return unique === 'epoch' ? epochBreach : breach;
}

function explain(
  observations: Observations,
  summary: Summary,
  { settled, aim }: { readonly settled: boolean; readonly aim: Aim },
): string {
  const breach = breachOf(observations, aim);
  const { live, highestLive, followedMin, followedMax } = summary;
  if (breach !== null) {
    const { ranks, moment } = breach;
    const when =
      'epoch' in breach ? `in epoch ${breach.epoch}, the second from ${moment}` : `at ${moment}`;
    return `nodes ${ranks[0]} and ${ranks[1]} both led ${when}`;
  }
  if (!settled) return 'the election has not come to rest';
  if (summary.followers === 0) return 'no live node follows a leader';
  if (followedMin !== followedMax) {
    return `live nodes follow different leaders, ${followedMin} and ${followedMax} among them`;
  }
  if (summary.followersOfLive === 0) return `the followed leader ${followedMax} is down`;
  if (summary.followers < live) {
    return `${live - summary.followers} of ${live} live nodes follow no leader`;
  }
  if (aim.elects === 'any') {
    return `all ${live} live nodes follow ${followedMax}; the protocol may elect any node`;
  }
  const byAttribute = aim.elects === 'attribute' && aim.attributes !== null ? ' by attribute' : '';
  if (followedMax !== highestLive) {
    return `all follow ${followedMax}, but ${highestLive} is up and higher${byAttribute}`;
  }
  return `all ${live} live nodes follow ${followedMax}, the highest of them${byAttribute}`;
}

function truth(holds: boolean): Truth {
  return holds ? 'true' : 'false';
}
