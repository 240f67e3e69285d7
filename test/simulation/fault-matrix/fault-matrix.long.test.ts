/**
 * @module
 * The fault matrix, run: each cell of cells.ts in `FAULT_MATRIX_SEEDS` runs, and in as many more as it
 * takes to find what it says can be found. A violation is found, named, and shrunk to a schedule that
 * still shows it and has nothing to spare.
 */

import { describe, expect, it } from 'vitest';
import type {
  FaultCell,
  FaultName,
  SafetyProperty,
} from '../../../src/election/definition/fault-row.ts';
import { FAULT_NAMES } from '../../../src/election/definition/fault-row.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import { createFaultSimulation } from '../../../src/simulation/conform/fault-nodes.ts';
import { FAULT_RUNS_MAX } from '../../../src/simulation/conform/fault-row.ts';
import { CALM_AT, CALM_TICKS } from '../../../src/simulation/conform/fault-runs.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import { shrinkSchedule } from '../../../src/simulation/faults/shrink.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import { loadRun, saveRun } from '../../../src/simulation/report/saved-run.ts';
import { judgePhases, simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';

import { hasVotes } from './ballots.ts';
import type { ColumnName } from './columns.ts';
import { COLUMN_NAMES, protocolOf } from './columns.ts';
import { runTraced } from './digests.ts';
import type { Violation } from './judge.ts';
import type { MatrixRun } from './runs.ts';
import { judgeSimulation, runCell } from './runs.ts';

const SEEDS = Number(process.env.FAULT_MATRIX_SEEDS ?? 15);

const TABLE = FAULT_NAMES.flatMap((row) =>
  COLUMN_NAMES.map((column) => {
    const cell = PROTOCOLS[protocolOf(column)].faults[row];
    return { row, column, ...cell, label: [cell.expected, ...cell.breaks].join(' ') };
  }),
).filter(({ expected }) => expected !== '-');

interface MatrixCell {
  readonly row: FaultName;
  readonly column: ColumnName;
}

interface Find {
  readonly number: number;
  readonly run: MatrixRun;
}

/** What a cell has to show: its violations, or for `stop` an election without a winner. */
type Sought = SafetyProperty | 'no-leader';

function soughtOf({ expected, breaks }: FaultCell): readonly Sought[] {
  return expected === 'stop' ? ['no-leader'] : breaks;
}

function shows({ violations, isLeaderless }: MatrixRun, sought: Sought): boolean {
  if (sought === 'no-leader') return isLeaderless;
  return violations.some(({ property }) => property === sought);
}

/** Runs a cell, checks every run, and answers the first run that shows each thing sought. */
function explore(cell: MatrixCell & FaultCell) {
  const found = new Map<Sought, Find>();
  const sought = soughtOf(cell);
  for (let number = 0; number < FAULT_RUNS_MAX; number += 1) {
    if (number >= SEEDS && found.size === sought.length) break;
    const run = runCell(cell, number);
    expect(surprisesIn(run, cell), `seed ${number}`).toEqual([]);
    for (const each of sought)
      if (!found.has(each) && shows(run, each)) found.set(each, { number, run });
  }
  return found;
}

/** What no run of a cell may do, in words. */
function surprisesIn(run: MatrixRun, cell: FaultCell): string[] {
  const { violations, bound, endTicks } = run;
  const { expected, breaks, rarely, storms, splits } = cell;
  const surprises: string[] = [];
  for (const { property, what } of violations) {
    const isAllowed =
      rarely.includes(property) ||
      (property === 'L' ? expected === 'stop' || expected === 'X' : breaks.includes(property));
    if (!isAllowed) surprises.push(`${property}: ${what}`);
  }
  if (endTicks > CALM_AT + CALM_TICKS) surprises.push(`went on until ${endTicks}`);
  if (bound !== 'idle' && !storms && !splits) surprises.push(`did not come to rest: ${bound}`);
  if (bound === 'idle') surprises.push(...disagreements(run));
  return surprises;
}

/** Where the reading of the trace and the simulation's own verdict differ. */
function disagreements({ violations, verdict, ticksSplit, options }: MatrixRun): string[] {
  const { uniqueness, agreement, termination, highestLiveWins } = verdict.properties;
  const has = (name: Violation['property']) => violations.some(({ property }) => property === name);
  const pairs = [
    { name: 'S1', here: has('S1'), there: uniqueness.value === 'false' },
    { name: 'S2', here: has('S2'), there: agreement.value === 'false' },
    { name: 'L', here: has('L'), there: termination.value === 'false' },
    // A node that follows a dead leader follows the wrong one by the verdict, and none by the trace.
    { name: 'S3', here: has('S3'), there: has('S3') && highestLiveWins.value === 'false' },
    { name: 'M', here: has('M'), there: PROTOCOLS[options.protocol].leases && ticksSplit > 0 },
  ];
  return pairs
    .filter(({ here, there }) => here !== there)
    .map(({ name, here, there }) => `${name}: trace ${here}, verdict ${there} (${verdict.reason})`);
}

/** The smallest schedule that still breaks a property, and what it breaks when saved and replayed. */
function shrunk(cell: MatrixCell, { number, run }: Find, sought: SafetyProperty) {
  const breaksUnder = (schedule: Schedule) => shows(runCell(cell, number, schedule), sought);
  const small = shrinkSchedule(run.options.schedule, breaksUnder);
  const plan = planSimulation({ ...run.options, schedule: small.schedule });
  const { options } = loadRun(saveRun(plan, { initiators: null, digest: null }));
  const simulation = createFaultSimulation(cell.row, { ...options, trace: true });
  simulation.start();
  simulation.advance({ until: 'idle' });
  const violation = judgeSimulation(simulation).find(({ property }) => property === sought);
  return { ...small, violation, reason: simulation.status().verdict.reason };
}

/** As many faults as a minimal failing schedule may have, if it may have more than one. */
const FAULTS_MAX: Readonly<Partial<Record<FaultName, number>>> = {
  'swizzle-clog': 2,
  restart: 2,
  amnesia: 2,
  'clock-skew': 3,
  'clock-jump': 4,
  'torn-record': 9,
  'unknown-message': 0,
};

function faultsMax({ row, column }: MatrixCell): number {
  return row === 'amnesia' && hasVotes(protocolOf(column)) ? 9 : (FAULTS_MAX[row] ?? 1);
}

/** How a verdict says that two led: the one that was leading first. */
function ledTogether(violation: Violation | undefined): RegExp {
  const [one = 0, other = 0] = violation?.who ?? [];
  const pair = `(${one} and ${other}|${other} and ${one})`;
  const inEpoch = `in epoch \\d+, the second from ${violation?.at}`;
  return new RegExp(`^nodes ${pair} both led (at ${violation?.at}|${inEpoch})$`);
}

describe.each(FAULT_NAMES)('%s', (row) => {
  const cells = TABLE.filter((each) => each.row === row);

  it.each(cells)('$column: $label; $why', (cell) => {
    const found = explore(cell);

    expect([...found.keys()].toSorted()).toEqual([...soughtOf(cell)].toSorted());
    for (const [sought, find] of found) {
      if (sought === 'no-leader') continue;
      const { schedule, minimal, violation, reason } = shrunk(cell, find, sought);
      const label = `${sought} at seed ${find.number}: ${JSON.stringify(schedule.faults)}`;
      expect(violation, label).toMatchObject({ property: sought });
      expect(violation?.who.length, label).toBeGreaterThan(0);
      // The simulation names the same two, at the same tick.
      if (sought === 'S1') expect(reason, label).toMatch(ledTogether(violation));
      expect(minimal, label).toBe(true);
      expect(schedule.faults.length, label).toBeLessThanOrEqual(faultsMax(cell));
    }
  });
});

describe('an unknown message', () => {
  it.each(PROTOCOL_NAMES)('%s: is counted, and changes nothing', (protocol) => {
    const options = { protocol, nodes: 6, seed: SEED, trace: true };
    const known = PROTOCOLS[protocol].messageTypes;
    const quiet = createSimulation(options);
    const noisy = createFaultSimulation('unknown-message', options);

    for (const simulation of [quiet, noisy]) {
      simulation.start();
      simulation.advance({ until: 'idle' });
    }

    const { total = 0, ...byType } = noisy.status().messages;
    const unknown = Object.keys(byType).filter((type) => !known.includes(type));
    expect(unknown).toContain('HELLO');
    expect(known.some((type) => unknown.includes(`${type}/2`))).toBe(true);
    expect(byType).toMatchObject(omitTotal(quiet.status().messages));
    expect(Object.values(byType).reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(noisy.nodes()).toEqual(quiet.nodes());
    expect(noisy.status().agreed).toBe(true);
  });
});

function omitTotal({ total: _total, ...byType }: Readonly<Record<string, number>>) {
  return byType;
}

describe('a leader that was isolated', () => {
  it('is alone again once the cut has healed, if it was long enough to be suspected', () => {
    const cut = { kind: 'isolate', rank: 5 } as const;

    for (let number = 0; number < SEEDS; number += 1) {
      const { simulation } = runTraced({
        protocol: 'bully-oneshot',
        nodes: 5,
        latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
        seed: parseSeed(String(number)),
        schedule: {
          faults: [{ type: 'partition', cut, from: 60, to: 120 + (number % 60) }],
          calm: { at: CALM_AT, ticks: CALM_TICKS, restart: false },
          detector: 'links',
        },
      });

      const violations = judgeSimulation(simulation).map(({ property }) => property);
      expect(violations, `seed ${number}`).toEqual(['S1']);
      expect(simulation.status(), `seed ${number}`).toMatchObject({ leader: 5, agreed: true });
    }
  });
});

describe('the majorities-ring by rank', () => {
  const cut = { kind: 'majorities-ring' } as const;
  const faults = [{ type: 'partition', cut, from: 0, to: CALM_AT }] as const;
  const calm = { at: CALM_AT, ticks: CALM_TICKS, restart: false };

  // Every node but the highest receives an answer of the rank above it, so that no other announces itself. With the
  // same ring in another order, as the matrix has it, Bully has two leaders.
  it.each([5, 7, 9])('never gives bully-oneshot two leaders among %i', (nodes) => {
    for (let number = 0; number < SEEDS; number += 1) {
      const outcome = judgePhases(
        simulateElection({
          protocol: 'bully-oneshot',
          nodes,
          latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
          seed: parseSeed(String(number)),
          schedule: { faults, calm, detector: number % 2 === 0 ? 'crashes' : 'links' },
        }),
      );

      expect(outcome.verdict.properties.uniqueness.value, `seed ${number}`).toBe('true');
    }
  });
});
