/**
 * @module
 * The faults of the matrix, a row each: what a seed draws of it. Parameters are drawn once per seed
 * (number of nodes, latencies, FIFO, times and rates), so that a seed is a run. Everything stops at
 * tick 200 and 2000 ticks later the election must have come about; nobody is started again.
 */

import type { FaultName } from '../../../src/election/definition/fault-row.ts';
import { FAULT_NAMES } from '../../../src/election/definition/fault-row.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { Random } from '../../../src/random.ts';
import { createRandom, parseSeed, shuffled } from '../../../src/random.ts';
import { createCut } from '../../../src/simulation/faults/cuts.ts';
import type { Cut, Schedule, ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';

import { hasVotes } from './ballots.ts';
import type { ColumnName } from './columns.ts';
import { flagsOf, protocolOf } from './columns.ts';

export const CALM_AT = 200;
export const CALM_TICKS = 2000;
/** Everybody starts at tick 0, and most elections are over by about here. */
const BUSY_TICKS = 60;

export const ROW_NAMES = FAULT_NAMES;

export type RowName = FaultName;

export interface Row {
  /** In the words of a report. */
  readonly fault: string;
  /** Whether somebody may be out of hearing: then half of the detectors speak of that, too. */
  readonly outOfHearing: boolean;
  /** As many faults as a minimal failing schedule may have. */
  readonly faultsMax: number;
  readonly draw: Draw;
  /** For protocols that store votes, where it takes more to hit the moment that matters. */
  readonly forVoters?: Pick<Row, 'faultsMax' | 'draw'>;
}

type Draw = (random: Random, nodes: number) => readonly ScheduledFault[];

export const ROWS: Readonly<Record<RowName, Row>> = {
  drop: {
    fault: 'drop, 1-30 %',
    outOfHearing: false,
    faultsMax: 1,
    draw: (random) => [{ type: 'loss', share: (1 + random.below(30)) / 100, from: 0, to: CALM_AT }],
  },
  duplicate: {
    fault: 'duplicate, 1-50 %',
    outOfHearing: false,
    faultsMax: 1,
    draw: (random) => [
      { type: 'duplication', share: (1 + random.below(50)) / 100, from: 0, to: CALM_AT },
    ],
  },
  reorder: {
    fault: 'reorder, 1-50 %, held back 1-100 ticks',
    outOfHearing: false,
    faultsMax: 1,
    draw: (random) => [
      {
        type: 'reordering',
        share: (1 + random.below(50)) / 100,
        ticksMax: 1 + random.below(100),
        from: 0,
        to: CALM_AT,
      },
    ],
  },
  delay: {
    fault: 'delay past the time-out, 3-10 times the latency',
    outOfHearing: false,
    faultsMax: 1,
    draw: (random) => [{ type: 'slowdown', factor: 3 + random.below(8), ...drawWindow(random) }],
  },
  'clean-majority': {
    fault: 'partition, clean majority',
    outOfHearing: true,
    faultsMax: 1,
    draw: (random, nodes) => {
      // The halves of an odd number are a minority of low ranks and a majority of high ones.
      const kind = nodes % 2 === 1 && random.below(2) === 0 ? 'halves' : 'minority';
      return [{ type: 'partition', cut: { kind }, ...drawWindow(random) }];
    },
  },
  'one-way': {
    fault: 'partition, one way',
    outOfHearing: true,
    faultsMax: 1,
    draw: (random, nodes) => {
      const from = 1 + random.below(nodes);
      const to = 1 + ((from + random.below(nodes - 1)) % nodes);
      return [{ type: 'partition', cut: { kind: 'one-way', from, to }, ...drawWindow(random) }];
    },
  },
  'majorities-ring': {
    fault: 'partition, majorities-ring or bridge',
    outOfHearing: true,
    faultsMax: 1,
    draw: (random, nodes) => [
      { type: 'partition', cut: drawOverlap(random, nodes), ...drawWindow(random) },
    ],
  },
  'leader-isolated': {
    fault: 'leader isolated',
    outOfHearing: true,
    faultsMax: 1,
    draw: (random, nodes) => [
      { type: 'partition', cut: { kind: 'isolate', rank: nodes }, ...drawWindow(random) },
    ],
  },
  'swizzle-clog': {
    fault: 'swizzle-clog: nodes cut off one after the other, back in another order',
    outOfHearing: true,
    faultsMax: 2,
    draw: (random, nodes) =>
      ranksUpTo(nodes)
        .filter(() => random.below(2) === 0)
        .map((rank) => ({
          type: 'partition',
          cut: { kind: 'isolate', rank },
          ...drawWindow(random),
        })),
  },
  'crash-best': {
    fault: 'crash-stop of the best node',
    outOfHearing: false,
    faultsMax: 1,
    draw: (random, nodes) => [{ type: 'crash', rank: nodes, at: random.below(CALM_AT - 1) }],
  },
  restart: {
    fault: 'crash and restart, disk kept',
    outOfHearing: false,
    faultsMax: 2,
    draw: (random, nodes) => drawReturns(random, nodes, false),
  },
  amnesia: {
    fault: 'restart with amnesia',
    outOfHearing: false,
    faultsMax: 2,
    draw: (random, nodes) => drawReturns(random, nodes, true),
    forVoters: {
      faultsMax: 9,
      draw: (random, nodes) => drawQuickReturns(random, nodes, true),
    },
  },
  pause: {
    fault: 'pause longer than the time-out',
    outOfHearing: true,
    faultsMax: 1,
    draw: (random, nodes) => {
      const rank = 1 + random.below(nodes);
      const from = random.below(BUSY_TICKS);
      return [{ type: 'pause', rank, from, to: from + 20 + random.below(CALM_AT - from - 20) }];
    },
  },
  'clock-skew': {
    fault: 'clock skew, timers 1/8 to 8 times as long',
    outOfHearing: false,
    faultsMax: 3,
    draw: (random, nodes) =>
      ranksUpTo(nodes).map((rank) => ({
        type: 'skew',
        rank,
        numerator: 1 + random.below(8),
        denominator: 1 + random.below(8),
      })),
  },
  'torn-record': {
    fault: 'crashes and restarts, disk kept, but a record is two writes',
    outOfHearing: false,
    faultsMax: 9,
    draw: (random, nodes) => drawQuickReturns(random, nodes, false),
  },
  'unknown-message': {
    fault: 'unknown message type or newer version',
    outOfHearing: false,
    faultsMax: 0,
    draw: () => [],
  },
};

/** The run of a row under a seed; protocols that need FIFO links always have them. */
export function matrixRun(row: RowName, column: ColumnName, number: number) {
  const protocol = protocolOf(column);
  const seed = parseSeed(String(number));
  const random = createRandom(seed, 'fault-matrix', row);
  const nodes = 4 + random.below(3);
  const ticksMax = 1 + random.below(9);
  const inOrder = random.below(2) === 0;
  const { outOfHearing, draw, forVoters } = ROWS[row];
  const detector: Schedule['detector'] =
    random.below(2) === 0 && outOfHearing ? 'links' : 'crashes';
  const drawFaults = (hasVotes(protocol) ? forVoters?.draw : undefined) ?? draw;
  const faults = drawFaults(random, nodes);
  const calm = { at: CALM_AT, ticks: CALM_TICKS, restart: false };
  return {
    protocol,
    flags: flagsOf(column),
    nodes,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax },
    fifo: inOrder || PROTOCOLS[protocol].fifo,
    schedule: { faults, calm, detector },
  } satisfies SimulationOptions;
}

/**
 * Majorities that overlap. Beside the ring by rank, in which everybody but the highest hears somebody
 * higher: one in any order, and one member, the bridge, that alone hears both halves of the rest.
 */
function drawOverlap(random: Random, nodes: number): Cut {
  const lot = random.below(3);
  if (lot === 0) return { kind: 'majorities-ring' };
  const ranks = shuffled(ranksUpTo(nodes), random);
  const isRingCut = createCut({ kind: 'majorities-ring' }, nodes);
  const middle = Math.floor(nodes / 2) + 1;
  const isBridgeCut = (from: number, to: number) => from < middle && middle < to;
  const isCut = lot === 1 ? isRingCut : isBridgeCut;
  const places = ranksUpTo(nodes);
  const links = places.flatMap((from) =>
    places
      .filter((to) => from < to && isCut(from, to))
      .map((to) => [ranks[from - 1] ?? 0, ranks[to - 1] ?? 0] as const),
  );
  return { kind: 'links', links };
}

/** Half of the windows begin while an election is under way. */
function drawWindow(random: Random): { readonly from: number; readonly to: number } {
  const from = random.below(random.below(2) === 0 ? BUSY_TICKS : CALM_AT - 1);
  return { from, to: from + 1 + random.below(CALM_AT - from) };
}

/** One or two nodes crash, half of the time the best one first, and return by the calm. */
function drawReturns(random: Random, nodes: number, amnesia: boolean): ScheduledFault[] {
  return Array.from({ length: 1 + random.below(2) }, (): ScheduledFault[] => {
    const rank = random.below(2) === 0 ? nodes : 1 + random.below(nodes);
    const { from, to } = drawWindow(random);
    return [
      { type: 'crash', rank, at: from },
      { type: 'restart', rank, at: to, amnesia },
    ];
  }).flat();
}

/**
 * Some crash while votes are on their way, and are back at once: what one forgets then, another may
 * still ask for. In most runs majorities overlap, so that candidates need not hear of each other.
 */
function drawQuickReturns(random: Random, nodes: number, amnesia: boolean): ScheduledFault[] {
  const cut = drawOverlap(random, nodes);
  const isCut = random.below(4) > 0;
  const returns = ranksUpTo(nodes).flatMap((rank): ScheduledFault[] => {
    const from = BUSY_TICKS / 2 + random.below(BUSY_TICKS / 2);
    if (random.below(2) === 0) return [];
    return [
      { type: 'crash', rank, at: from },
      { type: 'restart', rank, at: from + 1 + random.below(2), amnesia },
    ];
  });
  return isCut ? [{ type: 'partition', cut, from: 0, to: CALM_AT }, ...returns] : returns;
}

function ranksUpTo(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}
