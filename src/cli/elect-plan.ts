/**
 * @module
 * From the flags of `usurp elect` to the options of an election under one seed, and back to a command
 * that gives it again. What the simulator refuses is told in the flags' names.
 */

import { LabError } from '../errors.ts';
import type { Seed } from '../random.ts';
import { resolveCrashes } from '../simulation/crashes.ts';
import { parseSchedule } from '../simulation/faults/check.ts';
import type { Schedule } from '../simulation/faults/schedule.ts';
import { absentAtFirst } from '../simulation/faults/schedule.ts';
import { faultText } from '../simulation/faults/text.ts';
import type { SimulationOptions } from '../simulation/options.ts';
import { planSimulation } from '../simulation/options.ts';
import type { ElectionOptions } from '../simulation/simulate.ts';
import { scheduleOf } from './elect-faults.ts';
import type { ElectOptions, ElectRequest } from './elect-options.ts';
import { readText } from './files.ts';
import type { Terminal } from './terminal.ts';

/** Reads what the flags name. Throws LabError. */
export async function readRequest(
  options: ElectOptions,
  terminal: Terminal,
): Promise<ElectRequest> {
  const { algorithm, faults } = options;
  if (algorithm === undefined) {
    throw new LabError('arguments', 'which protocol? give --algorithm, or --list to see them all');
  }
  const nodes = options.nodes ?? options.ring?.length;
  if (nodes === undefined) {
    throw new LabError('arguments', 'how many nodes? give --nodes 5, or their order --ring 3,1,2');
  }
  const given = faults === undefined ? null : readSchedule(faults, nodes, terminal);
  return { options, algorithm, nodes, given: await given };
}

/** The election under a seed, with nothing left to refuse but its initiators. Throws LabError. */
export function electionOf(request: ElectRequest, seed: Seed): ElectionOptions {
  const { options, algorithm, nodes } = request;
  const crashes = (options.crash ?? []).flatMap((each) => each.crashes);
  const { crashedBefore, faults } = resolveCrashes(nodes, crashes);
  const schedule = scheduleOf(request, { seed, crashedBefore, faults });
  const election: SimulationOptions = {
    algorithm,
    flags: Object.fromEntries(options.flag ?? []),
    attributes: options.attr,
    nodes,
    ring: options.ring ?? options.ringOrder,
    latency: options.latency,
    links: options.linkFactors,
    fifo: options.fifo,
    seed,
    crashedBefore,
    faults: schedule === null ? faults : [],
    schedule: schedule ?? undefined,
    untilTicks: options.until,
  };
  return inWordsOfFlags(schedule, () => {
    planSimulation(election);
    return { ...election, initiators: initiatorsOf(options, election) };
  });
}

/** Runs what may refuse a part of the election, and tells it in the flags' names. */
export function inWordsOfFlags<T>(schedule: Schedule | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, inFlagNames(error.message, schedule), error.faults);
  }
}

function inFlagNames(message: string, schedule: Schedule | null): string {
  const [, index, member = '', rest] =
    /^schedule: \/faults\/(\d+)(?:\/(?:\w+\/)*(\w+ ))? ?(.*)$/s.exec(message) ?? [];
  const fault = schedule?.faults[Number(index)];
  if (fault !== undefined) {
    const { flag, text } = faultText(fault);
    const hint = flag === 'join' ? ' (who joins is one of --nodes)' : '';
    return `--${flag} ${text}: ${member}${rest}${hint}`;
  }
  return message.replace(
    /^(crashedBefore|faults|ring|start|flags|attributes|links|schedule)\b:?/,
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
]);

/** The lowest that is there and alive at first. */
function initiatorsOf(
  { initiators }: ElectOptions,
  { crashedBefore = [], schedule }: SimulationOptions,
): readonly number[] | undefined {
  if (initiators === 'all') return undefined;
  if (initiators !== 'lowest') return initiators;
  const away = new Set([...crashedBefore, ...(schedule ? absentAtFirst(schedule) : [])]);
  let lowest = 1;
  while (away.has(lowest)) lowest += 1;
  return [lowest];
}

async function readSchedule(path: string, nodes: number, terminal: Terminal): Promise<Schedule> {
  const text = await readText(path, terminal);
  const name = path === '-' ? 'stdin' : path;
  try {
    return parseSchedule(JSON.parse(text), nodes);
  } catch (error) {
    if (error instanceof SyntaxError) throw new LabError('json.syntax', `${name} is not JSON`);
    if (!(error instanceof LabError)) throw error;
    const detail = error.message.replace(/^schedule: /, '');
    throw new LabError(error.code, `${name}: ${detail}`, error.faults);
  }
}
