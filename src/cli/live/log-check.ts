/**
 * @module
 * Checks the logs of live nodes against the model, prints the result, and writes the merged trace.
 */

import { LabError } from '../../errors.ts';
import { CLUSTER_BYTES_MAX, parseCluster } from '../../runtime/live/cluster/cluster-document.ts';
import type { EpochClash } from '../../runtime/live/live-properties.ts';
import type { ReplayedLogs } from '../../runtime/live/live-trace.ts';
import type { CheckedLogs } from '../../runtime/live/log-check.ts';
import { checkLogs } from '../../runtime/live/log-check.ts';
import type { Network } from '../../runtime/live/peers.ts';
import { PEERS_BYTES_MAX, parsePeers } from '../../runtime/live/peers.ts';
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
  /** A cluster on several machines, instead of the peers file. */
  readonly file?: string | undefined;
  readonly trace?: string | undefined;
  readonly force?: true | undefined;
}

/** Checks the logs in these files. */
export async function checkFiles(
  paths: readonly string[],
  options: LogCheckOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const founders = await foundersIn(options, terminal);
  await refuseTrace({ ...options, clocks: true }, founders.peers.length);
  return reportCheck(checkLogs(founders, paths), options, terminal);
}

async function foundersIn({ peers, file }: LogCheckOptions, terminal: Terminal): Promise<Network> {
  if (file !== undefined) {
    return parseCluster(await readText(file, terminal, CLUSTER_BYTES_MAX)).network;
  }
  if (peers !== undefined) return parsePeers(await readText(peers, terminal, PEERS_BYTES_MAX));
  throw new LabError('arguments', 'trace needs --peers or --file');
}

/** Prints what the check has found, and writes the trace. */
export async function reportCheck(
  checked: CheckedLogs,
  options: LogCheckOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { replayed, clash, network } = checked;
  await writeTrace(clockedTrace(checked), { ...options, clocks: true }, terminal);
  const members = replayed.world.nodes.slice(0, network.peers.length);
  const json = { ...jsonOf(replayed, members), epochClash: clash };
  const text = `${textOf(replayed, members)}${clashText(clash)}`;
  terminal.print(wantsJson(options) ? `${JSON.stringify(json)}\n` : text);
  return replayed.defect === null && clash === null ? EXIT.holds : EXIT.violated;
}

/** The nodes of the model without its store. */
type Members = ReplayedLogs['world']['nodes'];

function jsonOf({ records, defect }: ReplayedLogs, members: Members) {
  const leaders = members.map(({ leader }) => leader);
  return { accepted: defect === null, steps: records.length, leaders, defect };
}

function clashText(clash: EpochClash | null): string {
  if (clash === null) return '';
  return `nodes ${clash.leaders.join(' and ')} both led epoch ${clash.epoch}\n`;
}

function textOf({ records, defect }: ReplayedLogs, members: Members): string {
  if (defect !== null) {
    const { position, record, reason } = defect;
    return `The model does not take step ${record + 1} of node ${position}: it ${reason}\n${records.length} steps before it are accepted\n`;
  }
  const up = members.flatMap(({ up: isUp, leader }, index) =>
    isUp ? [`node ${index + 1} follows ${leader ?? 'no leader'}`] : [],
  );
  return `The model takes all ${records.length} steps\nat the end ${up.join(', ')}\n`;
}
