/**
 * @module
 * The takeover of a running cluster: an adversary mines an identity above the leader, joins as a process, and either
 * leads or is refused. What honest nodes observe of it is taken from their records.
 */

import type { Behaviour } from '../../../adversary/behaviours/behaviour.ts';
import type { BehaviourName } from '../../../adversary/behaviours/registry.ts';
import { BEHAVIOURS } from '../../../adversary/behaviours/registry.ts';
import type { Defence } from '../../../election/defences/defence.ts';
import { DEFENCES } from '../../../election/defences/registry.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { announcementTicks, ringElectionTicks } from '../../../election/timing.ts';
import { LabError } from '../../../errors.ts';
import type { Goal } from '../../../mining/goal.ts';
import type { Budget, Ledger } from '../../../mining/ledger.ts';
import type { MiningProgress } from '../../threads/mining-pool.ts';
import type { LiveRecord } from '../node-record.ts';
import { holdsWithin } from '../waiting.ts';
import { mineIdentities } from './cluster-files.ts';
import type { ClusterSession } from './cluster-session.ts';

/** What is reported of each honest node. */
const OBSERVATIONS_MAX = 12;

export interface TakeoverOptions {
  readonly budget: Budget;
  readonly behaviours: readonly BehaviourName[];
  readonly onProgress: (progress: MiningProgress) => void;
}

/** What an honest node noticed. */
export interface Observation {
  readonly node: number;
  /** Seconds after the first hash. */
  readonly seconds: number;
  readonly what: string;
}

export interface Takeover {
  /** It leads all honest nodes that are awake; it does not; or the budget ended without an identity. */
  readonly outcome: 'leads' | 'refused' | 'not-found';
  /** The number of its node; null if it did not join. */
  readonly node: number | null;
  readonly behaviours: readonly BehaviourName[];
  readonly ledger: Ledger;
  /** Seconds from the first hash. Null if it never came to this. */
  readonly seconds: {
    readonly found: number | null;
    readonly joined: number | null;
    readonly leads: number | null;
  };
  /** What refused it: defences, the level by the reasons for which messages were refused, or the protocol. */
  readonly refusedBy: readonly string[];
  readonly observations: readonly Observation[];
}

/** Receives the records of a session while a takeover runs. */
export class Observer {
  readonly #records: { readonly node: number; readonly record: LiveRecord }[] = [];
  isObserving = false;

  note(node: number, record: LiveRecord): void {
    if (this.isObserving) this.#records.push({ node, record });
  }

  /** What nodes other than this one have noticed of it. */
  about(node: number, rank: string, startedMs: number): readonly Observation[] {
    const counts = new Map<number, number>();
    return this.#records.flatMap(({ node: by, record }) => {
      const words = by === node ? [] : noticed(record, rank);
      return words.flatMap((what) => {
        const count = counts.get(by) ?? 0;
        counts.set(by, count + 1);
        const seconds = Number(((record.t - startedMs) / 1000).toFixed(3));
        return count < OBSERVATIONS_MAX ? [{ node: by, seconds, what }] : [];
      });
    });
  }
}

function noticed({ event, effects }: LiveRecord, rank: string): readonly string[] {
  const words: string[] = [];
  if (event.type === 'join' && event.node === rank) words.push('admits it');
  if (event.type === 'suspect' && event.node === rank) words.push('suspects it');
  if (event.type === 'trust' && event.node === rank) words.push('trusts it');
  if (event.type === 'deliver' && event.from === rank) words.push(`receives ${event.message.type}`);
  for (const effect of effects) {
    if (effect.type === 'elect' && String(effect.leader) === rank) {
      words.push(effect.epoch > 0 ? `follows it in epoch ${effect.epoch}` : 'follows it');
    }
    if (effect.type === 'accuse') words.push('shows that a node has said two things');
  }
  return words;
}

/** Carries out the takeover. Throws LabError `arguments` if no node leads now. */
export async function takeOver(
  session: ClusterSession,
  observer: Observer,
  { budget, behaviours, onProgress }: TakeoverOptions,
): Promise<Takeover> {
  const { cluster, policy, options } = session;
  const goal = goalAgainst(session, behaviours);
  const honest = cluster.awake();
  const refusedBefore = cluster.refused();
  const startedMs = Date.now();
  observer.isObserving = true;
  const sinceStart = () => Number(((Date.now() - startedMs) / 1000).toFixed(3));
  const { threads, signal } = options;
  const mined = await mineIdentities(goal, policy, budget, { threads, signal, onProgress });
  const {
    identities: [identity],
    ledger,
  } = mined;
  const nothing = { node: null, behaviours, ledger, observations: [] };
  const never = { found: null, joined: null, leads: null };
  if (identity === undefined) {
    const refusedBy = [`the puzzle: no identity in the budget (c1 ${policy.c1}, c2 ${policy.c2})`];
    return { ...nothing, outcome: 'not-found', seconds: never, refusedBy };
  }
  const found = sinceStart();
  const node = await session.join(identity, behaviours);
  const isSettled = () => cluster.isDown(node) || signal.aborted;
  const rank = cluster.rankOf(node);
  const joined = rank === null ? null : sinceStart();
  const leadsAll = () => {
    const followed = cluster.followed().filter(({ node: each }) => honest.includes(each));
    return followed.length > 0 && followed.every(({ leader }) => leader === node);
  };
  await holdsWithin(() => leadsAll() || isSettled(), { waitMs: leadWaitMs(session) });
  const leads = leadsAll() ? sinceStart() : null;
  observer.isObserving = false;
  return {
    ...{ node, behaviours, ledger, seconds: { found, joined, leads } },
    outcome: leads === null ? 'refused' : 'leads',
    refusedBy: leads === null ? refusalsOf(session, behaviours, { rank, refusedBefore }) : [],
    observations: rank === null ? [] : observer.about(node, rank, startedMs),
  };
}

/** Less than a term in which a defence holds newcomers off, and long enough for elections on a busy machine. */
function leadWaitMs({ settings: { timing }, cluster }: ClusterSession): number {
  const ring = ringElectionTicks(timing, cluster.nodes().length);
  return ELECTIONS * announcementTicks(timing) + 2 * ring;
}

const ELECTIONS = 16;

/** An ID above the leader's, where this helps. */
function goalAgainst(
  { cluster, founders, settings }: ClusterSession,
  behaviours: readonly BehaviourName[],
): Goal {
  const leader = cluster.leader();
  const rank = leader === null ? null : cluster.rankOf(leader);
  if (rank === null) throw new LabError('arguments', 'no node leads now; wait until one leads');
  const needsTopId =
    behaviours.length === 0 || behaviours.some((name) => behaviour(name).needsTopId);
  if (!needsTopId || PROTOCOLS[settings.protocol].elects === 'any') return { type: 'any' };
  const peer = founders.peers.find((each) => each.rank === rank);
  // The rank of a cluster's node is its ID.
  return { type: 'above', nodeId: peer?.claim.nodeId ?? new Uint8Array(Buffer.from(rank, 'hex')) };
}

function behaviour(name: BehaviourName): Behaviour {
  return BEHAVIOURS[name];
}

function refusalsOf(
  { cluster, settings }: ClusterSession,
  behaviours: readonly BehaviourName[],
  {
    rank,
    refusedBefore,
  }: { readonly rank: string | null; readonly refusedBefore: Readonly<Record<string, number>> },
): readonly string[] {
  if (rank === null) return ['admission: the members refused its claim'];
  const defences = settings.defences.flatMap((name) => {
    const { response, code }: Defence = DEFENCES[name];
    if (response.newcomers === 'admitted') return [];
    return `${name} (${code}): newcomers are ${response.newcomers === 'refused' ? 'kept out' : 'held off'}`;
  });
  const level = Object.entries(cluster.refused()).flatMap(([reason, count]) => {
    const more = count - (refusedBefore[reason] ?? 0);
    return more > 0 ? [`level ${settings.level}: ${more} messages refused (${reason})`] : [];
  });
  const isAny = PROTOCOLS[settings.protocol].elects === 'any';
  const protocol = isAny ? [`${settings.protocol}: a higher ID outbids no leader`] : [];
  const causes = [...defences, ...level, ...protocol];
  if (causes.length > 0) return causes;
  return [behaviours.length > 0 ? 'nothing: the behaviour does not lead' : 'nothing that is known'];
}
