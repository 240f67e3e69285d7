/**
 * @module
 * The takeover of a running cluster: an adversary mines an identity above the leader, joins as a process, and either
 * leads or is refused. What honest nodes observe of it is taken from their records.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import type { Defence } from '../../election/defences/defence.ts';
import { DEFENCES } from '../../election/defences/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { announcementTicks, ringElectionTicks } from '../../election/timing.ts';
import { LabError } from '../../errors.ts';
import type { Goal } from '../../mining/goal.ts';
import type { Budget, Ledger } from '../../mining/ledger.ts';
import type { MiningProgress } from '../../mining/search.ts';
import type { LiveRecord } from '../node-record.ts';
import { holdsWithin } from '../waiting.ts';
import { mineIdentities } from './cluster-files.ts';
import type { ClusterSession } from './cluster-session.ts';

/** Kinds of observations that are reported of each honest node. */
const OBSERVATIONS_MAX = 12;

export interface TakeoverOptions {
  readonly budget: Budget;
  readonly behaviours: readonly BehaviourName[];
  readonly onProgress: (progress: MiningProgress) => void;
}

/** What an honest node noticed. */
export interface Observation {
  readonly node: number;
  readonly what: string;
  /** Seconds from the first hash until the first time. */
  readonly seconds: number;
  readonly count: number;
}

export const TAKEOVER_OUTCOMES = ['leads', 'harms', 'refused', 'not-found'] as const;

export interface Takeover {
  /**
   * It leads all honest nodes that are awake; it does not, but at the end they have not one leader; neither; or the budget
   * ended without an identity.
   */
  readonly outcome: (typeof TAKEOVER_OUTCOMES)[number];
  /** The number of its node; null if it did not join. */
  readonly node: number | null;
  readonly behaviours: readonly BehaviourName[];
  readonly ledger: Ledger;
  /** Seconds from the start of the cluster until the first hash. */
  readonly firstHash: number;
  /** Seconds from the first hash. Null if it never came to this. */
  readonly seconds: {
    readonly found: number | null;
    readonly joined: number | null;
    readonly leads: number | null;
  };
  /**
   * Why it does not lead: defences, the level by the reasons for which messages were refused, the protocol, or that nothing
   * refused it.
   */
  readonly refusedBy: readonly string[];
  readonly observations: readonly Observation[];
  /** From the joining on; null if it did not join. */
  readonly harms: Harms | null;
}

/** Receives the records of a session while a takeover runs. */
export class Observer {
  #records: { readonly node: number; readonly record: LiveRecord }[] = [];
  #isObserving = false;

  get records(): readonly { readonly node: number; readonly record: LiveRecord }[] {
    return this.#records;
  }

  begin(): void {
    this.#records = [];
    this.#isObserving = true;
  }

  end(): void {
    this.#isObserving = false;
  }

  note(node: number, record: LiveRecord): void {
    if (this.#isObserving) this.#records.push({ node, record });
  }

  /** What nodes other than this one have noticed of it, each kind once, by the time of its first observation. */
  about(
    node: number,
    rank: string,
    { startedMs, isNode }: { readonly startedMs: number; readonly isNode: HonestNodes['isNode'] },
  ): readonly Observation[] {
    const seen = new Map<string, Observation>();
    const kinds = new Map<number, number>();
    for (const { node: by, record } of this.#records) {
      for (const what of by === node ? [] : noticed(record, rank, isNode)) {
        const name = `${by} ${what}`;
        const before = seen.get(name);
        const kind = kinds.get(by) ?? 0;
        if (before === undefined && kind === OBSERVATIONS_MAX) continue;
        if (before === undefined) kinds.set(by, kind + 1);
        const seconds = before?.seconds ?? Number(((record.t - startedMs) / 1000).toFixed(3));
        seen.set(name, { node: by, what, seconds, count: (before?.count ?? 0) + 1 });
      }
    }
    // Reports of different nodes come in any order.
    return [...seen.values()].sort(
      (one, other) => one.seconds - other.seconds || one.node - other.node,
    );
  }
}

function noticed(
  { event, effects }: LiveRecord,
  rank: string,
  isNode: HonestNodes['isNode'],
): readonly string[] {
  const words: string[] = [];
  if (event.type === 'join' && event.node === rank) words.push('admits it');
  if (event.type === 'suspect' && event.node === rank) words.push('suspects it');
  if (event.type === 'trust' && event.node === rank) words.push('trusts it');
  if (event.type === 'deliver' && event.from === rank) words.push(`receives ${event.message.type}`);
  for (const effect of effects) {
    if (effect.type === 'elect' && String(effect.leader) === rank) {
      words.push(effect.epoch > 0 ? `follows it in epoch ${effect.epoch}` : 'follows it');
    }
    if (effect.type === 'elect' && !isNode(String(effect.leader))) {
      words.push('follows a node that does not exist');
    }
    if (effect.type === 'accuse') words.push('shows that a node has said two things');
  }
  return words;
}

/** Carries out the takeover. Throws LabError `arguments` if no node leads now. */
export async function takeOver(
  session: ClusterSession,
  observer: Observer,
  options: TakeoverOptions,
): Promise<Takeover> {
  try {
    return await takenOver(session, observer, options);
  } finally {
    observer.end();
  }
}

async function takenOver(
  session: ClusterSession,
  observer: Observer,
  { budget, behaviours, onProgress }: TakeoverOptions,
): Promise<Takeover> {
  const { cluster, policy, options, settings } = session;
  // Candidates of the election that has just ended are accepted for so long, also by defences that protect its leader.
  const settlesMs = announcementTicks(settings.timing);
  await holdsWithin(() => options.signal.aborted, { waitMs: settlesMs });
  const goal = goalAgainst(session);
  const honest = cluster.awake();
  const startedMs = Date.now();
  const firstHash = (startedMs - session.startedMs) / 1000;
  observer.begin();
  const sinceStart = () => Number(((Date.now() - startedMs) / 1000).toFixed(3));
  const { threads, signal } = options;
  const mined = await mineIdentities(goal, policy, budget, { threads, signal, onProgress });
  const {
    identities: [identity],
    ledger,
  } = mined;
  if (identity === undefined) {
    const puzzle = `the puzzle: no identity in the budget (c1 ${policy.c1}, c2 ${policy.c2})`;
    const refusedBy = [signal.aborted ? 'the search was interrupted' : puzzle];
    const seconds = { found: null, joined: null, leads: null };
    const nothing = { node: null, behaviours, ledger, firstHash, observations: [], harms: null };
    return { ...nothing, outcome: 'not-found', seconds, refusedBy };
  }
  const found = sinceStart();
  const before = { refused: cluster.refused(), unseen: cluster.refused('unseen') };
  const followed = new Map(honest.map((each) => [each, cluster.followedRank(each)]));
  const joinedMs = Date.now();
  const node = await session.join(identity, { behaviours, isAdversary: true });
  const isSettled = () => cluster.isDown(node) || signal.aborted;
  const rank = cluster.rankOf(node);
  const joined = rank === null ? null : sinceStart();
  const leadsAll = () => {
    const now = cluster.followed().filter(({ node: each }) => honest.includes(each));
    return now.length > 0 && now.every(({ leader }) => leader === node);
  };
  await holdsWithin(() => leadsAll() || isSettled(), { waitMs: leadWaitMs(session) });
  const leads = leadsAll() ? sinceStart() : null;
  const isNode = (each: string) => cluster.numberOf(each) !== null;
  const nodes: HonestNodes = { followed, isNode, rankOf: (each) => cluster.rankOf(each) };
  const harms = harmsIn(observer.records, nodes, [joinedMs, Date.now()]);
  const isHarmful = harms.lasting.length > 0;
  const causes = leads === null ? refusalsOf(session, { rank, before }) : [];
  const isUnknown = leads === null && !isHarmful && causes.length === 0;
  return {
    node,
    behaviours,
    ledger,
    firstHash,
    seconds: { found, joined, leads },
    harms,
    outcome: leads === null ? (isHarmful ? 'harms' : 'refused') : 'leads',
    refusedBy: isUnknown ? [unknownCause(behaviours)] : causes,
    observations: rank === null ? [] : observer.about(node, rank, { startedMs, isNode }),
  };
}

/** Less than a term in which a defence holds newcomers off, and long enough for elections on a busy machine. */
function leadWaitMs({ settings: { timing }, cluster }: ClusterSession): number {
  const ring = ringElectionTicks(timing, cluster.nodes().length);
  return ELECTIONS * announcementTicks(timing) + 2 * ring;
}

const ELECTIONS = 16;

/** An ID above the leader's; any ID in a protocol in which a higher one does not help to lead. */
function goalAgainst({ cluster, founders, settings }: ClusterSession): Goal {
  const leader = cluster.leader();
  const rank = leader === null ? null : cluster.rankOf(leader);
  if (rank === null) throw new LabError('arguments', 'no node leads now; wait until one leads');
  if (PROTOCOLS[settings.protocol].elects === 'any') return { type: 'any' };
  const peer = founders.peers.find((each) => each.rank === rank);
  // The rank of a cluster's node is its ID.
  return { type: 'above', nodeId: peer?.claim.nodeId ?? new Uint8Array(Buffer.from(rank, 'hex')) };
}

function refusalsOf(
  { cluster, settings }: ClusterSession,
  { rank, before }: { readonly rank: string | null; readonly before: Refused },
): readonly string[] {
  if (rank === null) return ['admission: the members refused its claim'];
  const defences = settings.defences.flatMap((name) => {
    const { response, code }: Defence = DEFENCES[name];
    if (response.newcomers === 'admitted') return [];
    return `${name} (${code}): newcomers are ${response.newcomers === 'refused' ? 'kept out' : 'held off'}`;
  });
  const unseen = more(cluster.refused('unseen'), before.unseen);
  const all = more(cluster.refused(), before.refused);
  const level = counted(more(all, unseen), `level ${settings.level}`);
  // Messages that came before the receiver had admitted the sender are no reason why it does not lead.
  const door = counted({ ...unseen, sender: 0 }, 'limits of each connection');
  const isAny = PROTOCOLS[settings.protocol].elects === 'any';
  const protocol = isAny ? [`${settings.protocol}: in it a higher ID does not help to lead`] : [];
  return [...defences, ...level, ...door, ...protocol];
}

/** Why a node that nothing refused does not lead. */
function unknownCause(behaviours: readonly BehaviourName[]): string {
  const aims = behaviours.map((name): Aim => BEHAVIOURS[name].aim);
  if (aims.length === 0 || aims.includes('lead')) return 'unknown: nothing refused it';
  const verb = behaviours.length === 1 ? 'does' : 'do';
  return `nothing refused it, but ${behaviours.join(' and ')} ${verb} not aim to lead`;
}

/** Counts of refused messages by reason, and of those that no level has checked. */
interface Refused {
  readonly refused: Readonly<Record<string, number>>;
  readonly unseen: Readonly<Record<string, number>>;
}

/** By how much counts are above others. */
function more(
  counts: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const differences = Object.entries(counts).map(([reason, count]): [string, number] => [
    reason,
    Math.max(0, count - (before[reason] ?? 0)),
  ]);
  return Object.fromEntries(differences);
}

function counted(counts: Readonly<Record<string, number>>, by: string): string[] {
  return Object.entries(counts).flatMap(([reason, count]) =>
    count > 0 ? `${by}: ${count} message${count === 1 ? '' : 's'} refused (${reason})` : [],
  );
}

/**
 * For how long, in seconds. The harm that honest nodes suffer during an attack, besides that the adversary leads:
 * from their records, by real time, for how long they followed different leaders, several of them led, or none led.
 */
interface Harms {
  /** Honest nodes followed different leaders. */
  readonly split: number;
  /** Two or more honest nodes led. */
  readonly twoLeaders: number;
  /** An honest node followed no leader. */
  readonly leaderless: number;
  /** An honest node followed a rank that no node has. */
  readonly phantom: number;
  /** Harm that lasted until the end. */
  readonly lasting: readonly HarmName[];
}

export const HARM_NAMES = ['split', 'twoLeaders', 'leaderless', 'phantom'] as const;
export type HarmName = (typeof HARM_NAMES)[number];

interface HonestNodes {
  /** The rank that each honest node followed at the beginning, by number. */
  readonly followed: ReadonlyMap<number, string | null>;
  readonly rankOf: (node: number) => string | null;
  /** Whether a node has the rank. */
  readonly isNode: (rank: string) => boolean;
}

/** The harm in this time, in ms since 1970. */
export function harmsIn(
  records: readonly { readonly node: number; readonly record: LiveRecord }[],
  honest: HonestNodes,
  [from, to]: readonly [from: number, to: number],
): Harms {
  const followed = new Map(honest.followed);
  const ms = { split: 0, twoLeaders: 0, leaderless: 0, phantom: 0 };
  let at = from;
  const passUntil = (t: number) => {
    const present = presentHarms(followed, honest);
    for (const name of present) ms[name] += Math.max(0, Math.min(t, to) - at);
    at = Math.max(at, Math.min(t, to));
    return present;
  };
  const ordered = records
    .filter(({ node }) => followed.has(node))
    .toSorted((one, other) => one.record.t - other.record.t);
  for (const { node, record } of ordered) {
    passUntil(record.t);
    if (record.event.type === 'crash') followed.set(node, null);
    for (const effect of record.effects) {
      if (effect.type === 'elect') followed.set(node, String(effect.leader));
      if (effect.type === 'step-down') followed.set(node, null);
    }
  }
  const lasting = passUntil(to);
  const seconds = (name: HarmName) => Number((ms[name] / 1000).toFixed(3));
  return {
    split: seconds('split'),
    twoLeaders: seconds('twoLeaders'),
    leaderless: seconds('leaderless'),
    phantom: seconds('phantom'),
    lasting,
  };
}

function presentHarms(
  followed: ReadonlyMap<number, string | null>,
  { rankOf, isNode }: HonestNodes,
): readonly HarmName[] {
  const leaders = [...followed.values()];
  const named = new Set(leaders.filter((leader) => leader !== null));
  const leading = [...followed].filter(
    ([node, leader]) => leader !== null && leader === rankOf(node),
  );
  const holds: Readonly<Record<HarmName, boolean>> = {
    split: named.size > 1,
    twoLeaders: leading.length > 1,
    leaderless: leaders.includes(null),
    phantom: [...named].some((leader) => !isNode(leader)),
  };
  return HARM_NAMES.filter((name) => holds[name]);
}
