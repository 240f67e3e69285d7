/**
 * @module
 * Runs several protocols under the same seeds to the same tick, and compares them.
 */

import type { ProtocolName } from '../../../src/election/registry.ts';
import { LabError } from '../../../src/errors.ts';
import type { Seed } from '../../../src/random.ts';
import { assertInteger } from '../../../src/simulation/plan/assertions.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import { TICKS_LIMIT } from '../../../src/simulation/plan/time-limits.ts';
import type { ComparedProtocol } from '../../../src/simulation/report/comparison.ts';
import {
  comparedRun,
  createComparison,
  inNameOf,
} from '../../../src/simulation/report/comparison.ts';
import type { ElectionOptions } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

export interface ComparisonOptions extends Omit<ElectionOptions, 'protocol' | 'flags' | 'seed'> {
  /** Each once. */
  readonly protocols: readonly ProtocolName[];
  readonly seeds: readonly Seed[];
  /** Every run ends after the events of this tick. */
  readonly horizonTicks: number;
}

/** Throws LabError `arguments`, before the first run, for what one of the protocols cannot have. */
export function compareProtocols(options: ComparisonOptions): readonly ComparedProtocol[] {
  const { protocols, seeds, horizonTicks, initiators, ...shared } = options;
  assertInteger('horizonTicks', horizonTicks, { min: 1, max: TICKS_LIMIT });
  const [first] = seeds;
  if (first !== undefined) {
    for (const protocol of protocols) {
      inNameOf(protocol, () => planSimulation({ ...shared, protocol, seed: first }));
    }
  }
  const comparison = createComparison(protocols);
  for (const seed of seeds) {
    const runs = protocols.map((protocol) => {
      const simulation = createSimulation({ ...shared, protocol, seed, audit: true });
      simulation.start(initiators);
      return isHeld(simulation, horizonTicks) ? comparedRun(simulation) : null;
    });
    comparison.add(runs);
  }
  return comparison.report();
}

/** False if the run grows too large. */
function isHeld(simulation: Simulation, horizonTicks: number): boolean {
  try {
    simulation.advance({ until: horizonTicks });
    return true;
  } catch (error) {
    if (error instanceof LabError && error.code === 'job.size') return false;
    throw error;
  }
}
