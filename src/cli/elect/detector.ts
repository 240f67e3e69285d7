/**
 * @module
 * `--detector`: one of the two detectors that observe the run from outside and send no messages, or one
 * that runs on the nodes and sends messages, with its options.
 */

import { InvalidArgumentError } from 'commander';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { DETECTOR_NAMES, detectorText, parseDetector } from '../../election/detectors/registry.ts';
import { meantText } from '../../experiment/reading/nearest.ts';
import type { Schedule } from '../../simulation/faults/schedule.ts';
import { refusing } from '../shell/arguments.ts';

/** The detectors that observe from outside. They are part of the schedule. */
export const DETECTORS_BESIDE = ['crashes', 'links'] as const satisfies Schedule['detector'][];
type DetectorBeside = (typeof DETECTORS_BESIDE)[number];

export type DetectorChoice = DetectorBeside | DetectorSpec;

/** Rules of the detectors without messages. Δ is the longest latency. */
export const BESIDE_RULES: Readonly<Record<DetectorBeside, string>> = {
  crashes: 'default; suspects a crashed node 2Δ + 1 ticks after the crash',
  links: 'suspects an unreachable node (crashed, paused or cut off) after 2Δ + 1 ticks',
};

/** Reads both kinds. Commander adds the name of the flag to errors. */
export function readDetector(text: string): DetectorChoice {
  const beside = DETECTORS_BESIDE.find((name) => name === text);
  if (beside !== undefined) return beside;
  if (!DETECTOR_NAMES.some((name) => name === text.split(':', 1)[0])) {
    const names = [...DETECTORS_BESIDE, ...DETECTOR_NAMES];
    const meant = meantText(names, text.split(':', 1)[0] ?? '');
    throw new InvalidArgumentError(
      `expected one of ${names.join(', ')}${meant}; --list detectors prints their options`,
    );
  }
  return refusing(parseDetector)(text);
}

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
