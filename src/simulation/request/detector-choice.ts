/**
 * @module
 * The failure detector of an election: one of the two that observe the run from outside and send no messages,
 * or one that runs on the nodes and sends messages, with its options.
 */

import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { detectorText } from '../../election/detectors/registry.ts';
import type { Schedule } from '../faults/schedule.ts';

/** The detectors that observe from outside. They are part of the schedule. */
export const DETECTORS_BESIDE = ['crashes', 'links'] as const satisfies Schedule['detector'][];
export type DetectorBeside = (typeof DETECTORS_BESIDE)[number];

/** Rules of the detectors without messages. Δ is the longest latency. */
export const BESIDE_RULES: Readonly<Record<DetectorBeside, string>> = {
  crashes: 'default; suspects a crashed node 2Δ + 1 ticks after the crash',
  links: 'suspects an unreachable node (crashed, paused or cut off) after 2Δ + 1 ticks',
};

export type DetectorChoice = DetectorBeside | DetectorSpec;

/** The detector on the nodes. Undefined for one that is part of the schedule. */
export function detectorOnNodes(choice: DetectorChoice | undefined): DetectorSpec | undefined {
  return typeof choice === 'object' ? choice : undefined;
}

/** The detector that observes from outside. Undefined if --detector is absent. */
export function detectorBeside(choice: DetectorChoice | undefined): DetectorBeside | undefined {
  // A detector on the nodes replaces the one of a file.
  return typeof choice === 'object' ? 'crashes' : choice;
}

/** The text form, which `readDetector` reads back. */
export function detectorChoiceText(choice: DetectorChoice): string {
  return typeof choice === 'object' ? detectorText(choice) : choice;
}
