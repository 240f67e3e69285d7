/**
 * @module
 * The audit trail of a run: who began and ceased to lead, when and in which epoch, and what it adds up
 * to. A leader is a live node that leads itself, paused or not, whether or not anybody follows it. All
 * durations are counted as the changes come, so that they hold of runs of any length; the trail itself
 * and the epochs that are told apart are bounded. Changes within one tick take no time: it counts as
 * they leave it.
 */

import type { LeaderView } from '../engine/engine-options.ts';

export interface LeadershipChange {
  readonly at: number;
  readonly node: number;
  /** Whether it leads from here on. */
  readonly leads: boolean;
  /** Of the reign that begins or ends; 0 where elections have no number. */
  readonly epoch: number;
}

/** What a run's leadership adds up to, over its first `ticks` ticks. */
export interface LeadershipMeasures {
  readonly ticks: number;
  readonly ticksWithoutLeader: number;
  /** In which two or more led at once. */
  readonly ticksSplit: number;
  /** How often a node began to lead. */
  readonly reigns: number;
  /** How often it was another than the one before it. */
  readonly changes: number;
  /** Epochs above 0 in which somebody led. */
  readonly epochs: number;
  /** Nodes that led in one and the same epoch above 0, at most; null where there was none. */
  readonly leadersPerEpochMax: number | null;
  /** From this tick on every live node followed the same live leader, to the end; null for never. */
  readonly stableFrom: number | null;
}

export interface Audit {
  /** A node as it is from now on; for every change, in the order of the ticks. O(1). */
  observe(now: number, view: LeaderView): void;
  /** The measures of the run if it ends after so many ticks; it may go on after that. */
  finish(ticks: number): LeadershipMeasures;
  /** The changes so far, oldest first. */
  trail(): readonly LeadershipChange[];
  /** Changes that were counted and are not in the trail, which was full. */
  omitted(): number;
}

/** Some 10 MB. */
export const TRAIL_LIMIT = 100_000;

export interface AuditOptions {
  /** Ranks 1..nodes; all are up at first, and whoever is not is observed to be down. */
  readonly nodes: number;
  /** The highest of them is whom all follow at first; nobody by default. */
  readonly crashedBefore?: readonly number[] | undefined;
  /** How many changes the trail keeps, `TRAIL_LIMIT` by default. */
  readonly trailMax?: number | undefined;
}

/** An audit of a run that is about to begin. */
export function createAudit(options: AuditOptions): Audit {
  const { nodes, trailMax = TRAIL_LIMIT } = options;
  const reigns = createReigns(trailMax);
  const agreement = createAgreement(options);
  const stability = createStability();
  return {
    observe(now, view) {
      const { rank, up, leader, epoch } = view;
      // The store has a seat too, and neither leads nor follows.
      if (rank > nodes) return;
      if (up && leader === rank) reigns.leads(rank, epoch, now);
      else reigns.yields(rank, now);
      stability.note(agreement(view), now);
    },
    finish: (ticks) => ({ ticks, ...reigns.measured(ticks), stableFrom: stability.since() }),
    trail: reigns.trail,
    omitted: reigns.omitted,
  };
}

/** Who leads, and since when. */
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
      // A reign may go on in another epoch without a break; the trail tells the two apart.
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
    measured(at: number) {
      time.pass(at, leading.size);
      return { ...time.measured(), reigns, changes, ...epochs.measured() };
    },
    trail: (): readonly LeadershipChange[] => trail,
    omitted: () => omitted,
  };
}

/** Ticks by how many led in them. */
function createStopwatch() {
  let last = 0;
  let ticksWithoutLeader = 0;
  let ticksSplit = 0;
  return {
    /** So many led since the last call. */
    pass(at: number, leaders: number): void {
      const ticks = Math.max(at - last, 0);
      if (leaders === 0) ticksWithoutLeader += ticks;
      if (leaders > 1) ticksSplit += ticks;
      last += ticks;
    },
    measured: () => ({ ticksWithoutLeader, ticksSplit }),
  };
}

/** Who led in which epoch. */
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

/** Of how many epochs it is remembered who led in them. */
const EPOCHS_LIMIT = 100_000;

/** Epochs grow: the one that was met first is the least likely to come again. */
function forgetOldest(leadersOf: Map<number, unknown>): void {
  if (leadersOf.size < EPOCHS_LIMIT) return;
  const [oldest] = leadersOf.keys();
  if (oldest !== undefined) leadersOf.delete(oldest);
}

/** Whom all follow, and from when on. */
interface Agreed {
  readonly leader: number | null;
  readonly since: number;
}

/** Since when it is the same leader. */
function createStability() {
  const nobody: Agreed = { leader: null, since: 0 };
  let now = nobody;
  /** As the last tick left it. */
  let before = nobody;
  let changedAt = 0;
  return {
    note(leader: number | null, at: number): void {
      if (leader === now.leader) return;
      if (at > changedAt) before = now;
      changedAt = at;
      // Whoever returns and hears at once who leads has interrupted nothing.
      now = leader === before.leader ? before : { leader, since: at };
    },
    since: () => (now.leader === null ? null : now.since),
  };
}

/** Answers after every change whom all live nodes follow, if it is one of them; null for nobody. */
function createAgreement({ nodes, crashedBefore = [] }: AuditOptions) {
  const incumbent = crashedBefore.reduce<number | null>(
    (highest, rank) => Math.max(highest ?? rank, rank),
    null,
  );
  const views = Array.from({ length: nodes }, () => ({ up: true, leader: incumbent }));
  // Of live nodes; whom nobody follows is not in it.
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
