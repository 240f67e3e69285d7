/**
 * @module
 * Checks the logs of live nodes against the model, prints the result, and writes the merged trace.
 */

import { LabError } from '../../errors.ts';
import type { CheckedLogs, ControllerNotes } from '../../live/check/log-check.ts';
import { checkLogs } from '../../live/check/log-check.ts';
import { clockedTrace } from '../../live/check/trace-file.ts';
import { CLUSTER_BYTES_MAX, parseCluster } from '../../live/cluster/cluster-document.ts';
import { filedLogs } from '../../live/cluster/cluster-session.ts';
import type { Network } from '../../live/peers.ts';
import { PEERS_BYTES_MAX, parsePeers } from '../../live/peers.ts';
import { printable, printableLine } from '../../printable.ts';
import { refuseTrace, writeTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import { checkJson, checkText } from './check-text.ts';
import type { TracePartOptions } from './trace-part.ts';
import { assertPart, cureOf, noteIfLong, partIn } from './trace-part.ts';

export interface LogCheckOptions extends OutputOptions, TracePartOptions {
  readonly peers?: string | undefined;
  /** A cluster on several machines, instead of the peers file. */
  readonly file?: string | undefined;
  /** The folder of a cluster that was started with up, with its peers file and its logs. */
  readonly folder?: string | undefined;
  readonly trace?: string | undefined;
  readonly force?: true | undefined;
}

/** Checks the logs in these files. */
export async function checkFiles(
  paths: readonly string[],
  options: LogCheckOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { folder } = options;
  assertPart(options);
  if (folder === undefined) {
    const founders = await foundersIn(options, terminal);
    await refuseTrace({ ...options, clocks: true }, founders.peers.length);
    return reportCheck(checkedIn(founders, paths), options, terminal);
  }
  if (paths.length > 0 || options.peers !== undefined) {
    throw new LabError(
      'arguments',
      '--folder names the peers file and the logs; leave out the others',
    );
  }
  const { founders, logs, notes } = filedLogs(folder);
  await refuseTrace({ ...options, clocks: true }, founders.peers.length);
  return reportCheck(checkedIn(founders, logs, notes), options, terminal);
}

/** A refusal that names a text of a log is one line, too. */
function checkedIn(
  founders: Network,
  paths: readonly string[],
  notes: ControllerNotes | null = null,
): CheckedLogs {
  try {
    return checkLogs(founders, paths, notes);
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
  throw new LabError('arguments', 'trace needs --peers, --file or --folder');
}

/** Prints what the check has found, and writes the trace. */
export async function reportCheck(
  checked: CheckedLogs,
  options: LogCheckOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { replayed, clash } = checked;
  // Logs can be of others, whose texts must not control the terminal.
  const text = wantsJson(options)
    ? `${JSON.stringify(checkJson(checked))}\n`
    : checkText(checked, options.trace !== undefined);
  terminal.print(printable(text));
  const isWritten = await isTraceWritten(checked, options, terminal);
  if (replayed.defect !== null || clash !== null) return EXIT.violated;
  if (!isWritten) return EXIT.refused;
  return replayed.unchecked === null ? EXIT.holds : EXIT.unknown;
}

/** A trace that is too large, or a part without a step, is refused after the result. False if it is. */
async function isTraceWritten(
  checked: CheckedLogs,
  options: LogCheckOptions,
  terminal: Terminal,
): Promise<boolean> {
  if (options.trace === undefined) return true;
  try {
    const run = clockedTrace(checked, partIn(options, checked));
    await writeTrace(run, { ...options, clocks: true }, terminal);
    noteIfLong(run, options, terminal);
    return true;
  } catch (error) {
    if (!(error instanceof LabError) || !WITHOUT_TRACE.includes(error.code)) throw error;
    const cure = error.code === 'job.size' ? `: ${cureOf(options)}` : '';
    terminal.complain(`usurp: no trace is written: ${error.message}${cure}`);
    return false;
  }
}

const WITHOUT_TRACE: readonly string[] = ['job.size', 'arguments'];
