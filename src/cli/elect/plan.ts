/**
 * @module
 * Turns the flags of `usurp elect` into the options of an election with one seed. Errors of the simulator
 * name the flags.
 */

import { DETECTORS } from '../../election/detectors/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { typeCounted } from '../../experiment/elections/tables.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import type { Seed } from '../../random.ts';
import type { Schedule } from '../../simulation/faults/schedule.ts';
import { faultProblem } from '../../simulation/faults/schedule.ts';
import { faultText } from '../../simulation/faults/text.ts';
import type { SimulationOptions } from '../../simulation/plan/plan.ts';
import { detectorOnNodes } from '../../simulation/request/detector-choice.ts';
import type { Begun } from '../../simulation/request/election.ts';
import { begunElection, plannedElection } from '../../simulation/request/election.ts';
import type { ElectionOptions } from '../../simulation/run/simulate.ts';
import { ROW_FORMATS } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import { readScheduleFile } from './faults-file.ts';
import type { ElectOptions, ElectRequest } from './options.ts';

/** Reads the files of the flags and checks the flags together. Throws LabError. */
export async function readRequest(
  options: ElectOptions,
  terminal: Terminal,
): Promise<ElectRequest> {
  const { protocol, faults } = options;
  if (protocol === undefined) {
    throw new LabError(
      'arguments',
      'the protocol is missing: name one, as in usurp elect raft; --list prints all',
    );
  }
  const nodes = options.nodes ?? options.ring?.length;
  if (nodes === undefined) {
    throw new LabError(
      'arguments',
      'the number of nodes is missing: use --nodes 5, or a ring such as --ring 3,1,2',
    );
  }
  if (options.attr !== undefined && PROTOCOLS[protocol].attributes === null) {
    throw new LabError('arguments', `--attr has no effect: nodes of ${protocol} have no attribute`);
  }
  refuseIdle(options);
  refuseMeasure(options, protocol);
  const given = faults === undefined ? null : await readScheduleFile(faults, nodes, terminal);
  return { options, protocol, nodes, given, compared: [] };
}

/** Throws LabError for flags that have no effect with the others. */
function refuseIdle(options: ElectOptions): void {
  const { runs, save, shrink, trace, clocks } = options;
  for (const name of ['out', 'chart', 'measure'] as const) {
    if (options[name] === undefined || runs !== undefined) continue;
    throw new LabError('arguments', `--${name} has no effect without --runs or --vary`);
  }
  if (runs === undefined && ROW_FORMATS.some((format) => format === options.format)) {
    throw new LabError('arguments', `--format ${options.format} needs --runs or --vary`);
  }

  if (runs !== undefined && save !== undefined && shrink === undefined) {
    throw new LabError('arguments', '--save writes one run; with --runs it needs --shrink');
  }
  if (!clocks && trace === undefined) {
    throw new LabError('arguments', '--no-clocks has no effect without --trace');
  }
}

/** Throws LabError for messages of a type that no node sends. */
function refuseMeasure({ measure, detector }: ElectOptions, protocol: ProtocolName): void {
  const type = typeCounted(measure ?? '');
  const onNodes = detectorOnNodes(detector);
  const known = [
    ...PROTOCOLS[protocol].messageTypes,
    ...(onNodes === undefined ? [] : Object.keys(DETECTORS[onNodes.name].messages)),
  ];
  if (type === null || known.includes(type)) return;
  const near = suggestion(known, type);
  const detail = `--measure ${measure}: expected a type of ${protocol}: ${known.join(', ')}${near}`;
  throw new LabError('arguments', detail);
}

/** The election with a seed. Only its initiators are still unchecked. Throws LabError. */
export function electionOf(request: ElectRequest, seed: Seed): ElectionOptions {
  return plannedElection(request, seed, inWordsOfFlags);
}

/**
 * Starts the election at tick 0. Returns it with its initiators (undefined for all nodes). `keeps` selects
 * what the simulation records. Throws LabError.
 */
export function begun(
  request: ElectRequest,
  seed: Seed,
  keeps: Pick<SimulationOptions, 'trace' | 'audit' | 'bytes'> = {},
): Begun {
  return begunElection(request, seed, { keeps, words: inWordsOfFlags });
}

/** Runs `work`. Replaces member names in the message of a LabError by the names of the flags. */
export function inWordsOfFlags<T>(schedule: Schedule | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, inFlagNames(error, schedule), error.faults);
  }
}

function inFlagNames(error: LabError, schedule: Schedule | null): string {
  const { message } = error;
  const problem = faultProblem(error);
  const fault = problem === null ? undefined : schedule?.faults[problem.index];
  if (problem !== null && fault !== undefined) {
    const { flag, text } = faultText(fault);
    const hint = flag === 'join' ? ' (a node that joins is one of --nodes)' : '';
    return `--${flag} ${text}: ${problem.detail}${hint}`;
  }
  const [, down] = /^(node \d+ is \w+) at 0$/.exec(message) ?? [];
  if (down !== undefined) return `--initiators: ${down} when the election starts`;
  return message.replace(
    /^(crashedBefore|faults|ring|start|flags|attributes|links|schedule|detector)\b:?/,
    (name) => FLAGS.get(name.replace(':', '')) ?? name,
  );
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['crashedBefore', '--crash'],
  ['faults', '--crash'],
  ['ring', '--ring'],
  ['start', '--initiators'],
  ['flags', '--flag'],
  ['attributes', '--attr'],
  ['links', '--link-factors'],
  ['schedule', 'the faults:'],
  ['detector', '--detector'],
]);
