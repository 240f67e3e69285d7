/**
 * @module
 * Parts of a schedule as people write them on a command line, and back: `--loss 5%@100-300` is flag
 * `loss` and text `5%@100-300`. A window is `@from-to`, `@from-` without an end, and nothing for the
 * whole run. Several ranks are separated by commas. Reading what was written gives the same fault.
 */

import { LabError } from '../../errors.ts';
import type { NamedCrash } from './crashes.ts';

import type { Churn, ScheduledFault, Window } from './schedule.ts';
import { SKEW_LIMIT } from './schedule.ts';
import { cutText, parseCut } from './text-cuts.ts';

export const FAULT_FLAGS = [
  'crash',
  'restart',
  'pause',
  'join',
  'partition',
  'loss',
  'duplicate',
  'reorder',
  'blackout',
  'slowdown',
  'skew',
  'churn',
] as const;

export type FaultFlag = (typeof FAULT_FLAGS)[number];

/** What each flag takes, for refusals and for a command's help. */
export const FAULT_EXAMPLES: Readonly<Record<FaultFlag, string>> = {
  crash: '5@20,3@40',
  restart: '5@80 or 5@80:amnesia',
  pause: '2@10-60',
  join: '6@50',
  partition:
    'halves@100-300 (the lower half of the ranks from the upper), ' +
    'minority@100-300 (the highest ranks, as many as are no majority, from the rest), ' +
    'majorities-ring@100-300 (each rank sees a majority, no two the same), ' +
    'isolate:3@10-90, one-way:1>2@0-50 or links:1-2,3-4@0-50',
  loss: '5% or 5%@100-300',
  duplicate: '10% or 10%@100-300',
  reorder: '10%:20@100-300 (held back for 1..20 ticks)',
  blackout: '100-300',
  slowdown: '10@100-300 (ten times as slow)',
  skew: '3:1.5 or 3:2/3 (its timers take so many times as long)',
  churn: '30@0-500, 30@0-500:20% (amnesia) or 30@0-500:20%:6,7 (newcomers)',
};

const PERCENT_RANGE = 'a share is 0%..100%, with nine decimals at most';
/** What an example does not show, for refusals. */
const RANGES: Readonly<Partial<Record<FaultFlag, string>>> = {
  loss: PERCENT_RANGE,
  duplicate: PERCENT_RANGE,
  reorder: PERCENT_RANGE,
  churn: PERCENT_RANGE,
  skew: `a fraction is of whole numbers in 1..${SKEW_LIMIT}, a decimal in 0.01..${SKEW_LIMIT}`,
};

/** Reads the text of one flag. Throws LabError `arguments`; ranks are judged with the election. */
export function parseFaultText(flag: FaultFlag, text: string): ScheduledFault[] {
  const faults = readFaults(flag, text);
  if (faults !== null && faults.length > 0) return faults;
  const given = JSON.stringify(text);
  const range = RANGES[flag] === undefined ? '' : `; ${RANGES[flag]}`;
  const detail = `${flag} ${given} is not of the form ${FAULT_EXAMPLES[flag]}${range}`;
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
    case 'restart': {
      const text = `${fault.rank}@${fault.at}${fault.amnesia ? ':amnesia' : ''}`;
      return { flag: 'restart', text };
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
      const text = `${shareText(fault.share)}:${fault.ticksMax}${windowText(fault)}`;
      return { flag: 'reorder', text };
    }
    case 'blackout':
      return { flag: 'blackout', text: `${fault.from}-${fault.to ?? ''}` };
    case 'slowdown':
      return { flag: 'slowdown', text: `${fault.factor}${windowText(fault)}` };
    case 'skew':
      return { flag: 'skew', text: `${fault.rank}:${fault.numerator}/${fault.denominator}` };
    case 'churn':
      return { flag: 'churn', text: churnText(fault) };
    default:
      return fault satisfies never;
  }
}

/** Reads `5@20,3` or `highest@3`: who crashes when; without a tick, before the run. */
export function parseCrashes(text: string): NamedCrash[] {
  return text.split(',').map((item) => {
    const match = /^(highest|[1-9][0-9]{0,9})(?:@([0-9]{1,12}))?$/.exec(item);
    const [, who, tick] = match ?? [];
    if (who === undefined) {
      const detail = `crash ${JSON.stringify(text)} is not of the form 5@20,3 or highest@3`;
      throw new LabError('arguments', detail);
    }
    return {
      rank: who === 'highest' ? who : Number(who),
      at: tick === undefined ? null : Number(tick),
    };
  });
}

function readFaults(flag: FaultFlag, text: string): ScheduledFault[] | null {
  switch (flag) {
    case 'crash':
    case 'join':
      return each(text, /^(\d+)@(\d+)$/, ([rank, at]) => ({ type: flag, rank, at }));
    case 'restart':
      return each(text, /^(\d+)@(\d+)(:amnesia)?$/, ([rank, at], words) => {
        return { type: 'restart', rank, at, amnesia: words[2] !== undefined };
      });
    case 'pause':
      return each(text, /^(\d+)@(\d+)-(\d+)$/, ([rank, from, to]) => {
        return { type: 'pause', rank, from, to };
      });
    case 'skew':
      return each(text, /^(\d+):([0-9./]+)$/, ([rank], words) => readSkew(rank, words[1] ?? ''));
    case 'blackout':
      return whole(readWindow(`@${text}`), (window) => ({ type: 'blackout', ...window }));
    case 'churn':
      return readChurn(text);
    case 'partition':
    case 'loss':
    case 'duplicate':
    case 'reorder':
    case 'slowdown':
      return readWindowed(flag, text);
    default:
      return flag satisfies never;
  }
}

/** Texts of the form `what@window`. */
function readWindowed(
  flag: 'partition' | 'loss' | 'duplicate' | 'reorder' | 'slowdown',
  text: string,
): ScheduledFault[] | null {
  const place = text.indexOf('@');
  const what = place < 0 ? text : text.slice(0, place);
  const window = readWindow(place < 0 ? '' : text.slice(place));
  if (window === null) return null;
  switch (flag) {
    case 'partition':
      return whole(parseCut(what), (cut) => ({ type: 'partition', cut, ...window }));
    case 'loss':
      return whole(readShare(what), (share) => ({ type: 'loss', share, ...window }));
    case 'duplicate':
      return whole(readShare(what), (share) => ({ type: 'duplication', share, ...window }));
    case 'reorder': {
      const [, percent = '', ticks] = /^([^:]+):([1-9]\d{0,6})$/.exec(what) ?? [];
      return whole(ticks === undefined ? null : readShare(percent), (share) => {
        return { type: 'reordering', share, ticksMax: Number(ticks), ...window };
      });
    }
    case 'slowdown': {
      const factor = /^[1-9]\d{0,6}$/.test(what) ? Number(what) : null;
      return whole(factor, (times) => ({ type: 'slowdown', factor: times, ...window }));
    }
    default:
      return flag satisfies never;
  }
}

function whole<T>(part: T | null, make: (part: T) => ScheduledFault): ScheduledFault[] | null {
  return part === null ? null : [make(part)];
}

type Numbers = readonly [number, number, number];

/** One fault for each item between commas; null if one does not fit. */
function each(
  text: string,
  pattern: RegExp,
  make: (numbers: Numbers, words: readonly (string | undefined)[]) => ScheduledFault | null,
): ScheduledFault[] | null {
  const faults: ScheduledFault[] = [];
  for (const item of text.split(',')) {
    const words = pattern.exec(item)?.slice(1);
    const [first, second, third] = words ?? [];
    const numbers = [Number(first), Number(second), Number(third)] as const;
    const fault = words === undefined ? null : make(numbers, words);
    if (fault === null) return null;
    faults.push(fault);
  }
  return faults;
}

/** `1.5` or `3/2`, lowest terms or not. */
function readSkew(rank: number, rate: string): ScheduledFault | null {
  const fraction = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(rate);
  if (fraction) {
    const [, numerator, denominator] = fraction;
    return {
      type: 'skew',
      rank,
      numerator: Number(numerator),
      denominator: Number(denominator),
    };
  }
  const decimal = /^(\d{1,4})(?:\.(\d{1,2}))?$/.exec(rate);
  if (!decimal || Number(rate) === 0) return null;
  const [, units = '', decimals = ''] = decimal;
  const denominator = 10 ** decimals.length;
  const numerator = Number(units + decimals);
  const divisor = greatestDivisor(numerator, denominator);
  return { type: 'skew', rank, numerator: numerator / divisor, denominator: denominator / divisor };
}

function greatestDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestDivisor(right, left % right);
}

function readChurn(text: string): ScheduledFault[] | null {
  const match = /^([1-9]\d*)@(\d+)-(\d+)(?::([^:]+%))?(?::(\d+(?:,\d+)*))?$/.exec(text);
  if (match === null) return null;
  const [, mean, from, to, percent, ranks] = match;
  return whole(percent === undefined ? 0 : readShare(percent), (amnesiaShare) => ({
    type: 'churn',
    from: Number(from),
    to: Number(to),
    ticksMean: Number(mean),
    amnesiaShare,
    joins: ranks === undefined ? [] : ranks.split(',').map(Number),
  }));
}

function churnText({ from, to, ticksMean, amnesiaShare, joins }: Churn): string {
  const tail = joins.length > 0 ? `:${joins.join(',')}` : '';
  const share = amnesiaShare > 0 || joins.length > 0 ? `:${shareText(amnesiaShare)}` : '';
  return `${ticksMean}@${from}-${to}${share}${tail}`;
}

/** `5%` or `0.25%`, nine decimals at most, so that hundredths survive being written and read. */
function readShare(text: string): number | null {
  const [, percent] = /^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(text) ?? [];
  if (percent === undefined || Number(percent) > 100) return null;
  // Through the decimal text: 7/100 is 0.07, and 7*0.01 is not.
  return Number(`${percent}e-2`);
}

function shareText(share: number): string {
  return `${Number((share * 100).toFixed(9))}%`;
}

/** '' is the whole run. */
function readWindow(text: string): Window | null {
  if (text === '') return { from: 0, to: null };
  const [, from, to] = /^@(\d{1,12})-(\d{0,12})$/.exec(text) ?? [];
  if (from === undefined) return null;
  return { from: Number(from), to: to === '' ? null : Number(to) };
}

function windowText({ from, to }: Window): string {
  return from === 0 && to === null ? '' : `@${from}-${to ?? ''}`;
}
