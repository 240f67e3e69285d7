/**
 * @module
 * The schedule of one election: what a file, the flags and the seed say goes wrong, as one, in the
 * order in which a replay spells it. Without any of these there is none, and messages draw their
 * latencies one after the other, which is faster.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { drawSchedule, FAULT_KINDS } from '../../simulation/faults/draw.ts';
import { latencyTicksMax } from '../../simulation/faults/latency.ts';
import { linkFactorMax } from '../../simulation/faults/link-factors.ts';
import type { Calm, Fault, Schedule, ScheduledFault } from '../../simulation/faults/schedule.ts';
import { FAULT_FLAGS, faultText } from '../../simulation/faults/text.ts';
import { settleTicks } from '../../simulation/plan/time-limits.ts';
import { detectorBeside } from './detector.ts';
import type { CalmOption, ElectRequest } from './options.ts';
import { SCHEDULED_FLAGS } from './options.ts';

interface Circumstances {
  readonly seed: Seed;
  readonly crashedBefore: readonly number[];
  /** Crashes at their ticks. */
  readonly faults: readonly Fault[];
}

/** The schedule, null where nothing asks for one. Its ranks are judged with the election. */
export function scheduleOf(request: ElectRequest, circumstances: Circumstances): Schedule | null {
  const { options, given } = request;
  const spelt = SCHEDULED_FLAGS.flatMap((flag) => options[flag] ?? []);
  const isAsked =
    given !== null ||
    spelt.length > 0 ||
    options.randomFaults !== undefined ||
    options.calm !== undefined ||
    options.detector !== undefined ||
    options.shrink !== undefined;
  if (!isAsked) return null;
  const base = baseOf(request, circumstances);
  const crashes = circumstances.faults.map(({ rank, at }) => ({
    type: 'crash' as const,
    rank,
    at,
  }));
  return {
    faults: [...base.faults, ...crashes, ...spelt],
    calm: options.calm === undefined ? base.calm : calmOf(request, options.calm),
    detector: detectorBeside(options.detector) ?? base.detector,
  };
}

/** Faults in the order of the flags of a command line. Those of one flag keep their order. */
export function inFlagOrder(faults: readonly ScheduledFault[]): ScheduledFault[] {
  const place = (fault: ScheduledFault) => FAULT_FLAGS.indexOf(faultText(fault).flag);
  return faults.toSorted((left, right) => place(left) - place(right));
}

/** What the flags add to: the file's schedule, the drawn one, or nothing. */
function baseOf(request: ElectRequest, circumstances: Circumstances): Schedule {
  const { options, given, nodes } = request;
  const { randomFaults } = options;
  const detector = detectorBeside(options.detector) ?? 'crashes';
  if (given !== null) return given;
  if (randomFaults === undefined) return { faults: [], calm: null, detector };
  const kinds = randomFaults === true ? FAULT_KINDS : randomFaults;
  const calm = calmOf(request, options.calm ?? drawnCalm(request));
  if (calm.at < CALM_AT_MIN) {
    throw new LabError('arguments', `--calm: --random-faults takes ${CALM_AT_MIN} ticks at least`);
  }
  const { at: calmAt, ticks: calmTicks, restart } = calm;
  const profile = { name: 'swarm', nodes, kinds, calmAt, calmTicks, restart, detector } as const;
  const { faults } = drawSchedule(circumstances.seed, profile);
  return { faults: fitted(faults, request, circumstances), calm, detector };
}

/** What `drawSchedule` asks for. */
const CALM_AT_MIN = 10;

/** Long enough for faults to meet an election that is under way. */
function drawnCalm(request: ElectRequest): CalmOption {
  const at = Math.max(200, 4 * request.nodes * ticksMax(request));
  return { at, ticks: null, restart: false };
}

function calmOf(request: ElectRequest, { at, ticks, restart }: CalmOption): Calm {
  const settled = settleTicks(request.nodes, { latencyTicksMax: ticksMax(request) });
  return { at, ticks: ticks ?? settled, restart };
}

function ticksMax({ options }: ElectRequest): number {
  return latencyTicksMax(options.latency) * linkFactorMax(options.linkFactors ?? null);
}

/**
 * The drawn faults that make an election with what the flags say: a node that died before neither
 * joins nor returns, named initiators are there at first, and no node crashes before the start.
 */
function fitted(
  faults: readonly ScheduledFault[],
  { options, nodes }: ElectRequest,
  { crashedBefore }: Circumstances,
): ScheduledFault[] {
  const { initiators } = options;
  const present = new Set(typeof initiators === 'string' ? [] : initiators);
  return faults.flatMap((fault): ScheduledFault[] => {
    if (fault.type === 'crash') return [{ ...fault, at: Math.max(fault.at, 1) }];
    if (fault.type !== 'join' && fault.type !== 'restart') return [fault];
    const isDead = crashedBefore.includes(fault.rank);
    const isNeeded = present.has(fault.rank) || crashedBefore.length + 1 >= nodes;
    return isDead || (fault.type === 'join' && isNeeded) ? [] : [fault];
  });
}
