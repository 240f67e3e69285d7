/**
 * @module
 * The failure detector beside a run, as its plan states it: of crashes, of links, or scripted. With detectors
 * on the nodes, it reports nothing.
 */

import { readOracle } from '../../election/detectors/fd-oracle.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { detectorOptions } from '../../election/detectors/registry.ts';
import { answerTicks } from '../../election/timing.ts';
import type { TimedIncident } from '../faults/timeline.ts';
import type { Plan } from '../plan/plan.ts';
import { createOracleDetector } from './oracle-detector.ts';
import type { Detector, Reachability } from './perfect-detector.ts';
import { createCrashDetector, createLinkDetector } from './perfect-detector.ts';

const SILENT: Detector = {
  earliest: () => Number.POSITIVE_INFINITY,
  take: () => null,
  notify: () => [],
};

/** `incidents` are those of the run. */
export function createPlannedDetector(
  plan: Plan,
  reachability: Reachability,
  incidents: readonly TimedIncident[],
): Detector {
  const { detector, schedule, timing, crashedBefore } = plan;
  if (detector?.name === 'fd-oracle') return createOracle(plan, detector, reachability, incidents);
  if (detector !== null) return SILENT;
  return schedule?.detector === 'links'
    ? createLinkDetector(answerTicks(timing), reachability, crashedBefore)
    : createCrashDetector(answerTicks(timing));
}

function createOracle(
  { nodes, seed, timing, crashedBefore }: Plan,
  spec: DetectorSpec,
  { isUp }: Reachability,
  incidents: readonly TimedIncident[],
): Detector {
  const faulty = new Set(crashedBefore);
  for (const { incident } of incidents) if (incident.type === 'crash') faulty.add(incident.rank);
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  const script = readOracle(detectorOptions(spec, timing));
  const correct = ranks.filter((rank) => !faulty.has(rank));
  const answer = answerTicks(timing);
  return createOracleDetector(script, { nodes, seed, correct, isUp, answerTicks: answer });
}
