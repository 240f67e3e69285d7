/**
 * @module
 * The history of clients: what a node has refused can still happen if the network copies messages and nodes forget which
 * questions they have accepted.
 */

import { expect, it } from 'vitest';

import { linearize } from '../../../src/checking/histories/linearizability.ts';
import { registerModel } from '../../../src/checking/histories/register.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

/** In these runs a client reads what it had been refused, if refusals count as certain. */
it.each(['88', '183'])('is linearizable although questions arrive twice (seed %s)', (text) => {
  const seed = parseSeed(text);
  const random = createRandom(seed, 'x');
  const faults: ScheduledFault[] = [
    { type: 'duplication', share: 0.5, from: 0, to: 1500 },
    { type: 'reordering', share: 0.5, ticksMax: 60, from: 0, to: 1500 },
  ];
  for (let count = 0; count < 12; count += 1) {
    const at = 300 + random.below(1000);
    const rank = 1 + random.below(3);
    faults.push({ type: 'crash', rank, at });
    faults.push({ type: 'restart', rank, at: at + 1 + random.below(20), amnesia: false });
  }
  const simulation = createSimulation({
    protocol: 'raft',
    flags: { log: 'on', electionTicks: '100', spreadTicks: '60' },
    nodes: 3,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    schedule: { faults, calm: null, detector: 'crashes' },
    clients: { count: 3, reads: 'leader', patienceTicks: 60 },
    untilTicks: 2500,
  });

  runElection(simulation, undefined);

  const history = simulation.history() ?? [];
  expect(history.some(({ returned }) => returned === null)).toBe(true);
  expect(linearize(registerModel(), history).value).toBe('true');
});
