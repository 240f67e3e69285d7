/**
 * @module
 * The first line of a trace: the options that reproduce the run.
 */

import { detectorText } from '../../election/detectors/registry.ts';
import type { TraceHeader } from '../engine/trace.ts';
import { latencyText } from '../faults/latency.ts';
import { ONE_ELECTION } from '../plan/outside-nodes.ts';
import type { Plan } from '../plan/plan.ts';
import { workloadText } from '../plan/workload.ts';

/** The header of a plan's trace. Defaults are left out. */
export function headerOf(plan: Plan): TraceHeader {
  const { protocol, nodes, ring, fifo, seed, crashedBefore, untilTicks, trace } = plan;
  const { latency, faults, links, schedule, flags, attributes, detector, workload, store } = plan;
  const { level, byzantine, phantoms, defences, outside, openings, election, sameTick } = plan;
  return {
    trace: 'usurp/trace/v1',
    options: {
      ...{ protocol, nodes, ring, fifo, seed, crashedBefore, untilTicks, trace },
      latency: latencyText(latency),
      faults,
      ...(Object.keys(flags).length === 0 ? {} : { flags }),
      ...(attributes === null ? {} : { attributes }),
      ...(sameTick === 'messages-first' ? {} : { sameTick }),
      ...(links === null ? {} : { links }),
      ...(schedule === null ? {} : { schedule }),
      ...(store === null ? {} : { store }),
      ...(detector === null ? {} : { detector: detectorText(detector) }),
      ...(workload === null ? {} : { workload: workloadText(workload) }),
      ...(level === null ? {} : { level, byzantine }),
      ...(phantoms.length === 0 ? {} : { phantoms }),
      ...(defences.length === 0 ? {} : { defences }),
      ...(outside.length === 0 ? {} : { outside }),
      ...(openings.length === 0 ? {} : { openings }),
      ...(election === ONE_ELECTION ? {} : { election }),
    },
  };
}
