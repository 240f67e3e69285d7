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

import type { SafetyProperty } from '../../../src/election/definition/fault-row.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { hasVotes } from '../fault-matrix/ballots.ts';
import { digestOfRuns, drawnRun, rememberingRun, runTraced } from '../fault-matrix/digests.ts';
import { judgeSimulation } from '../fault-matrix/runs.ts';

const RUNS = Number(process.env.FAULT_RUNS ?? 50);
/** Of those, how many are made three times. */
const DIGESTED = RUNS / 8;
/** The tick of the calm, 200, and the 2000 in which an election must have come about. */
const DEADLINE_TICKS = 2200;

/** What takes several faults together. */
const UNSTATED: Readonly<Partial<Record<ProtocolName, readonly SafetyProperty[]>>> = {
  'zab-fle': ['S2'],
};

/**
 * What some run of each protocol breaks while its members are the same. Rings that let only the highest
 * pass break nothing; the others assume time-outs that fit, numbers that are kept, links in order, or
 * a detector that does not err (see fault-matrix/cells.ts). Where votes number epochs, an epoch has two
 * leaders only where a disk has forgotten a vote, and none of them gives way to the other. Where a
 * store numbers them it never has; that two lead at a moment takes a pause or a clock that is off.
 */
const UNSAFE = Object.fromEntries(
  PROTOCOL_NAMES.map((name) => [name, [...statedBy(name), ...(UNSTATED[name] ?? [])]]),
);

/** What its definition states for the faults of these runs, in which records are never torn. */
function statedBy(name: ProtocolName): readonly SafetyProperty[] {
  const rows = Object.entries(PROTOCOLS[name].faults).filter(([fault]) => fault !== 'torn-record');
  const found = rows.flatMap(([, { breaks, rarely }]) => [...breaks, ...rarely]);
  return [...new Set(found.filter((property) => property !== 'L'))];
}

/** What is left of that where no disk forgets: a lost COMMIT, and a master that sleeps. */
const UNSAFE_WITH_DISKS: Readonly<Partial<Record<ProtocolName, readonly SafetyProperty[]>>> = {
  'zk-slide-quorum': ['S2'],
  'quorum-lease': ['M'],
};

/**
 * With a newcomer, of which others learn at different times, any ring that names ranks may break, and
 * majorities of different members need not intersect. Itai and Rodeh name no ranks, a store no members.
 */
const UNSAFE_WITH_NEWCOMER: readonly SafetyProperty[] = ['S1', 'M', 'S2', 'S3', 'S4'];

/**
 * The protocols that may not rest within the time: Peterson's prose, whose relays forward messages that no
 * node removes from the ring, and two that ask forever after a late announcement: their nodes wait for
 * a higher one that does not answer, or follow a crashed one.
 */
const RESTLESS: readonly ProtocolName[] = ['peterson-prose', 'bully-gm82', 'bully-modified'];

/** Those in which two leaders of an epoch, once a disk has forgotten, stand side by side for good. */
const RESTLESS_WITHOUT_DISKS: readonly ProtocolName[] = ['raft', 'zk-slide-quorum'];

/** Those that never fall silent, or that begin a new epoch as soon as the faults are over. */
const RECOVERING = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].unique === 'epoch');
const VOTING = PROTOCOL_NAMES.filter(hasVotes);

describe.each(PROTOCOL_NAMES)('%s', (protocol) => {
  it('ends every run in time, with every message accounted for, and breaks nothing else', () => {
    const mayBeRestless = [...RESTLESS, ...RESTLESS_WITHOUT_DISKS].includes(protocol);

    const { surprises, ends, changes } = breachesOf(
      (number) => drawnRun(protocol, number),
      (simulation) => allowedIn(simulation),
      mayBeRestless,
    );

    expect(surprises).toEqual([]);
    // Faults that never prevented an election, or never ended a reign, would show nothing.
    if (RECOVERING.includes(protocol)) expect(changes).toBeGreaterThan(RUNS / 20);
    else expect([...ends].toSorted()).toEqual(['leader', 'none']);
  });
});

describe.each(VOTING)('%s, while disks remember and members stay', (protocol) => {
  it('never has two leaders in an epoch, counts a vote twice or goes back to an older term', () => {
    const allowed = UNSAFE_WITH_DISKS[protocol] ?? [];

    const { surprises, changes } = breachesOf(
      (number) => rememberingRun(protocol, number),
      () => allowed,
      false,
    );

    expect(surprises).toEqual([]);
    expect(changes).toBeGreaterThan(RUNS / 20);
  });
});

function allowedIn({ plan }: Simulation): readonly SafetyProperty[] {
  const { absent, protocol } = plan;
  const isAnybodyIn = protocol === 'itai-rodeh' || PROTOCOLS[protocol].family === 'lease';
  if (absent.length === 0 || isAnybodyIn) return UNSAFE[protocol] ?? [];
  // Coordinators of groups number them apart, also without newcomers.
  const own = PROTOCOLS[protocol].family === 'groups' ? (UNSAFE[protocol] ?? []) : [];
  return [...UNSAFE_WITH_NEWCOMER, ...own];
}

/** What `RUNS` runs do that they must not, in words; how they end; in how many the epoch changed. */
function breachesOf(
  draw: (number: number) => SimulationOptions,
  allowedOf: (simulation: Simulation) => readonly SafetyProperty[],
  mayBeRestless: boolean,
) {
  const surprises: string[] = [];
  const ends = new Set<string>();
  let changes = 0;
  for (let number = 0; number < RUNS; number += 1) {
    const { simulation, bound } = runTraced({ ...draw(number), audit: true });
    const allowed = allowedOf(simulation);
    const { ticks, agreed } = simulation.status();
    for (const { property, what, at } of judgeSimulation(simulation)) {
      if (property === 'L' || allowed.includes(property)) continue;
      surprises.push(`seed ${number}: ${property} at ${at}, ${what}`);
    }
    if (ticks > DEADLINE_TICKS) surprises.push(`seed ${number}: went on until ${ticks}`);
    if (bound !== 'idle' && !mayBeRestless) surprises.push(`seed ${number}: ended by ${bound}`);
    ends.add(agreed ? 'leader' : 'none');
    if ((simulation.audit()?.finish(ticks).epochs ?? 0) > 1) changes += 1;
  }
  return { surprises, ends, changes };
}

describe('the same seeds', () => {
  it('give the same traces again, and in another process', async () => {
    const elsewhere = digestsElsewhere();

    const here = PROTOCOL_NAMES.map((protocol) => digestOfRuns(protocol, DIGESTED));
    const again = PROTOCOL_NAMES.map((protocol) => digestOfRuns(protocol, DIGESTED));

    expect(again).toEqual(here);
    expect(await elsewhere).toEqual(here);
    expect(new Set(here).size).toBe(here.length);
  });
});

/** The digest of every protocol's runs, by one child process. */
async function digestsElsewhere(): Promise<unknown> {
  const module = fileURLToPath(new URL('../fault-matrix/digests.ts', import.meta.url));
  const program = `
    import { digestOfRuns } from ${JSON.stringify(module)};
    const digests = ${JSON.stringify(PROTOCOL_NAMES)}.map((name) => digestOfRuns(name, ${DIGESTED}));
    process.stdout.write(JSON.stringify(digests));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program,
  ]);
  return JSON.parse(stdout);
}
