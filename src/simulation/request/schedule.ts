/**
 * @module
 * The schedule of one election: the faults of a file, of the flags and of the seed, in the order of the
 * replay command. Without any of these there is no schedule, and latencies are drawn in the order of
 * sending, which is faster.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { CALM_AT_MIN, drawnCalmAt, drawSchedule, USUAL_KINDS } from '../faults/draw.ts';
import type { Calm, Fault, Schedule, ScheduledFault } from '../faults/schedule.ts';
import { FAULT_FLAGS, faultText } from '../faults/text.ts';
import { planSimulation } from '../plan/options.ts';
import type { RunShape } from '../plan/time-limits.ts';
import { calmTicks, electionTicks } from '../plan/time-limits.ts';
import { detectorBeside, detectorOnNodes } from './detector-choice.ts';
import type { CalmOption, ElectRequest } from './request.ts';
import { SCHEDULED_FLAGS } from './request.ts';

/** The length of an election does not depend on its seed. */
const ANY_SEED = parseSeed('0');

interface Circumstances {
  readonly seed: Seed;
  readonly crashedBefore: readonly number[];
  /** Crashes at their ticks. */
  readonly faults: readonly Fault[];
}

/** The schedule, or null if no flag needs one. The plan of the election checks its ranks. */
export function scheduleOf(request: ElectRequest, circumstances: Circumstances): Schedule | null {
  const { options, given } = request;
  const leaders = (options.crash ?? []).flatMap((each) => each.leaders ?? []);
  const spelt = [...leaders, ...SCHEDULED_FLAGS.flatMap((flag) => options[flag] ?? [])];
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
  const { options, given } = request;
  const { randomFaults } = options;
  const detector = detectorBeside(options.detector) ?? 'crashes';
  if (given !== null) return given;
  if (randomFaults === undefined) return { faults: [], calm: null, detector };
  // No node can join a network with links.
  const usual = USUAL_KINDS.filter((kind) => kind !== 'join' || options.topology === undefined);
  const kinds = randomFaults === true ? usual : randomFaults;
  const compared = request.compared.length === 0 ? [request] : request.compared;
  const ticks = Math.max(...compared.map((each) => electionTicks(shapeOf(each))));
  const drawn = { at: drawnCalmAt(ticks), ticks: null, restart: false };
  const calm = calmOf(request, options.calm ?? drawn);
  if (calm.at < CALM_AT_MIN) {
    throw new LabError(
      'arguments',
      `--calm: expected at least tick ${CALM_AT_MIN} with --random-faults`,
    );
  }
  const { faults } = drawSchedule(circumstances.seed, {
    name: 'swarm',
    nodes: request.nodes,
    kinds,
    electionTicks: ticks,
    detector,
    calmAt: calm.at,
    calmTicks: calm.ticks,
    restart: calm.restart,
  });
  return { faults: fitted(faults, request, circumstances), calm, detector };
}

function calmOf(request: ElectRequest, { at, ticks, restart }: CalmOption): Calm {
  return { at, ticks: ticks ?? calmTicks(shapeOf(request)), restart };
}

/** What the length of an election of these flags depends on. Throws LabError if they cannot be combined. */
function shapeOf({ options, protocol, nodes }: ElectRequest): RunShape {
  const { latency, linkFactors: links } = options;
  const flags = Object.fromEntries(options.flag ?? []);
  const detector = detectorOnNodes(options.detector);
  const isLoaded = [options.resource, options.clients].some((load) => load !== undefined);
  const { timing } = planSimulation({
    protocol,
    nodes,
    flags,
    latency,
    links,
    ring: 'by-id',
    seed: ANY_SEED,
    detector,
  });
  return { protocol, nodes, flags, timing, detector, isLoaded };
}

/**
 * The drawn faults that fit the flags: a node that crashed before the run neither joins nor restarts, and
 * named initiators are present at the start.
 */
function fitted(
  faults: readonly ScheduledFault[],
  { options, nodes }: ElectRequest,
  { crashedBefore }: Circumstances,
): ScheduledFault[] {
  const { initiators } = options;
  const present = new Set(typeof initiators === 'string' ? [] : initiators);
  return faults.flatMap((fault): ScheduledFault[] => {
    if (fault.type !== 'join' && fault.type !== 'restart') return [fault];
    const isDead = crashedBefore.includes(fault.rank);
    const isNeeded = present.has(fault.rank) || crashedBefore.length + 1 >= nodes;
    return isDead || (fault.type === 'join' && isNeeded) ? [] : [fault];
  });
}
