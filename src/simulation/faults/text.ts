/**
 * @module
 * Faults of a schedule as text, as flags of the command line have it: `--loss 5%@100-300` is the flag
 * `loss` with the text `5%@100-300`. A window is `@from-to`, or `@from-` without an end. A text without a
 * window holds for the whole run. Commas separate several faults of one flag. A crash is named by rank or as
 * the highest node, before the run or at a tick of it.
 */

import { LabError } from '../../errors.ts';
import { parseQuantity } from '../../quantities.ts';
import type { Cut, Fault, LeaderCrash, ScheduledFault, Window } from './schedule.ts';
import { LOST_WRITES_LIMIT, SKEW_LIMIT } from './schedule.ts';

/** A parser of one flag; null for a text of another form. */
type ReadFaults = (text: string) => readonly ScheduledFault[] | null;

interface FaultForm {
  /** For error messages and help texts. */
  readonly example: string;
  /** Limits that the example does not show. */
  readonly range?: string;
  readonly read: ReadFaults;
}

export const LEADER_CRASH_EXAMPLE =
  'leader@100 (the present leader), leader@100-250 (at a drawn tick), leader@100:every=500:times=3:back=200';
const PERCENT_RANGE = 'a share is 0%..100%, with nine decimals at most, or 0..1';

/** The form of each flag. */
export const FAULT_FORMS = {
  crash: {
    example: `5@20,3@40, or ${LEADER_CRASH_EXAMPLE}`,
    read: readCrashFaults,
  },
  restart: {
    example: '5@80 or 5@80:amnesia',
    read: each(/^(\d+)@(\d+)(:amnesia)?$/, (rank, at, suffix) => {
      return { type: 'restart', rank: Number(rank), at: Number(at), amnesia: suffix !== undefined };
    }),
  },
  pause: {
    example: '2@10-60',
    read: each(/^(\d+)@(\d+)-(\d+)$/, (rank, from, to = '') => {
      return { type: 'pause', rank: Number(rank), from: Number(from), to: Number(to) };
    }),
  },
  join: {
    example: '6@50',
    read: each(/^(\d+)@(\d+)$/, (rank, at) => ({
      type: 'join',
      rank: Number(rank),
      at: Number(at),
    })),
  },
  partition: {
    example:
      'halves@100-300 (the lower half of the ranks from the upper), ' +
      'minority@100-300 (the highest ranks, as many as are no majority, from the rest), ' +
      'majorities-ring@100-300 (each rank reaches a majority, no two the same), ' +
      'isolate:3@10-90, one-way:1>2@0-50 or links:1-2,3-4@0-50',
    read: windowed(parseCut, (cut, window) => ({ type: 'partition', cut, ...window })),
  },
  loss: {
    example: '5% or 5%@100-300',
    range: PERCENT_RANGE,
    read: windowed(readShare, (share, window) => ({ type: 'loss', share, ...window })),
  },
  duplicate: {
    example: '10% or 10%@100-300',
    range: PERCENT_RANGE,
    read: windowed(readShare, (share, window) => ({ type: 'duplication', share, ...window })),
  },
  reorder: {
    example: '10%:20@100-300 (delayed by 1..20 ticks)',
    range: PERCENT_RANGE,
    read: windowed(readReordering, (parts, window) => ({
      type: 'reordering',
      ...parts,
      ...window,
    })),
  },
  blackout: {
    example: '100-300',
    read: (text) => one(readWindow(`@${text}`), (window) => ({ type: 'blackout', ...window })),
  },
  slowdown: {
    example: '10@100-300 (ten times as slow)',
    read: windowed(readFactor, (factor, window) => ({ type: 'slowdown', factor, ...window })),
  },
  skew: {
    example: '3:1.5 or 3:2/3 (timers of rank 3 take this multiple of their ticks)',
    range: `a fraction is of whole numbers in 1..${SKEW_LIMIT}, a decimal in 0.01..${SKEW_LIMIT}`,
    read: each(/^(\d+):([0-9./]+)$/, (rank, rate) => {
      const fraction = readRate(rate);
      return fraction && { type: 'skew', rank: Number(rank), ...fraction };
    }),
  },
  jump: {
    example: '2@500:+300 or 2@500:-300 (the clock of rank 2 jumps by this number of ticks)',
    read: each(/^(\d+)@(\d{1,12}):([+-]\d{1,12})$/, (rank, at, ticks) => {
      return { type: 'jump', rank: Number(rank), at: Number(at), ticks: Number(ticks) };
    }),
  },
  failover: {
    example: '500:2 (a replica takes over at tick 500 that lacks the last 2 writes of the store)',
    range: `it loses 1..${LOST_WRITES_LIMIT} writes`,
    read: each(/^(\d{1,12}):([1-9]\d{0,2})$/, (at, writes) =>
      Number(writes) > LOST_WRITES_LIMIT
        ? null
        : { type: 'failover', at: Number(at), writes: Number(writes) },
    ),
  },
  churn: {
    example: '30@0-500, 30@0-500:20% (amnesia) or 30@0-500:20%:6,7 (joins)',
    range: PERCENT_RANGE,
    read: readChurn,
  },
} as const satisfies Readonly<Record<string, FaultForm>>;

export type FaultFlag = keyof typeof FAULT_FORMS;

// Object.keys loses the type of the keys.
export const FAULT_FLAGS = Object.keys(FAULT_FORMS) as readonly FaultFlag[];

/** Parses the text of a flag. Throws LabError `arguments`. Ranks are checked with the election. */
export function parseFaultText(flag: FaultFlag, text: string): readonly ScheduledFault[] {
  const form: FaultForm = FAULT_FORMS[flag];
  const faults = form.read(text);
  if (faults !== null) return faults;
  const range = form.range === undefined ? '' : `; ${form.range}`;
  const detail = `${flag} ${JSON.stringify(text)} is not of the form ${form.example}${range}`;
  throw new LabError('arguments', detail);
}

/** The flag and the text that give this fault. */
export function faultText(fault: ScheduledFault): {
  readonly flag: FaultFlag;
  readonly text: string;
} {
  switch (fault.type) {
    case 'crash':
    case 'join':
      return { flag: fault.type, text: `${fault.rank}@${fault.at}` };
    case 'crash-leader':
      return { flag: 'crash', text: leaderCrashText(fault) };
    case 'restart': {
      const suffix = fault.amnesia ? ':amnesia' : '';
      return { flag: 'restart', text: `${fault.rank}@${fault.at}${suffix}` };
    }
    case 'pause':
      return { flag: 'pause', text: `${fault.rank}@${fault.from}-${fault.to}` };
    case 'partition':
      return { flag: 'partition', text: `${cutText(fault.cut)}${windowText(fault)}` };
    case 'loss':
      return { flag: 'loss', text: `${shareText(fault.share)}${windowText(fault)}` };
    case 'duplication':
      return { flag: 'duplicate', text: `${shareText(fault.share)}${windowText(fault)}` };
    case 'reordering': {
      const what = `${shareText(fault.share)}:${fault.ticksMax}`;
      return { flag: 'reorder', text: `${what}${windowText(fault)}` };
    }
    case 'blackout':
      return { flag: 'blackout', text: `${fault.from}-${fault.to ?? ''}` };
    case 'slowdown':
      return { flag: 'slowdown', text: `${fault.factor}${windowText(fault)}` };
    case 'skew':
      return { flag: 'skew', text: `${fault.rank}:${fault.numerator}/${fault.denominator}` };
    case 'jump': {
      const { rank, at, ticks } = fault;
      return { flag: 'jump', text: `${rank}@${at}:${ticks < 0 ? '' : '+'}${ticks}` };
    }
    case 'failover':
      return { flag: 'failover', text: `${fault.at}:${fault.writes}` };
    case 'churn': {
      const { from, to, ticksMean, amnesiaShare, joins } = fault;
      const share = amnesiaShare > 0 || joins.length > 0 ? `:${shareText(amnesiaShare)}` : '';
      const joined = joins.length > 0 ? `:${joins.join(',')}` : '';
      return { flag: 'churn', text: `${ticksMean}@${from}-${to}${share}${joined}` };
    }
    default:
      return fault satisfies never;
  }
}

const readRankCrash = each(/^(\d+)@(\d+)$/, (rank, at) => ({
  type: 'crash',
  rank: Number(rank),
  at: Number(at),
}));

function readCrashFaults(text: string): readonly ScheduledFault[] | null {
  const faults = text.split(',').map((item) => readLeaderCrash(item) ?? readRankCrash(item)?.[0]);
  return faults.every((fault) => fault !== undefined) ? faults : null;
}

/** Reads `leader@…`. Null if the text is a crash of another form. */
function readLeaderCrash(text: string): LeaderCrash | null {
  const pattern =
    /^leader@(\d{1,12})(?:-(\d{1,12}))?(?::every=(\d{1,12}):times=(\d{1,12}))?(?::back=(\d{1,12}))?$/;
  const [, from, to, every, times, back] = pattern.exec(text) ?? [];
  if (from === undefined) return null;
  return {
    type: 'crash-leader',
    from: Number(from),
    to: to === undefined ? Number(from) + 1 : Number(to),
    everyTicks: Number(every ?? 1),
    times: Number(times ?? 1),
    backTicks: back === undefined ? null : Number(back),
  };
}

function leaderCrashText({ from, to, everyTicks, times, backTicks }: LeaderCrash): string {
  const window = to === from + 1 ? '' : `-${to}`;
  const repeated = times === 1 ? '' : `:every=${everyTicks}:times=${times}`;
  return `leader@${from}${window}${repeated}${backTicks === null ? '' : `:back=${backTicks}`}`;
}

/** The crashes of the present leader in a text of crashes, and the text without them. Throws LabError. */
export function leaderCrashesIn(text: string): {
  readonly leaders: readonly ScheduledFault[];
  readonly others: string;
} {
  const items = text.split(',');
  const leaders = items.filter((item) => item.startsWith('leader'));
  return {
    leaders: leaders.flatMap((item) => parseFaultText('crash', item)),
    others: items.filter((item) => !leaders.includes(item)).join(','),
  };
}

/** Parses `5@20,3` or `highest@3`. A crash without a tick happened before the run. */
export function parseCrashes(text: string): NamedCrash[] {
  return text.split(',').map((item) => {
    const [, rank, tick] = /^(highest|[1-9][0-9]{0,9})(?:@([0-9]{1,12}))?$/.exec(item) ?? [];
    if (rank === undefined) {
      const detail = `crash ${JSON.stringify(text)} is not of the form 5@20,3 or highest@3`;
      throw new LabError('arguments', detail);
    }
    return {
      rank: rank === 'highest' ? rank : Number(rank),
      at: tick === undefined ? null : Number(tick),
    };
  });
}

type Groups = readonly [string, string, string | undefined];

/** One fault for each item between commas; null if an item does not match. */
function each(pattern: RegExp, make: (...groups: Groups) => ScheduledFault | null): ReadFaults {
  return (text) => {
    const faults = text.split(',').map((item) => {
      const [first, second, third] = pattern.exec(item)?.slice(1) ?? [];
      return first === undefined || second === undefined ? null : make(first, second, third);
    });
    return faults.every((fault) => fault !== null) ? faults : null;
  };
}

/** Texts of the form `what@window`. */
function windowed<Part>(
  read: (what: string) => Part | null,
  make: (part: Part, window: Window) => ScheduledFault,
): ReadFaults {
  return (text) => {
    const [what = '', ...rest] = text.split(/(?=@)/);
    const window = readWindow(rest.join(''));
    return window && one(read(what), (part) => make(part, window));
  };
}

function one<Part>(
  part: Part | null,
  make: (part: Part) => ScheduledFault,
): readonly ScheduledFault[] | null {
  return part === null ? null : [make(part)];
}

function readReordering(text: string) {
  const [, percent = '', ticks] = /^([^:]+):([1-9]\d{0,6})$/.exec(text) ?? [];
  const share = readShare(percent);
  return ticks === undefined || share === null ? null : { share, ticksMax: Number(ticks) };
}

function readFactor(text: string): number | null {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
}

/** `1.5` or `3/2`, in lowest terms or not. */
function readRate(rate: string): { numerator: number; denominator: number } | null {
  const [, above, below] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(rate) ?? [];
  if (above !== undefined && below !== undefined) {
    return { numerator: Number(above), denominator: Number(below) };
  }
  const [, units, decimals = ''] = /^(\d{1,4})(?:\.(\d{1,2}))?$/.exec(rate) ?? [];
  if (units === undefined || Number(rate) === 0) return null;
  const denominator = 10 ** decimals.length;
  const numerator = Number(units + decimals);
  const divisor = greatestDivisor(numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestDivisor(right, left % right);
}

function readChurn(text: string): readonly ScheduledFault[] | null {
  const match = /^([1-9]\d*)@(\d+)-(\d+)(?::([^:]+%|\d*\.\d+))?(?::(\d+(?:,\d+)*))?$/.exec(text);
  const [, mean = '', from = '', to = '', percent = '0%', ranks] = match ?? [];
  return one(match && readShare(percent), (amnesiaShare) => ({
    type: 'churn',
    from: Number(from),
    to: Number(to),
    ticksMean: Number(mean),
    amnesiaShare,
    joins: ranks === undefined ? [] : ranks.split(',').map(Number),
  }));
}

/** `5%`, `0.25%` or `0.05`. With nine decimals, a share in hundredths is the same after writing and reading. */
function readShare(text: string): number | null {
  const share = parseQuantity('probability', text);
  return share <= 1 && Number(share.toFixed(SHARE_DECIMALS)) === share ? share : null;
}

const SHARE_DECIMALS = 11;

function shareText(share: number): string {
  return `${Number((share * 100).toFixed(9))}%`;
}

/** The empty text is the whole run. */
function readWindow(text: string): Window | null {
  if (text === '') return { from: 0, to: null };
  const [, from, to] = /^@(\d{1,12})-(\d{0,12})$/.exec(text) ?? [];
  return from === undefined ? null : { from: Number(from), to: to === '' ? null : Number(to) };
}

function windowText({ from, to }: Window): string {
  return from === 0 && to === null ? '' : `@${from}-${to ?? ''}`;
}

/** Null for a text that is no cut. */
export function parseCut(text: string): Cut | null {
  if (text === 'halves' || text === 'minority' || text === 'majorities-ring') return { kind: text };
  const [, alone] = /^isolate:([1-9]\d*)$/.exec(text) ?? [];
  if (alone !== undefined) return { kind: 'isolate', rank: Number(alone) };
  const [, from, to] = /^one-way:([1-9]\d*)>([1-9]\d*)$/.exec(text) ?? [];
  if (from !== undefined) return { kind: 'one-way', from: Number(from), to: Number(to) };
  const [, list] = /^links:([1-9]\d*-[1-9]\d*(?:,[1-9]\d*-[1-9]\d*)*)$/.exec(text) ?? [];
  if (list === undefined) return null;
  const links = list.split(',').map((link) => {
    const [one = 0, other = 0] = link.split('-').map(Number);
    return [one, other] as const;
  });
  return { kind: 'links', links };
}

/** The text that parses to this cut. */
export function cutText(cut: Cut): string {
  switch (cut.kind) {
    case 'halves':
    case 'minority':
    case 'majorities-ring':
      return cut.kind;
    case 'isolate':
      return `isolate:${cut.rank}`;
    case 'one-way':
      return `one-way:${cut.from}>${cut.to}`;
    case 'links':
      return `links:${cut.links.map((link) => link.join('-')).join(',')}`;
    default:
      return cut satisfies never;
  }
}

export interface NamedCrash {
  readonly rank: number | 'highest';
  /** Null or absent: the node crashed before the run. */
  readonly at?: number | null | undefined;
}

/**
 * The options of a simulation for these crashes. Before the run, `highest` is node n; during the run, it is
 * the highest node that did not crash before.
 */
export function resolveCrashes(
  nodes: number,
  crashes: readonly NamedCrash[],
): { readonly crashedBefore: readonly number[]; readonly faults: readonly Fault[] } {
  const crashedBefore = crashes
    .filter(({ at }) => at === undefined || at === null)
    .map(({ rank }) => (rank === 'highest' ? nodes : rank));
  let highest = nodes;
  while (crashedBefore.includes(highest)) highest -= 1;
  if (highest === 0) highest = nodes;
  const faults = crashes.flatMap(({ rank, at }): Fault[] => {
    if (at === undefined || at === null) return [];
    return [{ type: 'crash', rank: rank === 'highest' ? highest : rank, at }];
  });
  return { crashedBefore, faults };
}
