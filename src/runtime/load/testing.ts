/**
 * @module
 * What a test of the user imports from 'usurp/testing'. It is apart from 'usurp', because a file with
 * definitions must not load code that lists their names.
 */

import { parseDetector } from '../../election/detectors/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { parseSeed } from '../../random.ts';
import type { ElectionOptions, ElectionOutcome } from '../../simulation/run/simulate.ts';
import { simulateElection } from '../../simulation/run/simulate.ts';

/** An election with names as plain strings. Ranks are 1..nodes. */
export interface Trial extends Omit<ElectionOptions, 'protocol' | 'seed' | 'detector'> {
  readonly protocol: string;
  /** A detector on the nodes, written as for `--detector`. By default a perfect one outside of them. */
  readonly detector?: string;
  /** A decimal number. */
  readonly seed: string;
}

/** Holds an election in the simulator. The same trial gives the same outcome. Throws LabError. */
export function holdElection({ protocol, seed, detector, ...options }: Trial): ElectionOutcome {
  const name = PROTOCOL_NAMES.find((each) => each === protocol);
  if (name === undefined) {
    const detail = `protocol ${protocol}: expected one of ${PROTOCOL_NAMES.join(', ')}`;
    throw new LabError('arguments', detail);
  }
  return simulateElection({
    ...options,
    protocol: name,
    seed: parseSeed(seed),
    detector: detector === undefined ? undefined : parseDetector(detector),
  });
}
