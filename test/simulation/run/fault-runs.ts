/**
 * @module
 * Random elections with crashes and returns, as data: the same number gives the same run.
 */

import type { ProtocolName } from '../../../src/election/registry.ts';
import type { Random } from '../../../src/random.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { Fault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';

export interface FaultRunOptions {
  readonly protocol: ProtocolName;
  /** Whether every node that crashed returns in the end. */
  readonly heals: boolean;
}

/** Run `number`: 2 to 6 nodes, latencies of 1 to 10 ticks, up to four crashes or returns. */
export function faultRun(number: number, options: FaultRunOptions): SimulationOptions {
  const seed = parseSeed(String(number));
  const random = createRandom(seed, 'fault-run');
  const nodes = 2 + random.below(5);
  return {
    protocol: options.protocol,
    nodes,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 1 + random.below(10) },
    faults: drawFaults(random, nodes, options.heals),
    // Long after the last fault, so that only an election without end is cut off.
    untilTicks: 10_000,
  };
}

function drawFaults(random: Random, nodes: number, heals: boolean): Fault[] {
  const faults: Fault[] = [];
  const down = new Set<number>();
  let at = 0;
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    at += random.below(random.below(2) === 0 ? 20 : 100);
    const rank = 1 + random.below(nodes);
    if (down.delete(rank)) {
      faults.push({ type: 'recover', rank, at });
    } else if (down.size < nodes - 1) {
      down.add(rank);
      faults.push({ type: 'crash', rank, at });
    }
  }
  for (const rank of heals ? down : []) {
    at += random.below(40);
    faults.push({ type: 'recover', rank, at });
  }
  return faults;
}
