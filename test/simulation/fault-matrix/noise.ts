/**
 * @module
 * Nodes that also speak a newer version of their protocol, and another one: what is sent beside every
 * message of the protocol is of a type that its machine, or their store, does not know.
 */

import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Message } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

/** The election of these options, among nodes that all send unknown messages. */
export function createNoisySimulation(options: SimulationOptions): Simulation {
  const cast = createCast(planSimulation(options));
  const noise = { known: PROTOCOLS[options.protocol].messageTypes, calls: cast.store !== null };
  return createSimulation(options, (rank) => noisy(cast.machineOf(rank), noise));
}

interface Noise {
  readonly known: readonly string[];
  /** Whether there is a store to call. */
  readonly calls: boolean;
}

/** Greets everybody at its start, and answers each known message by the same of a version 2. */
function noisy(machine: AnyMachine, { known, calls }: Noise): AnyMachine {
  return {
    init: machine.init,
    step(self, state, event, effects) {
      machine.step(self, state, event, effects);
      if (event.type === 'start') {
        for (const to of self.members) if (to !== self.rank) effects.send(to, { type: 'HELLO' });
        if (calls) effects.call({ type: 'HELLO' });
      }
      if (event.type === 'deliver' && known.includes(event.message.type)) {
        effects.send(event.from, newer(event.message));
      }
      if (event.type === 'reply' && known.includes(event.value.type)) {
        effects.call(newer(event.value));
        // As if the store had said it in both versions.
        machine.step(self, state, { type: 'reply', value: newer(event.value) }, effects);
      }
    },
  };
}

function newer(message: Message): Message {
  return { ...message, type: `${message.type}/2` };
}
