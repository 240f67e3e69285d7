/**
 * @module
 * Reads the logs of live nodes, merges them, and checks them against the model.
 */

import { parseClients } from '../../election/clients/client-form.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import { parseFlags } from '../../election/definition/flags.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { parseClaim } from '../../identity/claim.ts';
import { parseTextBySchema } from '../../schema.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import type { LiveProtocol } from '../live-machine.ts';
import { liveCast } from '../live-machine.ts';
import { presentationSchema } from '../membership.ts';
import type { LogOwner, LogSize } from '../node-log.ts';
import { LIVE_BYTES_MAX, LIVE_RECORDS_MAX } from '../node-log.ts';
import type { LiveLog, LiveRecord } from '../node-record.ts';
import { parseLiveRecord, STORE_RANK } from '../node-record.ts';
import type { Network } from '../peers.ts';
import { isTls, rankOf, withMember } from '../peers.ts';
import { isDeep } from '../transport/bounded-json.ts';
import type { Disturbance } from './disturbances.ts';
import { renamed } from './disturbances.ts';
import type { ReplayedLogs } from './live-trace.ts';
import { replayLogs } from './live-trace.ts';
import type { ModelNetwork, ModelNode, Phantoms } from './model-network.ts';
import { phantomsIn, withPhantoms } from './model-network.ts';
import type { ReadLog } from './read-log.ts';
import { logSize, readRecords } from './read-log.ts';
import type { MessageRules } from './received.ts';

/** What the controller of a cluster knows of its nodes. */
export interface ControllerNotes {
  /** The number of the node with a rank. */
  readonly numberOf: (rank: string) => number | undefined;
  /** What it did to the nodes, by their ranks. */
  readonly disturbances: readonly Disturbance<string>[];
  /** When it was started, in ms since 1970: the times of the trace count from it. */
  readonly startedMs: number;
  /** Ranks of the nodes that attacks have started. */
  readonly adversaries: readonly string[];
}

export interface CheckedLogs {
  readonly protocol: ProtocolName;
  readonly election: string;
  /** With the members that joined, and with phantoms. */
  readonly network: ModelNetwork;
  readonly latencyMs: number;
  /** The position of the store in the model, after the last node; null without one. */
  readonly store: number | null;
  readonly logs: readonly LiveLog[];
  /**
   * By position: the number of the node in its cluster, where founders come first and then the nodes that joined, in
   * the order of their admission; null of a phantom.
   */
  readonly numbers: readonly (number | null)[];
  /** Positions of the members of which there is no log. */
  readonly missing: readonly number[];
  readonly replayed: ReplayedLogs;
  /** What the controller did, at the times and with the numbers of the trace; empty without a controller. */
  readonly disturbances: readonly Disturbance<number>[];
  /** Positions of the nodes that attacks have started, as far as the controller knows. */
  readonly adversaries: readonly number[];
  readonly clash: EpochClash | null;
}

/**
 * Checks the logs in these files, or as much of them as `most` says. Throws LabError `arguments` for files that do not belong
 * together.
 */
export function checkLogs(
  founders: Network,
  paths: readonly string[],
  notes: ControllerNotes | null = null,
  most = CHECKED_MAX,
): CheckedLogs {
  const files = readLogs(paths, most);
  const [first] = files;
  if (first === undefined)
    throw new LabError('arguments', 'trace needs the log of each node, for example key-1.json.log');
  const live = liveProtocolOf(first.owner);
  const known = files.reduce((network, { joined }) => withJoined(network, joined), founders);
  const read = files.map(({ path, owner, records, isFull, isCut }) => {
    assertOf(known, path, owner, first.owner);
    const ends = endsOf(owner.rank, notes?.disturbances ?? []);
    const timed = isCut ? records : withCrashTimes(records, ends);
    return { owner, records: timed, isByzantine: owner.behaviours.length > 0, isFull, isCut };
  });
  const honest = read.filter(({ isByzantine }) => !isByzantine);
  const phantoms = phantomsIn(known, live.protocol, honest);
  const network = withPhantoms(known, phantoms);
  const logs = read.map(({ owner, ...log }) => ({ ...log, position: positionOf(network, owner) }));
  assertDistinct(logs);
  const cast = liveCast(live, network);
  const levels = honest.map(({ owner }) => owner.level);
  const numbers = numbersOf(network, logs, notes);
  const nodes = network.peers.map((peer, index) => ({ ...peer, number: numbers[index] }));
  const rules = {
    ...rulesOf(levels, known),
    excess: excessText(phantoms, nodes),
    numberOf: (position: number) => numbers[position - 1] ?? position,
  };
  const replayed = timedFrom(notes?.startedMs, replayLogs(cast, network, logs, rules));
  const { protocol } = live;
  return {
    protocol,
    election: known.election,
    network,
    latencyMs: first.owner.latency,
    store: cast.store,
    logs,
    replayed,
    clash: epochClash(
      protocol,
      honest.flatMap(({ owner, records }) => {
        const position = positionOf(network, owner);
        return epochsLed(owner.rank, records).map((epoch) => [epoch, position] as const);
      }),
    ),
    numbers,
    ...controlledIn(network, cast.store, notes, replayed.startedMs),
    missing: network.peers.flatMap(({ position, isPhantom }) => {
      return isPhantom || logs.some((log) => log.position === position) ? [] : position;
    }),
  };
}

/** Records of all logs together that are checked, and their bytes. Each takes memory as long as the check lasts. */
const CHECKED_MAX: LogSize = { count: LIVE_RECORDS_MAX, bytes: LIVE_BYTES_MAX };

/** Reads as much of the logs as a check takes. */
function readLogs(
  paths: readonly string[],
  most: LogSize,
): readonly (ReadLog<LiveRecord> & { readonly path: string })[] {
  const sizes = paths.map(logSize);
  const counts = shares(
    sizes.map(({ count }) => count),
    most.count,
  );
  const bytes = shares(
    sizes.map((size) => size.bytes),
    most.bytes,
  );
  return paths.map((path, index) => {
    const own = { count: counts[index] ?? 0, bytes: bytes[index] ?? 0 };
    return { path, ...readRecords(path, (line) => recordIn(line, path), own) };
  });
}

/** What each log gets of what all can have. A short one leaves its rest to the others. */
export function shares(sizes: readonly number[], most: number): readonly number[] {
  const given = sizes.map(() => 0);
  let left = most;
  const ascending = [...sizes.entries()].sort(([, one], [, other]) => one - other);
  for (const [order, [index, size]] of ascending.entries()) {
    const share = Math.min(size, Math.floor(left / (sizes.length - order)));
    given[index] = share;
    left -= share;
  }
  return given;
}

/** The ends of the process of a node. */
function endsOf(rank: string, disturbances: readonly Disturbance<string>[]): readonly ProcessEnd[] {
  return disturbances.flatMap((each) => {
    if (each.type !== 'end' && each.type !== 'stop') return [];
    return each.node === rank ? { t: each.t, type: each.type } : [];
  });
}

/** The steps with the times since the start of the controller, which is before the first step. */
function timedFrom(startedMs: number | undefined, replayed: ReplayedLogs): ReplayedLogs {
  const shift = Math.round(replayed.startedMs - (startedMs ?? Number.NaN));
  if (startedMs === undefined || !(shift > 0)) return replayed;
  const records = replayed.records.map((record) => ({ ...record, t: record.t + shift }));
  return { ...replayed, records, startedMs: replayed.startedMs - shift };
}

/** What the controller knows, with the numbers and the times of the trace. */
function controlledIn(
  { peers }: ModelNetwork,
  store: number | null,
  notes: ControllerNotes | null,
  startedMs: number,
): Pick<CheckedLogs, 'disturbances' | 'adversaries'> {
  const positions = new Map(peers.map(({ rank, position }) => [String(rank), position]));
  if (store !== null) positions.set(String(STORE_RANK), store);
  const named = (rank: string) => positions.get(rank);
  return {
    disturbances: (notes?.disturbances ?? []).flatMap((each) => {
      return renamed({ ...each, t: Math.round(each.t - startedMs) }, named) ?? [];
    }),
    adversaries: (notes?.adversaries ?? []).flatMap((rank) => named(rank) ?? []),
  };
}

/** Levels of arrays and objects in a record. A message has 16, and what a node persists is no deeper. */
const RECORD_DEPTH_MAX = 64;

/** A record of a log, which can be of others. Throws LabError `json.syntax`, `json.depth` or `schema`. */
function recordIn(line: string, path: string): LiveRecord {
  if (isDeep(line, RECORD_DEPTH_MAX)) {
    const detail = `${path} has a record that is nested deeper than ${RECORD_DEPTH_MAX} levels; leave out this log`;
    throw new LabError('json.depth', detail);
  }
  return parseLiveRecord(line);
}

/** At L0 a member that is not honest can state any sender, and without TLS every process that reaches a node can. */
function rulesOf(
  levels: readonly string[],
  { peers }: Network,
): Pick<MessageRules, 'mayForge' | 'mayRepeat'> {
  const isOpen = levels.length < peers.length || peers.some(({ url }) => !isTls(url));
  return {
    mayForge: levels.includes('L0') && isOpen,
    mayRepeat: levels.some((level) => level !== 'L3'),
  };
}

/** Why the model lacks some of the ranks that messages name; null if it lacks none. */
function excessText(
  { ranks, count, namer }: Phantoms,
  nodes: readonly (Pick<ModelNode, 'rank'> & { readonly number: number | null | undefined })[],
): string | null {
  if (count === ranks.length) return null;
  const number = nodes.find(({ rank }) => rank === namer)?.number ?? null;
  const who = number === null ? '' : `, most of them in the name of node ${number}`;
  return `the messages name ${count} ranks that no member has${who}; the check takes the first ${ranks.length}`;
}

/** The numbers of nodes as the controller knows them, or else as the logs show them. */
function numbersOf(
  { peers }: ModelNetwork,
  logs: readonly LiveLog[],
  notes: ControllerNotes | null,
): readonly (number | null)[] {
  const numbers = nodeNumbers(peers, logs);
  return peers.map(({ rank }, index) => {
    return notes?.numberOf(String(rank)) ?? numbers[index] ?? null;
  });
}

function liveProtocolOf(owner: LogOwner): LiveProtocol {
  const protocol = PROTOCOL_NAMES.find((name) => name === owner.protocol);
  if (protocol === undefined) {
    throw new LabError(
      'arguments',
      `there is no protocol ${owner.protocol}; give its file with --load`,
    );
  }
  const defences = DEFENCE_NAMES.filter((name) => owner.defences.includes(name));
  const workload = owner.workload === null ? null : parseWorkload(owner.workload);
  const clients = owner.clients === undefined ? null : parseClients(owner.clients);
  const flags = owner.flags === undefined ? {} : parseFlags(owner.flags);
  const timing = { latencyTicksMax: owner.latency };
  return { protocol, timing, defences, flags, workload, clients };
}

function withJoined(network: Network, joined: readonly string[]): Network {
  return joined.reduce((known, member) => {
    const { url, claim: json } = parseTextBySchema(
      presentationSchema,
      member,
      'member that joined',
    );
    const claim = parseClaim(json);
    const rank = rankOf(claim, known.policy);
    const isKnown = known.peers.some((peer) => peer.rank === rank);
    return isKnown ? known : withMember(known, { url, claim });
  }, network);
}

function positionOf({ peers }: ModelNetwork, { rank }: LogOwner): number {
  return peers.find((peer) => peer.rank === rank)?.position ?? 0;
}

function assertOf(
  { peers, election }: Network,
  path: string,
  owner: LogOwner,
  first: LogOwner,
): void {
  if (!peers.some(({ rank }) => rank === owner.rank) || owner.election !== election) {
    throw new LabError(
      'arguments',
      `${path} is of a node that is not in the peers file; give the peers file of its election`,
    );
  }
  const isAlike =
    owner.protocol === first.protocol &&
    owner.latency === first.latency &&
    // A log that stated a weaker level than the others would excuse forgeries and repetitions in all of them.
    owner.level === first.level &&
    owner.workload === first.workload &&
    owner.clients === first.clients &&
    owner.flags === first.flags &&
    owner.defences.join() === first.defences.join();
  if (isAlike) return;
  const shown = ({ protocol, level, latency, defences, workload, clients, flags }: LogOwner) =>
    [
      ...[protocol, `level ${level}`, `a latency of ${latency} ms`],
      ...[...defences, workload ?? 'no resource', `clients ${clients ?? 'none'}`],
      `flags ${flags ?? 'none'}`,
    ].join(', ');
  throw new LabError(
    'arguments',
    `${path} is of ${shown(owner)}, the first log of ${shown(first)}; all nodes of a run have the same`,
  );
}

function assertDistinct(logs: readonly LiveLog[]): void {
  const positions = logs.map(({ position }) => position);
  const twice = positions.find((position, index) => positions.indexOf(position) !== index);
  if (twice !== undefined)
    throw new LabError('arguments', `two logs are of node ${twice}; give one log for each node`);
}

/**
 * The end of a process; `stop` if it ended with its cluster, which is no crash unless the node returns. When nodes
 * crashed. A log has a crash when its node is back. The controller of a cluster knows when a process ended, also
 * that of a node that did not return. Without a controller the crash is right after the last step before it.
 */
interface ProcessEnd {
  readonly t: number;
  readonly type: 'end' | 'stop';
}

/** The records with the times of crashes, and with the crash of a node that did not return. */
function withCrashTimes(
  records: readonly LiveRecord[],
  ends: readonly ProcessEnd[],
): readonly LiveRecord[] {
  const timed = records.map((record, index) => {
    const before = records[index - 1];
    if (record.event.type !== 'crash' || before === undefined) return record;
    const end = ends.findLast(({ t }) => t >= before.t && t <= record.t);
    return { ...record, t: end?.t ?? before.t };
  });
  const last = records.at(-1);
  const end = last && ends.find(({ t, type }) => type === 'end' && t >= last.t);
  if (last === undefined || end === undefined) return timed;
  return [...timed, { t: end.t, event: { type: 'crash' }, effects: [], clock: last.clock }];
}

/** Two nodes that led one epoch. */
interface EpochClash {
  readonly epoch: number;
  readonly leaders: readonly [number, number];
}

/** The epochs in which a node led itself by its log, also after a step that the model does not take. */
function epochsLed(own: string, records: readonly LiveRecord[]): readonly number[] {
  return records.flatMap(({ effects }) =>
    effects.flatMap((effect) =>
      effect.type === 'elect' && String(effect.leader) === own && effect.epoch > 0
        ? effect.epoch
        : [],
    ),
  );
}

/**
 * The first epoch with two leaders, from the pairs of an epoch and the position of its leader. Null if there is none, or if
 * the protocol has no epochs that promise it.
 */
export function epochClash(
  protocol: ProtocolName,
  pairs: readonly (readonly [epoch: number, leader: number])[],
): EpochClash | null {
  if (PROTOCOLS[protocol].unique !== 'epoch') return null;
  const led = new Map<number, Set<number>>();
  for (const [epoch, leader] of pairs) led.set(epoch, (led.get(epoch) ?? new Set()).add(leader));
  const clashes = [...led].filter(([, leaders]) => leaders.size > 1);
  const [first] = clashes.sort(([one], [other]) => one - other);
  const [low, high] = [...(first?.[1] ?? [])].sort((one, other) => one - other);
  if (first === undefined || low === undefined || high === undefined) return null;
  return { epoch: first[0], leaders: [low, high] };
}

/**
 * The number of each node; null of a phantom. The nodes ascend by rank. Numbers the nodes of a cluster from their
 * logs alone: first the founders, by rank, then the nodes that joined, in the order in which they were admitted. A
 * member notes in its log when it admitted a node. Which logs are given, and when the node itself began or returned,
 * therefore rarely changes its number.
 */
export function nodeNumbers(
  nodes: readonly ModelNode[],
  logs: readonly Pick<LiveLog, 'records' | 'position' | 'isByzantine'>[],
): readonly (number | null)[] {
  const admitted = admissionTimes(logs);
  const ownBegin = ({ position }: ModelNode) =>
    logs.find((log) => log.position === position)?.records[0]?.t;
  const timeOf = (node: ModelNode) =>
    admitted.get(String(node.rank)) ?? ownBegin(node) ?? Number.MAX_VALUE;
  const members = nodes.filter(({ isPhantom }) => isPhantom !== true);
  const order = [
    ...members.filter(({ isFounder }) => isFounder),
    ...members
      .filter(({ isFounder }) => !isFounder)
      .toSorted((one, other) => timeOf(one) - timeOf(other)),
  ];
  return nodes.map((node) => (node.isPhantom === true ? null : order.indexOf(node) + 1));
}

/** When the first honest member admitted each node, by rank. */
function admissionTimes(
  logs: readonly Pick<LiveLog, 'records' | 'isByzantine'>[],
): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { t, event } of logs.flatMap((log) => (log.isByzantine ? [] : log.records))) {
    if (event.type !== 'join') continue;
    const rank = String(event.node);
    times.set(rank, Math.min(t, times.get(rank) ?? t));
  }
  return times;
}
