/**
 * @module
 * Every protocol under schedules drawn from seeds, all kinds of faults among them: `FAULT_RUNS` runs a
 * protocol. Each run ends by its deadline, accounts for every message of every link, and breaks no
 * more than is said of its protocol below. The traces are the same when the runs are made again, here
 * and in another process.
 */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import type { AlgorithmName } from '../../src/election/registry.ts';
import { ALGORITHM_NAMES } from '../../src/election/registry.ts';
import { digestOfRuns, drawnRun, runTraced } from './fault-matrix/digests.ts';
import type { SafetyProperty } from './fault-matrix/judge.ts';
import { judgeSimulation } from './fault-matrix/runs.ts';

const RUNS = Number(process.env.FAULT_RUNS ?? 200);
/** The tick of the calm, 200, and the 2000 in which an election must have come about. */
const DEADLINE_TICKS = 2200;

/**
 * What some run of each protocol breaks while its members are the same. Rings that let only the highest
 * pass break nothing; the others assume time-outs that fit, numbers that are kept, links in order, or
 * a detector that does not err (see fault-matrix/cells.ts).
 */
const UNSAFE: Readonly<Record<AlgorithmName, readonly SafetyProperty[]>> = {
  'bully-oneshot': ['S1', 'S2', 'S3'],
  'bully-gm82': ['S1', 'S2', 'S3'],
  'bully-2phase': ['S1', 'S2', 'S3'],
  'bully-nextinline': ['S1', 'S2', 'S3'],
  'bully-improved': ['S1', 'S2', 'S3'],
  'bully-modified': ['S1', 'S2', 'S3'],
  'ring-lelann': ['S1', 'S2', 'S3'],
  'ring-collect': [],
  'ring-maxtoken': [],
  'cr-join': [],
  'cr-replace': [],
  'cr-always': [],
  'ring-attr': [],
  'hs-wake': [],
  'hs-slide': [],
  peterson: ['S1', 'S2', 'S3'],
  'peterson-prose': ['S1', 'S2'],
  'ring-robust': ['S1', 'S2', 'S3'],
  'ring-robust:peterson': ['S1', 'S2', 'S3'],
  'itai-rodeh': ['S2'],
};

/** With a newcomer, of whom others hear at different times, any ring that names ranks may break. */
const UNSAFE_WITH_NEWCOMER: readonly SafetyProperty[] = ['S1', 'S2', 'S3'];

/**
 * Those that may still be at it when time is up: Peterson's prose, whose relays pass on what nobody
 * takes off the ring, and two that ask on for ever where an announcement came too late: nodes that
 * wait for a higher one which has nothing to say, or follow one that has died.
 */
const RESTLESS: readonly AlgorithmName[] = ['peterson-prose', 'bully-gm82', 'bully-modified'];

describe.each(ALGORITHM_NAMES)('%s', (algorithm) => {
  it('ends every run in time, with every message accounted for, and breaks nothing else', () => {
    const surprises: string[] = [];
    const ends = new Set<string>();

    for (let number = 0; number < RUNS; number += 1) {
      const options = drawnRun(algorithm, number);
      const { simulation, bound } = runTraced(options);
      const hasNewcomer = simulation.plan.absent.length > 0 && algorithm !== 'itai-rodeh';
      const allowed = hasNewcomer ? UNSAFE_WITH_NEWCOMER : UNSAFE[algorithm];
      const { ticks, agreed } = simulation.status();
      for (const { property, what, at } of judgeSimulation(simulation)) {
        if (property === 'L' || allowed.includes(property)) continue;
        surprises.push(`seed ${number}: ${property} at ${at}, ${what}`);
      }
      if (ticks > DEADLINE_TICKS) surprises.push(`seed ${number}: went on until ${ticks}`);
      if (bound !== 'idle' && !RESTLESS.includes(algorithm)) {
        surprises.push(`seed ${number}: ended by ${bound}`);
      }
      ends.add(agreed ? 'leader' : 'none');
    }

    expect(surprises).toEqual([]);
    // Faults that never prevented an election would show nothing.
    expect([...ends].toSorted()).toEqual(['leader', 'none']);
  });
});

describe('the same seeds', () => {
  it('give the same traces again, and in another process', async () => {
    const elsewhere = digestsElsewhere();
    const slice = Math.min(RUNS, 40);

    const here = ALGORITHM_NAMES.map((algorithm) => digestOfRuns(algorithm, RUNS));
    const first = ALGORITHM_NAMES.map((algorithm) => digestOfRuns(algorithm, slice));
    const again = ALGORITHM_NAMES.map((algorithm) => digestOfRuns(algorithm, slice));

    expect(again).toEqual(first);
    expect(await elsewhere).toEqual(here);
    expect(new Set(here).size).toBe(here.length);
  });
});

/** The digest of every protocol's runs, by one child process. */
async function digestsElsewhere(): Promise<unknown> {
  const module = fileURLToPath(new URL('fault-matrix/digests.ts', import.meta.url));
  const program = `
    import { digestOfRuns } from ${JSON.stringify(module)};
    const digests = ${JSON.stringify(ALGORITHM_NAMES)}.map((name) => digestOfRuns(name, ${RUNS}));
    process.stdout.write(JSON.stringify(digests));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program,
  ]);
  return JSON.parse(stdout);
}
