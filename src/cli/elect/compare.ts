/**
 * @module
 * `usurp elect --compare a,b,c`: runs several protocols with the same seeds, faults and latencies, all to
 * the same tick, and prints a table of costs and leadership.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { formatPercent } from '../../operations/figures.ts';
import type { Seed } from '../../random.ts';
import type { ComparedProtocol } from '../../simulation/report/comparison.ts';
import type { HeldComparison } from '../../simulation/request/compare.ts';
import {
  COMPARED_RUNS,
  comparedRequests,
  compareProtocols,
  flagsFor,
  hasUselessAttributes,
  planProtocols,
  uselessFlag,
} from '../../simulation/request/compare.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns } from '../shell/layout.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ElectOptions, ElectRequest } from './options.ts';
import { inWordsOfFlags, noteIdleRestarts, readRequest } from './plan.ts';
import { replayOf } from './replay-command.ts';

export type CompareOptions = ElectOptions & { readonly compare: readonly ProtocolName[] };

export interface ComparisonReport extends HeldComparison {
  readonly horizonTicks: number;
  readonly seed: Seed;
  readonly replay: string;
}

/** Compares the protocols. After an interrupt it reports the seeds with which all have run. */
export async function electCompared(
  options: CompareOptions,
  seed: Seed,
  terminal: Terminal,
): Promise<ExitCode> {
  const { runs = COMPARED_RUNS } = options;
  const requests = await readRequests(options, terminal);
  const [request] = requests;
  if (request === undefined) throw new RangeError('"compare" expected one');
  const planned = planProtocols(requests, { seed, runs }, inWordsOfFlags);
  noteIdleRestarts(request, planned.first, terminal);
  const { horizonTicks } = planned.comparison;
  const replay = replayOf({ ...request, options }, seed, runs);
  if (options.seed === undefined) terminal.note(`seed ${seed}, to repeat: ${replay}`);
  const held = await compareProtocols(planned.comparison, terminal, { words: inWordsOfFlags });
  const report: ComparisonReport = { ...held, horizonTicks, seed, replay };
  terminal.print(wantsJson(options) ? `${JSON.stringify(report)}\n` : tableOf(report));
  if (!terminal.signal.aborted) return EXIT.holds;
  terminal.note(`interrupted: ${report.runs} of ${runs} seeds are reported`);
  return EXIT.interrupted;
}

/** The request of each protocol, with the flags that it has. Throws LabError. */
async function readRequests(options: CompareOptions, terminal: Terminal): Promise<ElectRequest[]> {
  refuseUseless(options);
  const { compare, flag: _flag, attr: _attr, ...shared } = options;
  const optionsOf = (protocol: ProtocolName): ElectOptions => {
    return { ...shared, protocol, ...flagsFor(options, protocol) };
  };
  const [first] = compare;
  // The file with faults is read once: it may be stdin.
  const request = await readRequest(first === undefined ? shared : optionsOf(first), terminal);
  return comparedRequests(compare, (protocol) => {
    return { ...request, protocol, options: optionsOf(protocol) };
  });
}

/** Throws LabError for a flag or attributes that none of the protocols has. */
function refuseUseless(options: CompareOptions): void {
  const { compare } = options;
  const flag = uselessFlag(compare, options);
  if (flag !== null) {
    throw new LabError('arguments', `--flag ${flag}: none of ${compare} has this flag`);
  }
  if (hasUselessAttributes(compare, options)) {
    throw new LabError('arguments', `--attr has no effect: nodes of ${compare} have no attribute`);
  }
}

/** The report as tables for people. */
function tableOf({ protocols, runs, horizonTicks, replay }: ComparisonReport): string {
  return [
    columns(rowsOf(protocols)),
    ...fittingsTable(protocols),
    columns([
      ['runs', `${runs} of each, ${horizonTicks} ticks long`],
      ['replay', replay],
    ]),
  ].join('\n');
}

/** The figures that exist only if leaders write or detectors run. Empty if there are none. */
function fittingsTable(protocols: readonly ComparedProtocol[]): string[] {
  const measured = protocols.filter(
    ({ staleWritesMean, mistakesMean }) =>
      staleWritesMean !== undefined || mistakesMean !== undefined,
  );
  if (measured.length === 0) return [];
  const known = (value: number | null | undefined) => value?.toFixed(1) ?? '-';
  const rows = measured.map((each) => [
    each.protocol,
    ...[each.staleWritesMean, each.lateWritesMean].map(known),
    ...[each.detectionTicksMean, each.mistakesMean].map(known),
  ]);
  const head = ['protocol', 'stale writes', 'late writes', 'detection ticks', 'mistakes'];
  return [columns([head, ...rows])];
}

const HEADINGS: readonly (readonly string[])[] = [
  [
    ...['protocol', 'messages', 'stable', 'from tick', '', 'no leader', 'split ticks', ''],
    ...['per epoch', 'changes', ''],
  ],
  ['', 'mean', 'runs', 'median', 'max', 'time', 'mean', 'max', 'leaders', 'mean', 'max'],
];

/** The rows of the table. The column `unfinished` exists only if a run is unfinished. */
function rowsOf(protocols: readonly ComparedProtocol[]): (readonly string[])[] {
  const rows = [...HEADINGS, ...protocols.map(rowOf)];
  if (protocols.every(({ unfinished }) => unfinished === 0)) return rows;
  const column = ['unfinished', 'runs', ...protocols.map(({ unfinished }) => String(unfinished))];
  return rows.map((row, index) => [...row, column[index] ?? '']);
}

function rowOf(protocol: ComparedProtocol): string[] {
  // Without finished runs the measures are unknown, not 0.
  if (protocol.runs > 0 && protocol.unfinished === protocol.runs) {
    return [protocol.protocol, '-', formatPercent(0), ...Array<string>(8).fill('-')];
  }
  const known = (value: number | null) => (value === null ? '-' : String(value));
  return [
    protocol.protocol,
    protocol.messagesMean.toFixed(1),
    formatPercent(protocol.stableShare),
    known(protocol.stableTicksMedian),
    known(protocol.stableTicksMax),
    formatPercent(protocol.withoutLeaderShare),
    protocol.splitTicksMean.toFixed(1),
    String(protocol.splitTicksMax),
    known(protocol.leadersPerEpochMax),
    protocol.changesMean.toFixed(1),
    String(protocol.changesMax),
  ];
}
