/**
 * @module
 * How long a run may take, and how long an agreement must last in a run that never becomes silent.
 */

import type { Flags } from '../../election/definition/flags.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { detectionTicks } from '../../election/detectors/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { announcementTicks, ringElectionTicks } from '../../election/timing.ts';
import type { Schedule } from '../faults/schedule.ts';
import { lastLeaderCrash } from '../faults/schedule.ts';

export const TICKS_LIMIT = 1_000_000_000_000;
/** An agreement may take this multiple of the time that it must last: 20 split votes. */
const STEADY_ROUNDS = 40;
/** Elections for which there is time after the calm. */
const CALM_ELECTIONS = 4;

/** What the length of an election depends on. */
export interface RunShape {
  readonly protocol: ProtocolName;
  readonly flags: Flags;
  readonly nodes: number;
  readonly timing: Timing;
  readonly detector: DetectorSpec | undefined;
  /** Whether leaders have work that never ends. */
  readonly isLoaded: boolean;
}

/**
 * Default time for an election to come to rest: the larger of 100n ticks and 16nΔ, plus the 20 longest
 * timeouts. The slowest rings need 12nΔ, which is a run of (3n−1)Δ that is tried four times.
 */
export function settleTicks(nodes: number, timing: Timing): number {
  const roundTicks = Math.max(100 * nodes, 16 * nodes * timing.latencyTicksMax);
  return Math.min(roundTicks + 20 * announcementTicks(timing), TICKS_LIMIT);
}

/**
 * About how long an election takes that nothing disturbs, with the time-outs that lead to it. Drawn faults
 * keep to it. A Bully node waits for an answer and then for the announcement.
 */
export function electionTicks(shape: RunShape): number {
  const { protocol, nodes, timing } = shape;
  const isRing = PROTOCOLS[protocol].family === 'ring';
  const silent = isRing ? ringElectionTicks(timing, nodes) : 2 * announcementTicks(timing);
  return Math.max(steadyTicksOf(shape) ?? 0, silent);
}

/** Default time from the calm to an agreed leader: long enough for a few elections with their time-outs. */
export function calmTicks(shape: RunShape): number {
  const elections = CALM_ELECTIONS * electionTicks(shape);
  return Math.min(Math.max(settleTicks(shape.nodes, shape.timing), elections), TICKS_LIMIT);
}

/** The last tick at which a fault begins or ends; 0 without faults. The calm ends all of them. */
export function lastDisturbance(
  faults: readonly { readonly at: number }[],
  schedule: Schedule | null,
): number {
  let last = 0;
  for (const fault of [...faults, ...(schedule?.faults ?? [])]) {
    if ('at' in fault) last = Math.max(last, fault.at);
    if ('times' in fault) last = Math.max(last, lastLeaderCrash(fault));
    else if ('to' in fault) last = Math.max(last, fault.to ?? fault.from);
  }
  return schedule === null || schedule.calm === null ? last : Math.min(last, schedule.calm.at);
}

/** Default length of a run: its deadline, or enough time after the last disturbance. */
export function runTicksMax(
  shape: RunShape,
  schedule: Schedule | null,
  disturbedUntil: number,
): number {
  if (schedule !== null && schedule.calm !== null) return schedule.calm.at + schedule.calm.ticks;
  const steady = STEADY_ROUNDS * (steadyTicksOf(shape) ?? 0);
  const rest = Math.max(settleTicks(shape.nodes, shape.timing), steady);
  return Math.min(disturbedUntil + rest, TICKS_LIMIT);
}

/**
 * How long an agreement must last, or null if silence is rest. The protocol states it. For a protocol that
 * would be silent but for a workload or detectors, it is the length of an election. It is always long
 * enough for a detector to notice a crash.
 */
export function steadyTicksOf(shape: RunShape): number | null {
  const { protocol, flags, nodes, timing, detector, isLoaded } = shape;
  const own = PROTOCOLS[protocol].steadyTicks?.(timing, flags, nodes) ?? null;
  const noticed = detector === undefined ? 0 : detectionTicks(detector, timing);
  if (own !== null) return Math.max(own, noticed);
  if (detector === undefined && !isLoaded) return null;
  return noticed + Math.max(2 * announcementTicks(timing), ringElectionTicks(timing, nodes));
}
