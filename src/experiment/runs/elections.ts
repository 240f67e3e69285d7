/**
 * @module
 * The elections of one run: every protocol of the document, one after the other, among the same
 * population, from its own seed, so that adding a protocol changes no other election.
 */

import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import { simulateElection } from '../../simulation/run/simulate.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import type { ElectionResult, Winner } from './tally.ts';

/** Who holds each rank, from rank 1 (the lowest node ID) to rank n. */
export type Population = readonly ('honest' | 'adversary')[];

/** Holds them; `runSeed` is the seed of the run. */
export function holdElections(
  model: ThreatModel,
  population: Population,
  runSeed: Seed,
): readonly ElectionResult[] {
  const latency = parseLatency(String(model.network.election.latency));
  return model.network.election.protocols.map((protocol) => {
    const outcome = simulateElection({
      protocol,
      nodes: population.length,
      ring: 'shuffled',
      latency,
      seed: deriveSeed(runSeed, 'election', protocol),
    });
    // An election that was cut off may still change its mind.
    const leader = outcome.agreed && outcome.bound === 'idle' ? outcome.leader : null;
    return {
      protocol,
      winner: winnerAt(population, leader),
      highestLeads: leader === population.length,
      messages: outcome.messages.total ?? 0,
    };
  });
}

function winnerAt(population: Population, leader: number | null): Winner {
  if (leader === null) return 'none';
  const winner = population[leader - 1];
  if (winner === undefined) {
    throw new RangeError(`"leader" expected 1..${population.length}, got ${leader}`);
  }
  return winner;
}
