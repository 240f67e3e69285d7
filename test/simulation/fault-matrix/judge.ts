/**
 * @module
 * What a trace says about safety and liveness, by name: which property, who broke it, when. It reads
 * the records alone and shares no code with the protocols or with the verdict of a simulation, so that
 * each can convict the other.
 *
 * S1: no two live nodes lead at a time or, where votes or a store number epochs, in one epoch. M: where
 * leaders lead by a lease, no two live nodes lead for as long as a tick, a paused one counted. S2: at
 * the end no two live nodes follow different leaders. S3: at the end no live node leads that is not the
 * best one alive. S5: no node goes back to an earlier epoch of an election, unless it has forgotten; of
 * disks, and of votes (S4), ballots.ts decides. L: at the end all live nodes follow one that lives.
 */

import type { SafetyProperty } from '../../../src/election/definition/fault-row.ts';
import { fromRank } from '../../../src/election/world/cast.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';

export interface Violation {
  readonly property: SafetyProperty | 'L';
  /** The nodes concerned, ascending. */
  readonly who: readonly number[];
  /** The tick at which it was first so. */
  readonly at: number;
  /** One plain sentence. */
  readonly what: string;
}

interface Node {
  up: boolean;
  leader: number | null;
  epoch: number;
}

export interface JudgedRun {
  readonly nodes: number;
  readonly records: readonly TraceRecord[];
  /** The tick at which the run ended. */
  readonly end: number;
  /** Whether the highest is meant to win (S3), and whether its epochs number elections (S5). */
  readonly highestWins: boolean;
  readonly numbersElections: boolean;
  /** What may have one leader (S1). */
  readonly unique: 'moment' | 'epoch';
  /** Whether leaders lead by a lease (M). */
  readonly byLease: boolean;
}

/** The first violation of each property, in the order of time. */
export function violationsOf(run: JudgedRun): Violation[] {
  const { nodes, records, end, highestWins, numbersElections, unique, byLease } = run;
  const members = Array.from({ length: nodes }, (): Node => newcomer());
  const receivers = new Map<number, number>();
  const found: Violation[] = [];
  const note = (violation: Violation) => {
    if (!found.some(({ property }) => property === violation.property)) found.push(violation);
  };
  const leaderOfEpoch = new Map<number, number>();
  const overlap = createOverlap(members);
  let copies = 0;
  for (const { t, action, effects } of records) {
    if (byLease) for (const violation of overlap.until(t)) note(violation);
    if (action.type === 'duplicate') {
      copies += 1;
      receivers.set(-copies, receivers.get(action.message) ?? 0);
    }
    const actor = 'node' in action ? action.node : (receivers.get(action.message) ?? 0);
    const node = members[actor - 1] ?? newcomer();
    if (action.type === 'crash') Object.assign(node, { up: false, leader: null });
    if (action.type === 'recover') {
      node.up = true;
      if (action.amnesia) node.epoch = 0;
    }
    for (const effect of effects) {
      if (effect.type === 'send' || effect.type === 'call')
        receivers.set(effect.id, fromRank(effect.to));
      if (effect.type === 'step-down') node.leader = null;
      if (effect.type !== 'elect') continue;
      node.leader = fromRank(effect.leader);
      if (numbersElections && effect.epoch < node.epoch) {
        note(backwards(actor, effect.epoch, node.epoch, t));
      }
      node.epoch = effect.epoch;
      if (unique === 'moment') {
        const leading = leadersAmong(members);
        if (leading.length > 1) note(twoLead(leading, t));
      } else if (node.leader === actor) {
        const other = leaderOfEpoch.get(effect.epoch) ?? actor;
        leaderOfEpoch.set(effect.epoch, actor);
        if (other !== actor) note(twoLedIn(effect.epoch, [other, actor], t));
      }
    }
  }
  if (byLease) for (const violation of overlap.until(end)) note(violation);
  for (const violation of atTheEnd(members, end, highestWins)) note(violation);
  return found;
}

/** Watches for two that lead side by side from one tick to another. */
function createOverlap(members: readonly Node[]) {
  let last = 0;
  return {
    /** Nothing has changed since the last call, until now. */
    until(now: number): Violation[] {
      const at = last;
      last = now;
      if (now === at) return [];
      const who = leadersAmong(members);
      const what = `${who.join(' and ')} both lead from ${at} to ${now}`;
      return who.length > 1 ? [{ property: 'M', who, at, what }] : [];
    },
  };
}

function leadersAmong(members: readonly Node[]): number[] {
  return ranksThat(members, ({ up, leader }, rank) => up && leader === rank);
}

function newcomer(): Node {
  return { up: true, leader: null, epoch: 0 };
}

function atTheEnd(members: readonly Node[], at: number, highestWins: boolean): Violation[] {
  const live = ranksThat(members, ({ up }) => up);
  const leaderOf = (rank: number) => members[rank - 1]?.leader ?? null;
  const followers = live.filter((rank) => leaderOf(rank) !== null);
  const followed = [...new Set(followers.map(leaderOf))];
  const found: Violation[] = [];
  if (followed.length > 1) {
    const what = followers.map((rank) => `${rank} follows ${leaderOf(rank)}`).join(', ');
    found.push({ property: 'S2', who: followers, at, what });
  }
  const best = live.at(-1);
  const usurper = live.find((rank) => leaderOf(rank) === rank && rank !== best);
  if (highestWins && usurper !== undefined && best !== undefined) {
    const what = `${usurper} leads, and ${best} is up and higher`;
    found.push({ property: 'S3', who: [usurper, best], at, what });
  }
  const lost = live.filter((rank) => !live.includes(leaderOf(rank) ?? 0));
  if (lost.length > 0) {
    found.push({ property: 'L', who: lost, at, what: `${lost.join(', ')} follow no live node` });
  }
  return found;
}

function twoLead(who: readonly number[], at: number): Violation {
  return { property: 'S1', who, at, what: `${who.join(' and ')} both lead` };
}

function twoLedIn(epoch: number, who: readonly number[], at: number): Violation {
  const ascending = who.toSorted((left, right) => left - right);
  const what = `${ascending.join(' and ')} both led in epoch ${epoch}`;
  return { property: 'S1', who: ascending, at, what };
}

function backwards(rank: number, epoch: number, before: number, at: number): Violation {
  const what = `${rank} elects in epoch ${epoch} after epoch ${before}`;
  return { property: 'S5', who: [rank], at, what };
}

function ranksThat(
  members: readonly Node[],
  holds: (node: Node, rank: number) => boolean,
): number[] {
  return members.flatMap((node, index) => (holds(node, index + 1) ? [index + 1] : []));
}
