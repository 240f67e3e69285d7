/**
 * @module
 * How an election of a run was held, and the same as plain data: a saved run, which holds it again.
 */

import { planSimulation } from '../../simulation/plan/options.ts';
import type { SimulationOptions } from '../../simulation/plan/plan.ts';
import type { SavedContent } from '../../simulation/report/saved-run.ts';
import { savedRunOf } from '../../simulation/report/saved-run.ts';

/** The options of an election, and when the run ended it. */
export interface HeldElection {
  readonly options: SimulationOptions;
  /** The tick to which it was watched, or `idle` if it was held until it rested. */
  readonly until: number | 'idle';
}

/** An election of a single run. All of its live nodes start at tick 0. */
export interface SavedElection extends Pick<HeldElection, 'until'> {
  readonly protocol: string;
  /** The election as `usurp elect --save` writes it. */
  readonly saved: SavedContent;
}

/** The election as data. */
export function savedElection({ options, until }: HeldElection): SavedElection {
  const untilTicks = until === 'idle' ? options.untilTicks : until;
  const plan = planSimulation({ ...options, untilTicks });
  return {
    protocol: options.protocol,
    until,
    saved: savedRunOf(plan, { initiators: null, digest: null }),
  };
}
