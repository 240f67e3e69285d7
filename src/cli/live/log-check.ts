/**
 * @module
 * Merges the logs of live nodes, checks them against the model, and prints the result.
 */

import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { EpochClash } from '../../runtime/live/live-properties.ts';
import { epochClash } from '../../runtime/live/live-properties.ts';
import type { LiveLog, ReplayedLogs } from '../../runtime/live/live-trace.ts';
import { parseLiveRecord, replayLogs } from '../../runtime/live/live-trace.ts';
import type { LogOwner } from '../../runtime/live/node-log.ts';
import { readNodeLog } from '../../runtime/live/node-log.ts';
import type { Network } from '../../runtime/live/peers.ts';
import { PEERS_BYTES_MAX, parsePeers } from '../../runtime/live/peers.ts';
import { liveCast } from '../../runtime/live/start-node.ts';
import { clockedTrace } from '../../runtime/live/trace-file.ts';
import { refuseTrace, writeTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';

export interface LogCheckOptions extends OutputOptions {
  readonly peers?: string | undefined;
  readonly trace?: string | undefined;
  readonly force?: true | undefined;
}

/** Checks the logs in these files. */
export async function checkLogs(
  paths: readonly string[],
  options: LogCheckOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (options.peers === undefined) throw new LabError('arguments', 'trace needs --peers');
  const network = parsePeers(await readText(options.peers, terminal, PEERS_BYTES_MAX));
  await refuseTrace({ ...options, clocks: true }, network.peers.length);
  const files = paths.map((path) => ({ path, ...readNodeLog(path) }));
  const [first] = files;
  if (first === undefined) throw new LabError('arguments', 'trace needs the logs of the nodes');
  const logs = files.map(({ path, owner, records }) => ({
    position: positionIn(network, path, owner, first.owner),
    records: records.map(parseLiveRecord),
  }));
  assertDistinct(logs);
  const protocol = PROTOCOL_NAMES.find((name) => name === first.owner.protocol);
  if (protocol === undefined) {
    throw new LabError('arguments', `there is no protocol ${first.owner.protocol}; load it`);
  }
  const timing = { latencyTicksMax: first.owner.latency };
  const replayed = replayLogs(liveCast(protocol, timing, network), network, logs);
  const run = clockedTrace({ protocol, network, latencyMs: first.owner.latency }, replayed);
  await writeTrace(run, { ...options, clocks: true }, terminal);
  const clash = epochClash(protocol, replayed.records);
  const json = { ...jsonOf(replayed), epochClash: clash };
  const text = `${textOf(replayed)}${clashText(clash)}`;
  terminal.print(wantsJson(options) ? `${JSON.stringify(json)}\n` : text);
  return replayed.defect === null && clash === null ? EXIT.holds : EXIT.violated;
}

function positionIn(
  { peers, election }: Network,
  path: string,
  owner: LogOwner,
  first: LogOwner,
): number {
  const peer = peers.find(({ rank }) => rank === owner.rank);
  if (peer === undefined || owner.election !== election) {
    throw new LabError('arguments', `${path} is of a node that is not in the file of peers`);
  }
  if (owner.protocol === first.protocol && owner.latency === first.latency) return peer.position;
  const detail = `${path} is of ${owner.protocol} with a latency of ${owner.latency} ms, the first log of ${first.protocol} with ${first.latency} ms`;
  throw new LabError('arguments', detail);
}

function assertDistinct(logs: readonly LiveLog[]): void {
  const positions = logs.map(({ position }) => position);
  const twice = positions.find((position, index) => positions.indexOf(position) !== index);
  if (twice !== undefined) throw new LabError('arguments', `two logs are of node ${twice}`);
}

function jsonOf({ records, defect, world }: ReplayedLogs) {
  const leaders = world.nodes.map(({ leader }) => leader);
  return { accepted: defect === null, steps: records.length, leaders, defect };
}

function clashText(clash: EpochClash | null): string {
  if (clash === null) return '';
  return `nodes ${clash.leaders.join(' and ')} both led epoch ${clash.epoch}\n`;
}

function textOf({ records, defect, world }: ReplayedLogs): string {
  if (defect !== null) {
    const { position, record, reason } = defect;
    return `The model does not take step ${record + 1} of node ${position}: it ${reason}\n${records.length} steps before it are accepted\n`;
  }
  const up = world.nodes.flatMap(({ up: isUp, leader }, index) =>
    isUp ? [`node ${index + 1} follows ${leader ?? 'no leader'}`] : [],
  );
  return `The model takes all ${records.length} steps\nat the end ${up.join(', ')}\n`;
}
