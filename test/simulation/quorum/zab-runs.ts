/**
 * @module
 * Zab's leader election under drawn faults, as data, and who led in a traced run.
 */

import type { FaultKind } from '../../../src/election/definition/drawn-faults.ts';
import { fromRank } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import { drawSchedule } from '../../../src/simulation/faults/draw.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

/** All but newcomers, since the members are fixed, and disks that forget. */
const FAULTS: readonly FaultKind[] = [
  ...(['crash', 'restart', 'pause', 'isolate', 'halves', 'minority'] as const),
  ...(['majorities-ring', 'one-way', 'links', 'loss', 'duplication'] as const),
  ...(['reordering', 'blackout', 'slowdown', 'skew', 'drift', 'churn'] as const),
];

/** Time-outs from generous to too short for a latency of 9: many elections get in each other's way. */
export const SILENCES = [190, 100, 70] as const;

/** Run `number` of 3, 4 or 5 nodes: faults for 1500 ticks, then a calm. */
export function zabRun(
  number: number,
  options: { readonly silenceTicks: number; readonly restart: boolean },
): SimulationOptions {
  const seed = parseSeed(String(number));
  const nodes = 3 + (number % 3);
  const schedule = drawSchedule(seed, {
    ...{ name: 'swarm', nodes, kinds: FAULTS, detector: 'crashes' },
    ...{ electionTicks: 150, calmAt: 1500, calmTicks: 4000, restart: options.restart },
  });
  return {
    protocol: 'zab-fle',
    nodes,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    fifo: number % 2 === 0,
    flags: {
      silenceTicks: String(options.silenceTicks),
      finalizeWaitTicks: String(1 + (number % 20)),
      heartbeatTicks: String(5 + (number % 16)),
    },
    schedule,
    trace: true,
  };
}

export interface Reign {
  readonly rank: number;
  readonly epoch: number;
  readonly at: number;
}

/** Every time a node began to lead: it alone sets a heartbeat in the same step. */
export function reignsOf(simulation: Simulation): Reign[] {
  return simulation.records().flatMap(({ t, effects }) => {
    const leads = effects.some(
      (effect) => effect.type === 'set-timer' && effect.timer === 'heartbeat',
    );
    return effects.flatMap((effect) =>
      leads && effect.type === 'elect'
        ? [{ rank: fromRank(effect.leader), epoch: effect.epoch, at: t }]
        : [],
    );
  });
}

/** What went wrong in the first `runs` of them, and how many had more than one leader in turn. */
export function brokenZabRuns(runs: number, options: Parameters<typeof zabRun>[1]) {
  const broken: { readonly number: number; readonly reason: string }[] = [];
  let overthrown = 0;
  for (let number = 0; number < runs; number += 1) {
    const simulation = createSimulation(zabRun(number, options));
    const { verdict, bound } = runElection(simulation);
    const reigns = reignsOf(simulation);
    const epochs = new Set(reigns.map(({ epoch }) => epoch));
    if (verdict.value !== 'true') broken.push({ number, reason: verdict.reason });
    if (bound !== 'idle') broken.push({ number, reason: 'no agreed leader lasted' });
    if (epochs.size < reigns.length) broken.push({ number, reason: JSON.stringify(reigns) });
    if (epochs.size > 1) overthrown += 1;
  }
  return { broken, overthrown };
}
