/**
 * @module
 * The storm of storm.ts over the same protocol, whose nodes hold back after a return: the highest one
 * defers to whoever leads for a back-off that doubles with each return, and it is gone again before
 * that is over. Leadership changes once, at the first crash, and once more when it has stayed.
 */

import { PROTOCOLS } from '../../../election/registry.ts';
import { createReturnBackOff } from '../../../election/return-back-off.ts';

import { defineScenario, runNamed } from '../scenario.ts';
import type { Storm } from './storm.ts';
import {
  STORM_CYCLES,
  STORM_LATENCY,
  seenOf,
  stageStorm,
  stormFigures,
  tellStorm,
} from './storm.ts';

const RUN = 'storm with back-off';

export const STORM_BACKOFF = defineScenario<Storm>({
  name: 'storm-backoff',
  aliases: ['incumbency'],
  title: 'The same storm, and returned nodes that hold back',
  explanation:
    'Node n says that it is back (HOLD_ASK), n-1 that it leads (HOLD_LEADER), and nobody asks anybody else (ELECTION) after the first crash. Long after the storm n stands (HOLD_STAND), n-1 gives way, and n leads. It holds back of its own will: a cheat would not, and the answer to one is to freeze the ranking for the epoch.',
  source:
    'R. M. Metcalfe and D. R. Boggs, Ethernet, CACM 19(7), 1976: binary exponential back-off; H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982',
  nodes: { usual: 5, min: 2, max: 64 },
  stage(setting) {
    const timing = { latencyTicksMax: STORM_LATENCY.ticksMax };
    const machine = createReturnBackOff(PROTOCOLS['bully-oneshot'].create(timing), timing);
    return [stageStorm(setting, { name: RUN, machineOf: () => machine })];
  },
  expect: (nodes) => ({
    changes: 1,
    electing: Array.from({ length: STORM_CYCLES }, (_, cycle) =>
      cycle === 0 ? firstOf(nodes) : 0,
    ),
    afterwards: [nodes],
  }),
  observe: (runs) => seenOf(runNamed(runs, RUN)),
  describe: tellStorm,
  figures(runs) {
    const run = runNamed(runs, RUN);
    const last = run.reigns.at(-1);
    return { ...stormFigures(run), takesOverAt: last?.from ?? 0 };
  },
});

/** The election after the first crash, in which everybody asks. */
function firstOf(nodes: number): number {
  return nodes ** 2 - nodes - 1;
}
