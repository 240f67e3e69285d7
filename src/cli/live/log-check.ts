/**
 * @module
 * Checks the logs of live nodes against the model, prints the result, and writes the merged trace.
 */

import { LabError } from '../../errors.ts';
import { printable, printableLine } from '../../printable.ts';
import type { CheckedLogs } from '../../runtime/live/check/log-check.ts';
import { checkLogs } from '../../runtime/live/check/log-check.ts';
import { clockedTrace } from '../../runtime/live/check/trace-file.ts';
import { CLUSTER_BYTES_MAX, parseCluster } from '../../runtime/live/cluster/cluster-document.ts';
import type { Network } from '../../runtime/live/peers.ts';
import { PEERS_BYTES_MAX, parsePeers } from '../../runtime/live/peers.ts';
import { refuseTrace, writeTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import { checkJson, checkText } from './check-text.ts';

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
  return reportCheck(checkedIn(founders, paths), options, terminal);
}

/** A refusal that names a text of a log is one line, too. */
function checkedIn(founders: Network, paths: readonly string[]): CheckedLogs {
  try {
    return checkLogs(founders, paths);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, printableLine(error.message), error.faults);
  }
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
  const { replayed, clash } = checked;
  // Logs can be of others, whose texts must not control the terminal.
  const text = wantsJson(options) ? `${JSON.stringify(checkJson(checked))}\n` : checkText(checked);
  terminal.print(printable(text));
  await writeIfPossible(checked, options, terminal);
  if (replayed.defect !== null || clash !== null) return EXIT.violated;
  return replayed.unchecked === null ? EXIT.holds : EXIT.unknown;
}

/** Messages of a Byzantine member can make a trace too large for its format, which changes nothing in the result. */
async function writeIfPossible(
  checked: CheckedLogs,
  options: LogCheckOptions,
  terminal: Terminal,
): Promise<void> {
  try {
    await writeTrace(clockedTrace(checked), { ...options, clocks: true }, terminal);
  } catch (error) {
    if (!(error instanceof LabError) || error.code !== 'job.size') throw error;
    terminal.note(`no trace is written: ${error.message}`);
  }
}
