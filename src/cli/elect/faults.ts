/**
 * @module
 * The schedule of one election: the faults of a file, of the flags and of the seed, in the order of the
 * replay command. Without any of these there is no schedule, and latencies are drawn in the order of
 * sending, which is faster.
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

/** The schedule, or null if no flag needs one. The plan of the election checks its ranks. */
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
  const index = (fault: ScheduledFault) => FAULT_FLAGS.indexOf(faultText(fault).flag);
  return faults.toSorted((left, right) => index(left) - index(right));
}

/** The schedule to which the flags add: that of the file, the drawn one, or an empty one. */
function baseOf(request: ElectRequest, circumstances: Circumstances): Schedule {
  const { options, given, nodes } = request;
  const { randomFaults } = options;
  const detector = detectorBeside(options.detector) ?? 'crashes';
  if (given !== null) return given;
  if (randomFaults === undefined) return { faults: [], calm: null, detector };
  const kinds = randomFaults === true ? FAULT_KINDS : randomFaults;
  const calm = calmOf(request, options.calm ?? drawnCalm(request));
  if (calm.at < CALM_AT_MIN) {
    throw new LabError(
      'arguments',
      `--calm: expected at least tick ${CALM_AT_MIN} with --random-faults`,
    );
  }
  const { at: calmAt, ticks: calmTicks, restart } = calm;
  const profile = { name: 'swarm', nodes, kinds, calmAt, calmTicks, restart, detector } as const;
  const { faults } = drawSchedule(circumstances.seed, profile);
  return { faults: fitted(faults, request, circumstances), calm, detector };
}

/** Minimum of `drawSchedule`, in ticks. */
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
 * The drawn faults that fit the flags: a node that crashed before the run neither joins nor restarts,
 * named initiators are present at the start, and no node crashes before tick 1.
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
