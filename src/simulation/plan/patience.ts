/**
 * @module
 * How long a run is given, and how long an agreement must last in one that is never silent.
 */

import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { detectionTicks } from '../../election/detectors/registry.ts';
import type { Flags } from '../../election/flags.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { announcementTicks, ringElectionTicks } from '../../election/timing.ts';

import type { Schedule } from '../faults/schedule.ts';
import type { Workload } from './workload.ts';

export const TICKS_LIMIT = 1_000_000_000_000;

/** What an election's length depends on. */
export interface RunShape {
  readonly protocol: ProtocolName;
  readonly flags: Flags;
  readonly nodes: number;
  readonly timing: Timing;
  readonly detector: DetectorSpec | undefined;
  readonly workload: Workload | undefined;
}

/**
 * How long an election gets to come to rest, by default: the larger of 100n ticks and 16nΔ, and 20
 * longest time-outs. The slowest rings need 12nΔ: a run of (3n−1)Δ, tried four times.
 */
export function settleTicks(nodes: number, timing: Timing): number {
  const roundTicks = Math.max(100 * nodes, 16 * nodes * timing.latencyTicksMax);
  return Math.min(roundTicks + 20 * announcementTicks(timing), TICKS_LIMIT);
}

/** The last tick at which something is bound to begin or to end; 0 for none. */
export function lastDisturbance(
  faults: readonly { readonly at: number }[],
  schedule: Schedule | null,
): number {
  let last = 0;
  for (const fault of [...faults, ...(schedule?.faults ?? [])]) {
    if ('at' in fault) last = Math.max(last, fault.at);
    if ('to' in fault) last = Math.max(last, fault.to ?? fault.from);
  }
  // Whatever goes on then ends with the calm.
  return schedule === null || schedule.calm === null ? last : Math.min(last, schedule.calm.at);
}

/** From the last disturbance, so that a late fault is not cut off; or the deadline. */
export function runTicksMax(
  pace: RunShape,
  schedule: Schedule | null,
  disturbedUntil: number,
): number {
  if (schedule !== null && schedule.calm !== null) return schedule.calm.at + schedule.calm.ticks;
  const steady = STEADY_ROUNDS * (steadyTicksOf(pace) ?? 0);
  return Math.min(
    disturbedUntil + Math.max(settleTicks(pace.nodes, pace.timing), steady),
    TICKS_LIMIT,
  );
}

/**
 * The protocol's own; where it would rest, and leaders that work or detectors do not, the length of an
 * election. Long enough in any case for a detector to notice.
 */
export function steadyTicksOf({
  protocol,
  flags,
  nodes,
  timing,
  detector,
  workload,
}: RunShape): number | null {
  const own = PROTOCOLS[protocol].steadyTicks?.(timing, flags) ?? null;
  const noticed = detector === undefined ? 0 : detectionTicks(detector, timing);
  if (own !== null) return Math.max(own, noticed);
  if (detector === undefined && workload === undefined) return null;
  return noticed + Math.max(2 * announcementTicks(timing), ringElectionTicks(timing, nodes));
}

/** How many times as long as it must last an agreement may take to come about: 20 split votes. */
const STEADY_ROUNDS = 40;
