/**
 * @module
 * The runs of the fault matrix. A row is one fault, and a seed is one run: it draws the number of nodes,
 * latencies, FIFO links, and the times and rates of the fault. All nodes start at tick 0, or one at tick 0
 * and the others before tick 60. Faults end at tick 200, and the election must be over 2000 ticks later. No node is started again.
 */

import type { FaultName } from '../../election/definition/fault-row.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Random } from '../../random.ts';
import { createRandom, parseSeed, shuffled } from '../../random.ts';
import { createCut } from '../faults/cuts.ts';
import type { Cut, Schedule, ScheduledFault } from '../faults/schedule.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import type { RunStarts, StartTicks } from './starts.ts';
import { ALL_FIRST, drawStarts } from './starts.ts';

export const CALM_AT = 200;
export const CALM_TICKS = 2000;
/** Most elections are over by about this tick. */
const BUSY_TICKS = 60;

type Draw = (random: Random, nodes: number) => readonly ScheduledFault[];

interface FaultDraws {
  /** The fault as reports and documents describe it. */
  readonly fault: string;
  readonly draw: Draw;
  /** For quorum protocols, where a fault at any time rarely meets the votes. */
  readonly drawForVoters?: Draw;
  /** Whether live nodes may be unreachable. Then half of the detectors watch links, too. */
  readonly cutsLinks?: boolean;
}

export const FAULT_DRAWS: Readonly<Record<FaultName, FaultDraws>> = {
  drop: {
    fault: 'drop, 1-30 %',
    draw: (random) => [{ type: 'loss', share: (1 + random.below(30)) / 100, from: 0, to: CALM_AT }],
  },
  duplicate: {
    fault: 'duplicate, 1-50 %',
    draw: (random) => [
      { type: 'duplication', share: (1 + random.below(50)) / 100, from: 0, to: CALM_AT },
    ],
  },
  reorder: {
    fault: 'reorder, 1-50 %, held back 1-100 ticks',
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
    draw: (random) => [{ type: 'slowdown', factor: 3 + random.below(8), ...drawWindow(random) }],
  },
  'clean-majority': {
    fault: 'partition, clean majority',
    cutsLinks: true,
    // The halves of an odd number are a minority of low ranks and a majority of high ones.
    draw: (random, nodes) =>
      cutFor(random, {
        kind: nodes % 2 === 1 && random.below(2) === 0 ? 'halves' : 'minority',
      }),
  },
  'one-way': {
    fault: 'partition, one way',
    cutsLinks: true,
    draw: (random, nodes) => {
      const from = 1 + random.below(nodes);
      const to = 1 + ((from + random.below(nodes - 1)) % nodes);
      return cutFor(random, { kind: 'one-way', from, to });
    },
  },
  'majorities-ring': {
    fault: 'partition, majorities-ring or bridge',
    cutsLinks: true,
    draw: (random, nodes) => cutFor(random, drawOverlap(random, nodes)),
  },
  'leader-isolated': {
    fault: 'leader isolated',
    cutsLinks: true,
    draw: (random, nodes) => cutFor(random, { kind: 'isolate', rank: nodes }),
  },
  'swizzle-clog': {
    fault: 'swizzle-clog: nodes cut off one after the other, back in another order',
    cutsLinks: true,
    draw: (random, nodes) =>
      ranksUpTo(nodes)
        .filter(() => random.below(2) === 0)
        .flatMap((rank) => cutFor(random, { kind: 'isolate', rank })),
  },
  'crash-best': {
    fault: 'crash-stop of the best node',
    draw: (random, nodes) => [{ type: 'crash', rank: nodes, at: random.below(CALM_AT - 1) }],
  },
  restart: {
    fault: 'crash and restart, disk kept',
    draw: (random, nodes) => drawReturns(random, nodes, false),
  },
  amnesia: {
    fault: 'restart with amnesia',
    draw: (random, nodes) => drawReturns(random, nodes, true),
    drawForVoters: (random, nodes) => drawQuickReturns(random, nodes, true),
  },
  pause: {
    fault: 'pause longer than the time-out',
    cutsLinks: true,
    draw: (random, nodes) => {
      const rank = 1 + random.below(nodes);
      const from = random.below(BUSY_TICKS);
      return [{ type: 'pause', rank, from, to: from + 20 + random.below(CALM_AT - from - 20) }];
    },
  },
  'clock-skew': {
    fault: 'clock skew, timers 1/8 to 8 times as long',
    draw: (random, nodes) =>
      ranksUpTo(nodes).map((rank) => ({
        type: 'skew',
        rank,
        numerator: 1 + random.below(8),
        denominator: 1 + random.below(8),
      })),
  },
  'clock-jump': {
    fault: 'clocks jump 1-100 ticks forwards or back',
    // Most elections are young when a clock jumps, so that a time-out ends before its answer arrives.
    draw: (random, nodes) =>
      ranksUpTo(nodes).flatMap((rank) =>
        Array.from({ length: random.below(4) }, () => {
          const ticks = (1 + random.below(100)) * (random.below(4) === 0 ? -1 : 1);
          const at = random.below(random.below(3) === 0 ? CALM_AT - 1 : BUSY_TICKS / 3);
          return { type: 'jump', rank, at, ticks };
        }),
      ),
  },
  'fail-over': {
    fault: 'the store fails over to a replica that lacks its last 1-3 writes',
    draw: (random) => [
      { type: 'failover', at: drawWindow(random).from, writes: 1 + random.below(3) },
    ],
  },
  'torn-record': {
    fault: 'crashes and restarts, disk kept, but a record is two writes',
    draw: (random, nodes) => drawQuickReturns(random, nodes, false),
  },
  'unknown-message': { fault: 'unknown message type or newer version', draw: () => [] },
};

/** The run of a fault under a seed. Protocols that need FIFO links always have them. */
export function faultRun(
  fault: FaultName,
  { protocol, flags }: { readonly protocol: ProtocolName; readonly flags: Flags },
  number: number,
) {
  const { family, fifo, overLinks } = PROTOCOLS[protocol];
  const seed = parseSeed(String(number));
  const random = createRandom(seed, 'fault-matrix', fault);
  const nodes = 4 + random.below(3);
  const ticksMax = 1 + random.below(9);
  const inOrder = random.below(2) === 0;
  const { cutsLinks = false, draw, drawForVoters = draw } = FAULT_DRAWS[fault];
  const detector: Schedule['detector'] = random.below(2) === 0 && cutsLinks ? 'links' : 'crashes';
  const faults = (family === 'quorum' ? drawForVoters : draw)(random, nodes);
  const calm = { at: CALM_AT, ticks: CALM_TICKS, restart: false };
  return {
    protocol,
    flags,
    nodes,
    // A line, in which each link is needed, for a protocol that elects in any network.
    topology: overLinks ? 'tree:1' : undefined,
    seed,
    latency: { type: 'uniform', ticksMin: 1, ticksMax },
    fifo: inOrder || fifo,
    schedule: { faults, calm, detector },
  } satisfies SimulationOptions;
}

/** When the nodes of the run start. */
export function faultStarts(
  fault: FaultName,
  nodes: number,
  { number, starts }: { readonly number: number; readonly starts: RunStarts },
): StartTicks {
  if (starts === 'together') return ALL_FIRST;
  const random = createRandom(parseSeed(String(number)), 'fault-matrix', fault, 'starts');
  return drawStarts(ranksUpTo(nodes), BUSY_TICKS, random);
}

/** Waits that are short enough for an election to meet the faults. */
export function shortWaits({ numbers }: Pick<Protocol, 'numbers'>): Flags {
  const given = Object.entries(numbers).flatMap(([name, { shortTicks }]) =>
    shortTicks === null ? [] : [[name, String(shortTicks)] as const],
  );
  return Object.fromEntries(given);
}

function cutFor(random: Random, cut: Cut): ScheduledFault[] {
  return [{ type: 'partition', cut, ...drawWindow(random) }];
}

/**
 * Majorities that overlap: the ring by rank, in which every node but the highest is connected to a higher
 * one; a ring in any order; or a bridge, one member that alone is connected to both halves of the rest.
 */
function drawOverlap(random: Random, nodes: number): Cut {
  const lot = random.below(3);
  if (lot === 0) return { kind: 'majorities-ring' };
  const order = ranksUpTo(nodes);
  const ranks = shuffled(order, random);
  const isRingCut = createCut({ kind: 'majorities-ring' }, nodes);
  const middle = Math.floor(nodes / 2) + 1;
  const isBridgeCut = (from: number, to: number) => from < middle && middle < to;
  const isCut = lot === 1 ? isRingCut : isBridgeCut;
  const links = order.flatMap((from) =>
    order
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

/** One or two nodes crash, half of the time the best one, and return by the calm. */
function drawReturns(random: Random, nodes: number, amnesia: boolean): ScheduledFault[] {
  return Array.from({ length: 1 + random.below(2) }, () => {
    const rank = random.below(2) === 0 ? nodes : 1 + random.below(nodes);
    const { from, to } = drawWindow(random);
    return crashAndReturn({ rank, from, to, amnesia });
  }).flat();
}

/**
 * Some nodes crash while votes are on their way, and return at once: other candidates can still ask for
 * the votes that they forget. In most runs majorities overlap, so that candidates do not meet.
 */
function drawQuickReturns(random: Random, nodes: number, amnesia: boolean): ScheduledFault[] {
  const cut = drawOverlap(random, nodes);
  const isCut = random.below(4) > 0;
  const returns = ranksUpTo(nodes).flatMap((rank) => {
    const from = BUSY_TICKS / 2 + random.below(BUSY_TICKS / 2);
    if (random.below(2) === 0) return [];
    return crashAndReturn({ rank, from, to: from + 1 + random.below(2), amnesia });
  });
  return isCut ? [{ type: 'partition', cut, from: 0, to: CALM_AT }, ...returns] : returns;
}

function crashAndReturn(given: {
  readonly rank: number;
  readonly from: number;
  readonly to: number;
  readonly amnesia: boolean;
}): ScheduledFault[] {
  const { rank, from, to, amnesia } = given;
  return [
    { type: 'crash', rank, at: from },
    { type: 'restart', rank, at: to, amnesia },
  ];
}

function ranksUpTo(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}
