/**
 * @module
 * `--detector`: one of the two detectors that observe the run from outside and send no messages, or one
 * that runs on the nodes and sends messages, with its options.
 */

import { InvalidArgumentError } from 'commander';
import { DETECTOR_NAMES, parseDetector } from '../../election/detectors/registry.ts';
import { meantText } from '../../experiment/reading/nearest.ts';
import type { DetectorBeside, DetectorChoice } from '../../simulation/request/detector-choice.ts';
import { DETECTORS_BESIDE } from '../../simulation/request/detector-choice.ts';
import { refusing } from '../shell/arguments.ts';

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
