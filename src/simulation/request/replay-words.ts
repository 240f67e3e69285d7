/**
 * @module
 * The command that repeats an election: every flag that was given, and the seed. Flags express a
 * schedule from a file. If they cannot, the command names the file.
 */

import { clientsText } from '../../election/clients/client-form.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { latencyText } from '../faults/latency.ts';
import type { LinkFactors } from '../faults/link-factors.ts';
import type { Schedule, ScheduledFault } from '../faults/schedule.ts';
import { faultText, parseFaultText, resolveCrashes } from '../faults/text.ts';
import { timelineOf } from '../faults/timeline.ts';
import { workloadText } from '../plan/workload.ts';
import { detectorChoiceText } from './detector-choice.ts';
import type { AskedElection, CalmOption, ElectRequest } from './request.ts';
import { SCHEDULED_FLAGS } from './request.ts';
import { inFlagOrder } from './schedule.ts';

/**
 * The words of the command with a seed, the verb first. `runs` is the number of elections, or null without
 * --runs.
 */
export function replayWords(
  request: ElectRequest,
  seed: Seed,
  runs: number | null = null,
): readonly string[] {
  const { options } = request;
  return [
    ...['elect', ...whoElects(request)],
    ...whatFails(request),
    ...networkOf(options),
    ...(options.until === undefined ? [] : ['--until', String(options.until)]),
    ...(runs === null ? [] : ['--runs', String(runs)]),
    ...(runs === null || options.shrink === undefined ? [] : ['--shrink']),
    ...['--seed', seed],
  ];
}

function whoElects({ protocol, nodes, options }: ElectRequest): string[] {
  const { flag = [], attr, ring, ringOrder, initiators, resource, clients } = options;
  const { level, defences } = options;
  return [
    protocol,
    ...(flag.length === 0 ? [] : ['--flags', flag.map((each) => each.join('=')).join(',')]),
    ...(attr === undefined ? [] : ['--attributes', attr.join(',')]),
    ...(ring === undefined ? ['--nodes', String(nodes)] : ['--ring', ring.join(',')]),
    ...(ringOrder === 'by-id' ? ['--ring-order', ringOrder] : []),
    ...(initiators === 'all' ? [] : ['--initiators', String(initiators)]),
    ...(resource === undefined ? [] : ['--resource', workloadText(resource)]),
    ...(clients === undefined ? [] : ['--clients', clientsText(clients)]),
    ...(level === undefined ? [] : ['--level', level]),
    ...(defences === undefined ? [] : ['--defences', defences.join(',')]),
  ];
}

function whatFails({ options, given, nodes }: ElectRequest): string[] {
  const { crash = [], faults, randomFaults, shrink } = options;
  const drawn = randomFaults === true ? [] : [String(randomFaults)];
  const read = given !== null && canBeSpelt(given, options, nodes) ? given : null;
  const flags = [
    ...(read?.faults ?? []),
    ...SCHEDULED_FLAGS.flatMap((flag) => options[flag] ?? []),
  ];
  const [crashes, spelt] = partitioned(inFlagOrder(flags).map(faultText));
  const calm = options.calm ?? read?.calm ?? null;
  // A detector keeps a schedule even without faults, so that messages keep their latencies.
  const detector = options.detector ?? read?.detector ?? (shrink ? 'crashes' : null);
  return [
    ...crashes,
    ...crash.flatMap(({ text }) => ['--crash', text]),
    ...(faults === undefined || read !== null ? [] : ['--faults', faults]),
    ...(randomFaults === undefined ? [] : ['--random-faults', ...drawn]),
    ...spelt,
    ...(calm === null ? [] : ['--calm', calmText(calm)]),
    ...(detector === null ? [] : ['--detector', detectorChoiceText(detector)]),
  ];
}

function partitioned(texts: readonly ReturnType<typeof faultText>[]): [string[], string[]] {
  const words = (isCrash: boolean) =>
    texts
      .filter(({ flag }) => (flag === 'crash') === isCrash)
      .flatMap(({ flag, text }) => [`--${flag}`, text]);
  return [words(true), words(false)];
}

/** Maximum number of faults in a command. Longer commands name the file. */
const SPELT_FAULTS_MAX = 100;

/**
 * Whether flags give the same election as the schedule of a file: each fault is read back unchanged, and
 * events of one tick keep their order.
 */
function canBeSpelt(given: Schedule, options: AskedElection, nodes: number): boolean {
  const { faults } = given;
  if (faults.length > SPELT_FAULTS_MAX || !faults.every(isReadBack)) return false;
  const crashes = (options.crash ?? []).flatMap((each) => each.crashes);
  const added = resolveCrashes(nodes, crashes).faults.map(({ rank, at }) => {
    return { type: 'crash', rank, at } as const;
  });
  const leaders = (options.crash ?? []).flatMap((each) => each.leaders ?? []);
  const all = [
    ...faults,
    ...added,
    ...leaders,
    ...SCHEDULED_FLAGS.flatMap((flag) => options[flag] ?? []),
  ];
  const ordered = inFlagOrder(all);
  if (isEqual(all, ordered)) return true;
  // The draws of churn depend on the seed, and there can be many seeds.
  if (all.some(({ type }) => type === 'churn')) return false;
  const timeline = (of: readonly ScheduledFault[]) =>
    timelineOf({ ...given, faults: of }, nodes, ANY_SEED);
  return isEqual(timeline(all), timeline(ordered));
}

const ANY_SEED = parseSeed('1');

function isReadBack(fault: ScheduledFault): boolean {
  const { flag, text } = faultText(fault);
  try {
    return isEqual(parseFaultText(flag, text), [{ ...fault }]);
  } catch (error) {
    if (error instanceof LabError) return false;
    throw error;
  }
}

/** Whether two values without functions have the same members. */
function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left, inKeyOrder) === JSON.stringify(right, inKeyOrder);
}

function inKeyOrder(_key: string, value: unknown): unknown {
  // JSON has no infinite numbers.
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted());
}

function networkOf({ topology, latency, linkFactors, fifo, sameTick }: AskedElection): string[] {
  return [
    ...(topology === undefined ? [] : ['--topology', topology]),
    ...['--latency', latencyText(latency)],
    ...(linkFactors === undefined ? [] : ['--link-factors', linkText(linkFactors)]),
    ...(fifo === false ? ['--no-fifo'] : []),
    ...(sameTick === undefined || sameTick === 'messages-first' ? [] : ['--same-tick', sameTick]),
  ];
}

function calmText({ at, ticks, restart }: CalmOption): string {
  return `${at}${ticks === null ? '' : `+${ticks}`}${restart ? ':restart' : ''}`;
}

function linkText(links: LinkFactors): string {
  if (links.type === 'seeded') return String(links.factorMax);
  return links.factors.map(({ from, to, factor }) => `${from}>${to}:${factor}`).join(',');
}
