/**
 * @module
 * Reads the logs of live nodes, merges them, and checks them against the model.
 */

import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { parseClaim } from '../../identity/claim.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import type { LiveProtocol } from './live-machine.ts';
import { liveCast } from './live-machine.ts';
import type { EpochClash } from './live-properties.ts';
import { epochClash } from './live-properties.ts';
import type { ReplayedLogs } from './live-trace.ts';
import { replayLogs } from './live-trace.ts';
import { presentationSchema } from './membership.ts';
import type { LogOwner } from './node-log.ts';
import { readNodeLog } from './node-log.ts';
import type { LiveLog } from './node-record.ts';
import { parseLiveRecord } from './node-record.ts';
import type { Network } from './peers.ts';
import { rankOf, withMember } from './peers.ts';

export interface CheckedLogs {
  readonly protocol: ProtocolName;
  /** With the members that joined. */
  readonly network: Network;
  readonly latencyMs: number;
  /** The position of the store in the model, after the last node; null without one. */
  readonly store: number | null;
  readonly logs: readonly LiveLog[];
  readonly replayed: ReplayedLogs;
  readonly clash: EpochClash | null;
}

/** Checks the logs in these files. Throws LabError `arguments` for files that do not belong together. */
export function checkLogs(founders: Network, paths: readonly string[]): CheckedLogs {
  const files = paths.map((path) => ({ path, ...readNodeLog(path) }));
  const [first] = files;
  if (first === undefined)
    throw new LabError('arguments', 'trace needs the log of each node, for example key-1.json.log');
  const live = liveProtocolOf(first.owner);
  const network = files.reduce((known, { joined }) => withJoined(known, joined), founders);
  const logs = files.map(({ path, owner, records }) => ({
    position: positionIn(network, path, owner, first.owner),
    records: records.map(parseLiveRecord),
    isByzantine: owner.behaviours.length > 0,
  }));
  assertDistinct(logs);
  const cast = liveCast(live, network);
  const replayed = replayLogs(cast, network, logs);
  const { protocol } = live;
  const clash = epochClash(protocol, replayed.records);
  const { latency: latencyMs } = first.owner;
  return { protocol, network, latencyMs, store: cast.store, logs, replayed, clash };
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
  return { protocol, timing: { latencyTicksMax: owner.latency }, defences, workload };
}

function withJoined(network: Network, joined: readonly string[]): Network {
  return joined.reduce((known, member) => {
    const { url, claim: json } = presentationSchema.parse(JSON.parse(member));
    const claim = parseClaim(json);
    const rank = rankOf(claim, known.policy);
    const isKnown = known.peers.some((peer) => peer.rank === rank);
    return isKnown ? known : withMember(known, { url, claim });
  }, network);
}

function positionIn(
  { peers, election }: Network,
  path: string,
  owner: LogOwner,
  first: LogOwner,
): number {
  const peer = peers.find(({ rank }) => rank === owner.rank);
  if (peer === undefined || owner.election !== election) {
    throw new LabError(
      'arguments',
      `${path} is of a node that is not in the peers file; give the peers file of its election`,
    );
  }
  const isAlike =
    owner.protocol === first.protocol &&
    owner.latency === first.latency &&
    owner.workload === first.workload &&
    owner.defences.join() === first.defences.join();
  if (isAlike) return peer.position;
  const shown = ({ protocol, latency, defences, workload }: LogOwner) =>
    [protocol, `a latency of ${latency} ms`, ...defences, workload ?? 'no resource'].join(', ');
  throw new LabError(
    'arguments',
    `${path} is of ${shown(owner)}, the first log of ${shown(first)}`,
  );
}

function assertDistinct(logs: readonly LiveLog[]): void {
  const positions = logs.map(({ position }) => position);
  const twice = positions.find((position, index) => positions.indexOf(position) !== index);
  if (twice !== undefined)
    throw new LabError('arguments', `two logs are of node ${twice}; give one log for each node`);
}
