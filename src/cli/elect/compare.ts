/**
 * @module
 * `usurp elect --compare a,b,c`: runs several protocols with the same seeds, faults and latencies, all to
 * the same tick, and prints a table of costs and leadership.
 */

import { setImmediate } from 'node:timers/promises';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { ComparedProtocol, ComparedRun } from '../../simulation/report/comparison.ts';
import {
  comparedRun,
  createComparison,
  horizonOf,
  inNameOf,
} from '../../simulation/report/comparison.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns, formatPercent } from '../shell/layout.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ElectOptions, ElectRequest } from './options.ts';
import { begun, electionOf, noteIdleRestarts, readRequest } from './plan.ts';
import { replayOf } from './replay-command.ts';
import { seedAfter } from './runs.ts';
import { settleIfHeld } from './settle.ts';

export type CompareOptions = ElectOptions & { readonly compare: readonly ProtocolName[] };

/** Default of --runs. */
const RUNS_DEFAULT = 20;

export interface ComparisonReport {
  readonly protocols: readonly ComparedProtocol[];
  /** Number of seeds with which all protocols ran. After an interrupt fewer than requested. */
  readonly runs: number;
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
  const { runs = RUNS_DEFAULT } = options;
  const requests = await readRequests(options, terminal);
  const elections = requests.map((request) =>
    inNameOf(request.protocol, () => electionOf(request, seed)),
  );
  const [first] = elections;
  const [request] = requests;
  if (first === undefined || request === undefined) throw new RangeError('"compare" expected one');
  noteIdleRestarts(request, first, terminal);
  const horizonTicks = Math.max(options.until ?? horizonOf(elections), 1);
  const replay = replayOf({ ...request, options }, seed, runs);
  if (options.seed === undefined) terminal.note(`seed ${seed}, to repeat: ${replay}`);
  const held = await holdAll(requests, { seed, runs, horizonTicks }, terminal);
  const report: ComparisonReport = { ...held, horizonTicks, seed, replay };
  terminal.print(wantsJson(options) ? `${JSON.stringify(report)}\n` : tableOf(report));
  if (!terminal.signal.aborted) return EXIT.holds;
  terminal.note(`interrupted: ${report.runs} of ${runs} seeds are reported`);
  return EXIT.interrupted;
}

/** The request of each protocol, with the flags that it has. Throws LabError. */
async function readRequests(options: CompareOptions, terminal: Terminal): Promise<ElectRequest[]> {
  const { compare } = options;
  refuseUseless(options);
  const [first, ...others] = compare;
  // The file with faults is read once: it may be stdin.
  const request = await readRequest(optionsFor(options, first), terminal);
  const rest = others.map((protocol) => {
    return { ...request, protocol, options: optionsFor(options, protocol) };
  });
  const compared = [request, ...rest];
  return compared.map((each) => ({ ...each, compared }));
}

function optionsFor(options: CompareOptions, protocol: ProtocolName | undefined): ElectOptions {
  const { compare: _compare, flag = [], attr, ...shared } = options;
  if (protocol === undefined) return shared;
  return {
    ...shared,
    protocol,
    flag: flag.filter(([name]) => hasFlag(protocol, name)),
    ...(attr === undefined || !hasAttributes(protocol) ? {} : { attr }),
  };
}

/** Throws LabError for a flag or attributes that none of the protocols has. */
function refuseUseless({ compare, flag = [], attr }: CompareOptions): void {
  const useless = flag.find(([name]) => !compare.some((protocol) => hasFlag(protocol, name)));
  if (useless !== undefined) {
    throw new LabError('arguments', `--flag ${useless[0]}: none of ${compare} has this flag`);
  }
  if (attr !== undefined && !compare.some(hasAttributes)) {
    throw new LabError('arguments', `--attr has no effect: nodes of ${compare} have no attribute`);
  }
}

function hasFlag(protocol: ProtocolName, name: string): boolean {
  const { flags, numbers } = PROTOCOLS[protocol];
  return Object.hasOwn(flags, name) || Object.hasOwn(numbers, name);
}

function hasAttributes(protocol: ProtocolName): boolean {
  return PROTOCOLS[protocol].attributes !== null;
}

interface ComparisonPlan {
  readonly seed: Seed;
  readonly runs: number;
  readonly horizonTicks: number;
}

async function holdAll(
  requests: readonly ElectRequest[],
  { seed: first, runs: count, horizonTicks }: ComparisonPlan,
  terminal: Terminal,
): Promise<Pick<ComparisonReport, 'protocols' | 'runs'>> {
  const comparison = createComparison(requests.map(({ protocol }) => protocol));
  seedAfter(first, count - 1);
  let runs = 0;
  while (runs < count && !terminal.signal.aborted) {
    const seed = seedAfter(first, runs);
    const held: (ComparedRun | null)[] = [];
    for (const request of requests) {
      const name = `seed ${runs + 1} of ${count}, ${request.protocol}`;
      terminal.progress(() => name);
      const run = await holdOne(request, { seed, name, horizonTicks }, terminal);
      if (terminal.signal.aborted) break;
      held.push(run);
    }
    if (terminal.signal.aborted) break;
    comparison.add(held);
    runs += 1;
  }
  return { protocols: comparison.report(), runs };
}

/** Null for a run that exceeds the memory limit, and for an interrupted one. */
async function holdOne(
  request: ElectRequest,
  plan: { readonly seed: Seed; readonly name: string; readonly horizonTicks: number },
  terminal: Terminal,
): Promise<ComparedRun | null> {
  const { seed, name, horizonTicks: until } = plan;
  const { simulation } = inNameOf(request.protocol, () => begun(request, seed, { audit: true }));
  const isHeld = await settleIfHeld(simulation, terminal, { name, until });
  await setImmediate();
  // A run that was stopped before `until` was too large too.
  return isHeld && simulation.status().ticks >= until ? comparedRun(simulation) : null;
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
    ...[each.staleWritesMean, each.detectionTicksMean, each.mistakesMean].map(known),
  ]);
  return [columns([['protocol', 'stale writes', 'detection ticks', 'mistakes'], ...rows])];
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
