/**
 * @module
 * The heartbeat detector: a member without a heartbeat for the time-out is suspected. With a fixed
 * time-out it is perfect (P) if it exceeds the time between any two arrivals, and otherwise wrong for
 * ever. An adaptive time-out doubles after each false suspicion: if latencies have an unknown bound, each
 * member is falsely suspected finitely often, so that the detector is eventually perfect, ◇P (Chandra and Toueg 1996 on partial synchrony; their time-outs grow by steps).
 */

import { createBeats } from './beats.ts';
import {
  BEATING_NODES_MAX,
  clashIfBelow,
  defineDetector,
  EVERY_OPTION,
  honestIntervalTicks,
  switchOption,
  ticksFrom,
} from './detector-definition.ts';

export interface HeartbeatOptions {
  readonly everyTicks: number;
  readonly timeoutTicks: number;
  /** Upper bound of the time-out. Absent if it is fixed. */
  readonly timeoutTicksMax?: number | undefined;
}

type Memory = { timeoutTicks: number };

/** Six doublings, after which an adaptive time-out is 64 times what it was. */
const GROWTH = 64;

export const FD_HEARTBEAT = defineDetector({
  name: 'fd-heartbeat',
  rule: 'suspects after a silence of timeout ticks; perfect where beats never come further apart, eventually perfect if adaptive',
  messageBound: 'n(n−1) a period',
  source: 'T. Chandra, S. Toueg, JACM 43(2), 1996',
  messages: { FD_HEARTBEAT: { seq: 'integer' } },
  options: {
    every: EVERY_OPTION,
    timeout: {
      ...ticksFrom(1),
      meaning: 'ticks of silence until a suspicion',
      byDefault: (timing, read) => honestIntervalTicks(timing, read) + 1,
    },
    adaptive: switchOption('doubles the time-out after each false suspicion'),
    max: {
      ...ticksFrom(1),
      meaning: 'largest adaptive time-out, in ticks',
      byDefault: (_timing, read) => GROWTH * read.number('timeout'),
    },
  },
  clash: (read) => (read.isOn('adaptive') ? clashIfBelow(['max', 'timeout'], read) : null),
  nodesMax: BEATING_NODES_MAX,
  detectionTicks: (timing, read) => timing.latencyTicksMax + read.number('timeout'),
  create: (_timing, read) =>
    createHeartbeatDetector({
      everyTicks: read.number('every'),
      timeoutTicks: read.number('timeout'),
      timeoutTicksMax: read.isOn('adaptive') ? read.number('max') : undefined,
    }),
});

/** The detector of every node. Below the real bound on latency, `timeoutTicksMax` lets mistakes continue. */
export function createHeartbeatDetector(options: HeartbeatOptions) {
  const { everyTicks, timeoutTicks, timeoutTicksMax = timeoutTicks } = options;
  return createBeats<Memory>(everyTicks, {
    begin: () => ({ timeoutTicks }),
    receive(memory, _now, wasSuspected) {
      if (!wasSuspected) return;
      const doubled = Math.min(2 * memory.timeoutTicks, timeoutTicksMax);
      memory.timeoutTicks = Math.max(memory.timeoutTicks, doubled);
    },
    deadlineTicks: (memory) => memory.timeoutTicks,
  });
}
