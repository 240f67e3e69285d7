/**
 * @module
 * The same paused leaders, and a resource that looks at the epoch of each write. It refuses the late
 * one if it has seen a higher epoch, in a write or in a registration. A fence knows no more than that:
 * a zombie that wakes before its successor has come to the resource is let through, and harms nobody
 * yet.
 */

import { defineScenario } from '../scenario.ts';
import type { StagedZombie, Zombie } from './zombie.ts';
import { stageZombie, tellZombies, zombieOf } from './zombie.ts';

const NOT_YET = 'db-lease before fencing-register, not registered yet';

const RUNS: readonly StagedZombie[] = [
  { name: 'db-lease before fencing-max', protocol: 'db-lease', resource: 'fencing-max' },
  { name: 'lease-local before fencing-max', protocol: 'lease-local', resource: 'fencing-max' },
  { name: 'zk-recipe before fencing-max', protocol: 'zk-recipe', resource: 'fencing-max' },
  { name: 'db-lease before fencing-register', protocol: 'db-lease', resource: 'fencing-register' },
  { name: NOT_YET, protocol: 'db-lease', resource: 'fencing-register', early: true },
];

type Fenced = { readonly [run: string]: Zombie };

export const ZOMBIE_FENCED = defineScenario<Fenced>({
  name: 'zombie-fenced',
  aliases: ['fencing'],
  title: 'The same zombie before a resource that knows epochs',
  explanation: `The late WRITE is answered REFUSED, with the epoch that it fell behind. In the run "${NOT_YET}" the successor's REGISTER is lost and the zombie wakes a tick later: its write is accepted, since nothing of the new epoch has come to the resource, and the successor, which writes only once it is registered, comes after it. The protocols are those of zombie-unfenced, and two still lead at once.`,
  source:
    'M. Burrows, The Chubby lock service, OSDI 2006, section 2.4: sequencers; M. Kleppmann, How to do distributed locking, 2016: fencing tokens',
  nodes: { usual: 5, min: 2, max: 32 },
  stage: (setting) => RUNS.map((run) => stageZombie(setting, run)),
  expect: () =>
    Object.fromEntries(
      RUNS.map(({ name, early = false }) => [
        name,
        { accepted: early ? 1 : 0, refused: early ? 0 : 1, stale: 0, together: true },
      ]),
    ),
  observe: (runs) => Object.fromEntries(runs.map((run) => [run.name, zombieOf(run)])),
  describe: tellZombies,
});
