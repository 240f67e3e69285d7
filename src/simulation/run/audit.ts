/**
 * @module
 * The audit of a run: which nodes began and ceased to lead, when and in which epoch, and the sums. A leader
 * is a live node that leads itself, paused or not, with or without followers. Durations are counted at each
 * change, so that they are right for runs of any length; the trail and the number of distinct epochs are
 * bounded. Changes within one tick take no time: the tick counts as they leave it.
 */

import type { LeaderView } from '../engine/engine-options.ts';

export interface LeadershipChange {
  readonly at: number;
  readonly node: number;
  /** Whether it leads from now on. */
  readonly leads: boolean;
  /** Epoch of the reign that begins or ends; 0 if elections have no number. */
  readonly epoch: number;
}

/** The sums of leadership over the first `ticks` ticks of a run. */
export interface LeadershipMeasures {
  readonly ticks: number;
  readonly ticksWithoutLeader: number;
  /** Ticks in which two or more led at once. */
  readonly ticksSplit: number;
  /** How often a node began to lead. */
  readonly reigns: number;
  /** How often it was another node than the one before. */
  readonly changes: number;
  /** Number of epochs above 0 with a leader. */
  readonly epochs: number;
  /** Number of nodes that led in one epoch above 0, at most; null without such an epoch. */
  readonly leadersPerEpochMax: number | null;
  /** First tick from which every live node followed the same live leader to the end; null for none. */
  readonly stableFrom: number | null;
}

export interface Audit {
  /** Notes the new state of a node. Called for every change, in the order of the ticks. O(1). */
  observe(now: number, view: LeaderView): void;
  /** The measures of the run up to this tick; the run may go on. */
  finish(ticks: number): LeadershipMeasures;
  /** Agreement and downtime up to the last change. */
  outages(): Outages;
  /** The changes so far, oldest first. */
  trail(): readonly LeadershipChange[];
  /** Number of changes that are not in the trail because it was full. */
  omitted(): number;
}

/** About 10 MB. */
export const TRAIL_LIMIT = 100_000;

export interface AuditOptions {
  /** Ranks 1..nodes. All are up at first; a node that is down is observed. */
  readonly nodes: number;
  /** All nodes follow the highest of these at first, or none by default. */
  readonly crashedBefore?: readonly number[] | undefined;
  /** Maximum length of the trail, `TRAIL_LIMIT` by default. */
  readonly trailMax?: number | undefined;
}

/** An audit of a run that is about to begin. */
export function createAudit(options: AuditOptions): Audit {
  const { nodes, trailMax = TRAIL_LIMIT } = options;
  const reigns = createReigns(trailMax);
  const agreement = createAgreement(options);
  const stability = createStability();
  const outages = createOutages((options.crashedBefore ?? []).length > 0);
  return {
    observe(now, view) {
      const { rank, up, leader, epoch } = view;
      // The store neither leads nor follows.
      if (rank > nodes) return;
      const isLeaderCrash = !up && reigns.isLeading(rank);
      if (up && leader === rank) reigns.leads(rank, epoch, now);
      else reigns.yields(rank, now);
      const agreed = agreement(view);
      stability.note(agreed, now);
      outages.note(now, agreed !== null, isLeaderCrash);
    },
    finish: (ticks) => ({ ticks, ...reigns.measured(ticks), stableFrom: stability.since() }),
    outages: outages.measured,
    trail: reigns.trail,
    omitted: reigns.omitted,
  };
}

/** The leaders, and the trail of their changes. */
function createReigns(trailMax: number) {
  const trail: LeadershipChange[] = [];
  const leading = new Map<number, number>();
  const time = createStopwatch();
  const epochs = createEpochs();
  let omitted = 0;
  let reigns = 0;
  let changes = 0;
  let last: number | null = null;
  const note = (change: LeadershipChange) => {
    if (trail.length < trailMax) trail.push(change);
    else omitted += 1;
  };
  return {
    leads(node: number, epoch: number, at: number): void {
      const before = leading.get(node);
      if (before === epoch) return;
      time.pass(at, leading.size);
      leading.set(node, epoch);
      // A reign may go on in another epoch without a break; the trail has two entries for it.
      if (before !== undefined) note({ at, node, leads: false, epoch: before });
      note({ at, node, leads: true, epoch });
      epochs.note(epoch, node);
      if (before === undefined) reigns += 1;
      if (last !== null && last !== node) changes += 1;
      last = node;
    },
    yields(node: number, at: number): void {
      const epoch = leading.get(node);
      if (epoch === undefined) return;
      time.pass(at, leading.size);
      leading.delete(node);
      note({ at, node, leads: false, epoch });
    },
    isLeading: (node: number) => leading.has(node),
    measured(at: number) {
      time.pass(at, leading.size);
      return { ...time.measured(), reigns, changes, ...epochs.measured() };
    },
    trail: (): readonly LeadershipChange[] => trail,
    omitted: () => omitted,
  };
}

/** Counts ticks without a leader, and with several. */
function createStopwatch() {
  let last = 0;
  let ticksWithoutLeader = 0;
  let ticksSplit = 0;
  return {
    /** `leaders` is the number of leaders since the last call. */
    pass(at: number, leaders: number): void {
      const ticks = Math.max(at - last, 0);
      if (leaders === 0) ticksWithoutLeader += ticks;
      if (leaders > 1) ticksSplit += ticks;
      last += ticks;
    },
    measured: () => ({ ticksWithoutLeader, ticksSplit }),
  };
}

/** The leaders of each epoch. */
function createEpochs() {
  const leadersOf = new Map<number, Set<number>>();
  let epochs = 0;
  let leadersPerEpochMax: number | null = null;
  return {
    note(epoch: number, node: number): void {
      if (epoch === 0) return;
      let leaders = leadersOf.get(epoch);
      if (leaders === undefined) {
        leaders = new Set();
        epochs += 1;
        forgetOldest(leadersOf);
        leadersOf.set(epoch, leaders);
      }
      leaders.add(node);
      leadersPerEpochMax = Math.max(leadersPerEpochMax ?? 0, leaders.size);
    },
    measured: () => ({ epochs, leadersPerEpochMax }),
  };
}

/** Number of epochs whose leaders are kept. */
const EPOCHS_LIMIT = 100_000;

/** Epochs grow: the first one is the least likely to occur again. */
function forgetOldest(leadersOf: Map<number, unknown>): void {
  if (leadersOf.size < EPOCHS_LIMIT) return;
  const [oldest] = leadersOf.keys();
  if (oldest !== undefined) leadersOf.delete(oldest);
}

/** The leader that all live nodes follow, and the tick since when. */
interface Agreed {
  readonly leader: number | null;
  readonly since: number;
}

/** The tick since which the agreed leader is the same. */
function createStability() {
  const none: Agreed = { leader: null, since: 0 };
  let now = none;
  /** The state that the last tick left. */
  let before = none;
  let changedAt = 0;
  return {
    note(leader: number | null, at: number): void {
      if (leader === now.leader) return;
      if (at > changedAt) before = now;
      changedAt = at;
      // A node that returns and follows the leader in the same tick has interrupted nothing.
      now = leader === before.leader ? before : { leader, since: at };
    },
    since: () => (now.leader === null ? null : now.since),
  };
}

/** Returns after each change the live leader that all live nodes follow; null without one. */
function createAgreement({ nodes, crashedBefore = [] }: AuditOptions) {
  const incumbent = crashedBefore.reduce<number | null>(
    (highest, rank) => Math.max(highest ?? rank, rank),
    null,
  );
  const views = Array.from({ length: nodes }, () => ({ up: true, leader: incumbent }));
  // Number of live followers of each leader with at least one.
  const followers = new Map<number, number>();
  if (incumbent !== null) followers.set(incumbent, nodes);
  let live = nodes;
  const count = (leader: number | null, by: 1 | -1) => {
    live += by;
    if (leader === null) return;
    const sum = (followers.get(leader) ?? 0) + by;
    if (sum === 0) followers.delete(leader);
    else followers.set(leader, sum);
  };
  return ({ rank, up, leader }: LeaderView): number | null => {
    const before = views[rank - 1];
    if (before === undefined) throw new RangeError(`"rank" expected 1..${nodes}, got ${rank}`);
    if (before.up) count(before.leader, -1);
    if (up) count(leader, 1);
    views[rank - 1] = { up, leader };
    if (followers.size !== 1) return null;
    const [only] = followers;
    if (only === undefined || only[1] !== live) return null;
    return views[only[0] - 1]?.up === true ? only[0] : null;
  };
}

/**
 * How long a run takes to agree, and how long it is without agreement after a crash of a leader. The nodes agree
 * when every live node follows the same live leader. Each tick counts as its last change leaves it.
 */
interface Outages {
  /** The first tick at which the nodes agreed; null if they never did. */
  readonly agreementTicks: number | null;
  /** Crashes of live nodes that led themselves. Nodes that crashed before the run count as one at tick 0. */
  readonly leaderCrashes: number;
  /**
   * Ticks from a crash of a leader until the nodes agreed again, summed over the run. A crash before that is part
   * of the same outage. Null if the nodes did not agree again.
   */
  readonly downtimeTicks: number | null;
}

/** The outages of a run that begins, with or without nodes that crashed before it. */
function createOutages(isLeaderDead: boolean) {
  let at = 0;
  let agreed = false;
  let agreementTicks: number | null = null;
  let downSince = isLeaderDead ? 0 : null;
  let leaderCrashes = isLeaderDead ? 1 : 0;
  let downtimeTicks = 0;
  const endTick = () => {
    if (!agreed) return;
    agreementTicks ??= at;
    if (downSince !== null) downtimeTicks += at - downSince;
    downSince = null;
  };
  return {
    /** Notes whether the nodes agree from `now` on, and whether the change is a crash of a leader. */
    note(now: number, isAgreed: boolean, isLeaderCrash: boolean): void {
      if (now > at) endTick();
      at = now;
      agreed = isAgreed;
      if (!isLeaderCrash) return;
      leaderCrashes += 1;
      downSince ??= now;
    },
    measured(): Outages {
      endTick();
      return {
        agreementTicks,
        leaderCrashes,
        downtimeTicks: downSince === null ? downtimeTicks : null,
      };
    },
  };
}
