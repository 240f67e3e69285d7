/**
 * @module
 * This folder contains what `usurp elect` does besides its operation (src/operations/elect): it writes traces, saved runs, the rows
 * and the picture of many runs, lists what the names mean, and runs scenarios.
 */

import type { Command } from 'commander';
import { LabError } from '../../errors.ts';
import type { ElectionPicture } from '../../experiment/elections/chart.ts';
import { runTable } from '../../experiment/elections/tables.ts';
import type { ElectInput } from '../../operations/elect/elect.ts';
import { ELECT } from '../../operations/elect/elect.ts';
import { THIS_MACHINE } from '../../runtime/sweep/machine.ts';
import type { Begun } from '../../simulation/request/election.ts';
import type { Besides } from '../operations/operation-command.ts';
import { operationCommand } from '../operations/operation-command.ts';
import { commandLine } from '../shell/command-line.ts';
import type { OutputOptions } from '../shell/options.ts';
import { ROW_FORMATS } from '../shell/options.ts';
import type { Session } from '../shell/terminal.ts';
import type { RunFiles } from './files-of-runs.ts';
import { refuseFiles, writeFiles } from './files-of-runs.ts';
import { LISTS, listText } from './list.ts';
import { refuseSave, writeSave } from './save.ts';
import { runScenario, withScenario } from './scenario.ts';
import type { TraceOptions } from './trace.ts';
import { refuseTrace, withTrace, writeTrace } from './trace.ts';

interface ElectOptions extends OutputOptions, TraceOptions, RunFiles {
  readonly save?: string;
  readonly scenario?: string;
  readonly nodes?: string;
  readonly seed?: string;
  readonly force?: true | undefined;
}

export function electCommand(session: Session): Command {
  let election: Begun | null = null;
  let runs: ElectionPicture | null = null;
  const keepElection = (held: Begun) => {
    election = held;
  };
  const besides: Besides<ElectOptions> = {
    list: {
      meaning:
        'list protocols, detectors and resources, one of these, or only the protocol of the argument',
      of: LISTS,
      text: ([protocol], isJson, options) => listText(protocol, { ...options, isJson }),
    },
    flags: withFiles,
    first: ([protocol], options, terminal) =>
      options.scenario === undefined
        ? null
        : runScenario({ ...options, scenario: options.scenario, protocol }, terminal),
    async instead(input, options) {
      const asked = input as ElectInput; // The schema of the operation made it.
      refuseIdle(asked, options);
      await refuseTrace(options, asked.nodes ?? String(asked.ring).split(',').length);
      await refuseSave(options);
      await refuseFiles(options);
      return null;
    },
    machine: ({ trace, save }) => ({
      ...THIS_MACHINE,
      command: commandLine,
      ...((trace ?? save) !== undefined && { keepElection }),
      keepRuns(held) {
        runs = held;
      },
    }),
    rows() {
      if (runs === null || runs.axes.length > 0) return null;
      const { columns, rows } = runTable([], runs.cells);
      return { columns, rows: [...rows()] };
    },
    async write(_answered, options, terminal) {
      if (runs !== null) await writeFiles(runs, options, terminal);
      if (election === null) return;
      const { simulation, initiators } = election;
      await writeTrace(simulation, options, terminal);
      await writeSave(simulation, initiators, options, terminal);
    },
  };
  return operationCommand(ELECT, session, besides);
}

function withFiles(command: Command): void {
  withTrace(command)
    .option('--save <file>', 'file to write the run to, for usurp replay')
    .option('--out <file>', 'file for a row per run of --runs or --vary: .csv, .jsonl or .parquet')
    .option('--chart <file>', 'file for a picture of --measure: .svg')
    .option('-f, --force', 'replace existing files of --trace, --save, --out and --chart');
  withScenario(command);
}

/** Throws LabError for flags that have no effect with the others. */
function refuseIdle(
  { runs, vary, shrink, nodes, ring }: ElectInput,
  { out, chart, format, trace, save }: ElectOptions,
): void {
  if (nodes !== undefined && ring !== undefined) {
    throw new LabError('arguments', '--nodes and --ring state the number of nodes: give one');
  }
  const isOne = runs === undefined && vary === undefined;
  const needless = isOne ? { out, chart } : { trace };
  for (const [name, file] of Object.entries(needless)) {
    if (file === undefined) continue;
    const detail = isOne ? 'no effect without --runs or --vary' : 'no effect with --runs or --vary';
    throw new LabError('arguments', `--${name} has ${detail}`);
  }
  if (isOne && ROW_FORMATS.some((each) => each === format)) {
    throw new LabError('arguments', `--format ${format} needs --runs or --vary`);
  }
  if (!isOne && save !== undefined && !shrink) {
    throw new LabError('arguments', '--save writes one run; with --runs it needs --shrink');
  }
}
