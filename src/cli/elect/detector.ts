/**
 * @module
 * `--detector`: one of the two that stand beside a run and cost nothing, or one that runs on the nodes
 * and sends messages, in its text form with its options.
 */

import { InvalidArgumentError } from 'commander';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { DETECTOR_NAMES, detectorText, parseDetector } from '../../election/detectors/registry.ts';
import { LabError } from '../../errors.ts';
import type { Schedule } from '../../simulation/faults/schedule.ts';

/** Part of the schedule. */
export const DETECTORS_BESIDE = ['crashes', 'links'] as const satisfies Schedule['detector'][];
type DetectorBeside = (typeof DETECTORS_BESIDE)[number];

export type DetectorChoice = DetectorBeside | DetectorSpec;

/** Both without messages; Δ is the longest latency. */
export const BESIDE_RULES: Readonly<Record<DetectorBeside, string>> = {
  crashes: 'the default: suspects a crashed node 2Δ + 1 ticks later',
  links: 'suspects 2Δ + 1 ticks later a node that cannot be reached: crashed, paused, or cut off',
};

/** Reads either form; commander adds the flag's name to what is refused. */
export function readDetector(text: string): DetectorChoice {
  const beside = DETECTORS_BESIDE.find((name) => name === text);
  if (beside !== undefined) return beside;
  if (!DETECTOR_NAMES.some((name) => name === text.split(':', 1)[0])) {
    const names = [...DETECTORS_BESIDE, ...DETECTOR_NAMES].join(', ');
    throw new InvalidArgumentError(`expected one of ${names}; --list detectors has their options`);
  }
  try {
    return parseDetector(text);
  } catch (error) {
    if (error instanceof LabError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** The detector that runs on the nodes, or by a script; undefined for one that the schedule names. */
export function detectorOnNodes(choice: DetectorChoice | undefined): DetectorSpec | undefined {
  return typeof choice === 'object' ? choice : undefined;
}

/** The detector beside the run; undefined where none is named. */
export function detectorBeside(choice: DetectorChoice | undefined): DetectorBeside | undefined {
  // A detector on the nodes replaces it, whatever a file says.
  return typeof choice === 'object' ? 'crashes' : choice;
}

/** The text that `readDetector` reads as this. */
export function detectorChoiceText(choice: DetectorChoice): string {
  return typeof choice === 'object' ? detectorText(choice) : choice;
}
