/**
 * @module
 * Nodes that also speak a newer version of their protocol, and another one: what is sent beside every
 * message of the protocol is of a type that its machine does not know.
 */

import type { AnyMachine } from '../../../src/election/algorithm.ts';
import { createCast } from '../../../src/election/cast.ts';
import type { Message } from '../../../src/election/machine.ts';
import { ALGORITHMS } from '../../../src/election/registry.ts';
import type { SimulationOptions } from '../../../src/simulation/options.ts';
import { planSimulation } from '../../../src/simulation/options.ts';
import type { Simulation } from '../../../src/simulation/simulation.ts';
import { createSimulation } from '../../../src/simulation/simulation.ts';

/** The election of these options, among nodes that all send unknown messages. */
export function createNoisySimulation(options: SimulationOptions): Simulation {
  const cast = createCast(planSimulation(options));
  const known = ALGORITHMS[options.algorithm].messageTypes;
  return createSimulation(options, (rank) => noisy(cast.machineOf(rank), known));
}

/** Greets everybody at its start, and answers each known message by the same of a version 2. */
function noisy(machine: AnyMachine, known: readonly string[]): AnyMachine {
  return {
    init: machine.init,
    step(self, state, event, effects) {
      machine.step(self, state, event, effects);
      if (event.type === 'start') {
        for (const to of self.members) if (to !== self.rank) effects.send(to, { type: 'HELLO' });
      }
      if (event.type !== 'deliver' || !known.includes(event.message.type)) return;
      const newer: Message = { ...event.message, type: `${event.message.type}/2` };
      effects.send(event.from, newer);
    },
  };
}
