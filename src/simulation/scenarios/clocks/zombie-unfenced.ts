/**
 * @module
 * A paused leader wakes up and writes, and nobody stops it: its lease is over, another leads and has
 * written, and the resource takes every write. So it goes with every protocol whose leaders learn from
 * their own clocks that they lead no more.
 */

import type { PlayedRun } from '../played-run.ts';
import { defineScenario } from '../scenario.ts';
import type { StagedZombie, Zombie } from './zombie.ts';
import { stageZombie, takeOverTicks, tellZombies, zombieOf } from './zombie.ts';

const RUNS: readonly StagedZombie[] = [
  { name: 'db-lease', protocol: 'db-lease', resource: 'unfenced' },
  { name: 'lease-local', protocol: 'lease-local', resource: 'unfenced' },
  { name: 'zk-recipe', protocol: 'zk-recipe', resource: 'unfenced' },
];

type Unfenced = { readonly [run: string]: Zombie };

export const ZOMBIE_UNFENCED = defineScenario<Unfenced>({
  name: 'zombie-unfenced',
  aliases: ['zombie'],
  title: 'A leader pauses beyond its lease, wakes up and overwrites its successor',
  explanation:
    'At the tick at which the paused node resumes, timer work:write fires before timer lease, and WRITE carries the old epoch to a resource that has taken writes of a higher one. To look at the clock before each write does not help: the pause may come between the look and the write. Compare zombie-fenced.',
  source:
    'M. Kleppmann, How to do distributed locking, 2016; C. Gray and D. Cheriton, Leases, SOSP 1989: bounds how long a holder acts by its own clock',
  nodes: { usual: 5, min: 2, max: 32 },
  stage: (setting) => RUNS.map((run) => stageZombie(setting, run)),
  expect: () =>
    Object.fromEntries(
      RUNS.map(({ name }) => [name, { accepted: 1, refused: 0, stale: 1, together: true }]),
    ),
  observe: (runs) => Object.fromEntries(runs.map((run) => [run.name, zombieOf(run)])),
  describe: tellZombies,
  figures: takeOvers,
});

/** Ticks from the pause to the next leader, of each run. */
function takeOvers(runs: readonly PlayedRun[]): { readonly [name: string]: number } {
  return Object.fromEntries(runs.map((run) => [`takeOverTicks ${run.name}`, takeOverTicks(run)]));
}
