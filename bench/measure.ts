/**
 * @module
 * How every suite measures. A round gives each yardstick and each subject one short slice, so that
 * what a shared machine does to one it does to the other; a rate is the median of all samples, a
 * ratio the median over rounds of the ratio within a round. Saturated timers fail the suite, since
 * their samples say nothing.
 */

import process from 'node:process';
import { Bench } from 'tinybench';

/**
 * Shorter samples say more of the clock than of the call. CPU time of a running thread is brought up
 * to date by the scheduler's tick, every 4 ms or so: four percent of the shortest sample.
 */
const SAMPLE_MS_MIN = { cpu: 100, wall: 0.1 } as const;

/** What a subject is compared with. It may be another program. */
export interface Yardstick {
  readonly name: string;
  readonly unit: string;
  /** Whether it bounds its subjects. If one is faster, the measurement is invalid. */
  readonly isBound?: boolean;
  /** Measures for about a slice: rates per second. */
  rates(sliceMs: number): readonly number[];
}

export interface Subject {
  /** With its parameters. */
  readonly name: string;
  /** What is counted, in the plural. */
  readonly unit: string;
  /** How many of them one call does. */
  readonly unitsPerCall: number;
  /** Thread CPU time where the yardstick counts it, else wall time, which is the default. */
  readonly clock?: 'cpu' | 'wall';
  /** Before every call, off the clock. */
  readonly prepare?: () => void;
  readonly call: () => unknown;
  readonly yardstick: Yardstick | null;
}

export interface Suite {
  readonly subjects: readonly Subject[];
  readonly rounds: number;
  readonly sliceMs: number;
  /** Printed below the rows. */
  readonly notes: readonly string[];
}

/** Rates per second over all samples of all rounds. */
export interface Spread {
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
  readonly samples: number;
}

export interface Row {
  readonly subject: Pick<Subject, 'name' | 'unit'> & {
    readonly yardstick: Pick<Yardstick, 'name' | 'unit' | 'isBound'> | null;
    /** Whether the subject bounds its yardstick. If it is slower, the measurement is invalid. */
    readonly isBound?: boolean;
  };
  readonly rates: Spread;
  readonly yardstickRates: Spread | null;
  readonly ratio: number | null;
}

/** The result of a suite that measures by itself. */
export interface Report {
  readonly rows: readonly Row[];
  /** Printed below the rows. */
  readonly notes: readonly string[];
}

/** Measures a suite, after one slice of each subject that only warms up. Throws on saturation. */
export function measure({ subjects, rounds, sliceMs }: Suite): Row[] {
  for (const subject of subjects) subjectRates(subject, sliceMs);
  const yardsticks = [...new Set(subjects.map(({ yardstick }) => yardstick))];
  const taken = Array.from({ length: rounds }, () => {
    const standard = new Map(yardsticks.map((each) => [each, each?.rates(sliceMs) ?? []] as const));
    return subjects.map((subject) => ({
      own: subjectRates(subject, sliceMs),
      standard: standard.get(subject.yardstick) ?? [],
    }));
  });
  return subjects.map((subject, index) => {
    return rowOf(
      subject,
      taken.flatMap((round) => round[index] ?? []),
    );
  });
}

/** The row of one subject from its rounds. Rates are per second. */
export function rowOf(
  subject: Row['subject'],
  rounds: readonly { readonly own: readonly number[]; readonly standard: readonly number[] }[],
): Row {
  const isCompared = subject.yardstick !== null;
  const ratios = rounds.map(({ own, standard }) => quantile(own, 0.5) / quantile(standard, 0.5));
  return {
    subject,
    rates: spreadOf(rounds.flatMap(({ own }) => own)),
    yardstickRates: isCompared ? spreadOf(rounds.flatMap(({ standard }) => standard)) : null,
    ratio: isCompared ? quantile(ratios, 0.5) : null,
  };
}

/** A ratio as it is printed. A bound that is slower than what it bounds was built or run wrongly. */
export function ratioText({ isBound, yardstick }: Row['subject'], ratio: number | null): string {
  if (ratio === null) return '–';
  const isWrong = (isBound === true && ratio < 1) || (yardstick?.isBound === true && ratio > 1);
  return isWrong ? `invalid (${ratio.toPrecision(3)})` : ratio.toPrecision(3);
}

/** A subject as the yardstick of others. */
export function yardstickOf(subject: Omit<Subject, 'yardstick'>): Yardstick {
  return {
    name: subject.name,
    unit: subject.unit,
    rates: (sliceMs) => subjectRates({ ...subject, yardstick: null }, sliceMs),
  };
}

function subjectRates(subject: Subject, sliceMs: number): number[] {
  const { name, call, prepare, unitsPerCall, clock = 'wall' } = subject;
  const bench = new Bench({
    time: sliceMs,
    iterations: 1,
    warmup: false,
    retainSamples: true,
    throws: true,
    ...(clock === 'cpu' ? { now: threadCpuMs } : {}),
  });
  // An exception of a listener would not reach the caller.
  let saturation: string | undefined;
  bench.addEventListener('warning', ({ reason }) => {
    saturation = reason;
  });
  bench.add(name, () => call(), { async: false, ...(prepare && { beforeEach: () => prepare() }) });
  const [task] = bench.runSync();
  if (task?.result.state !== 'completed') throw new Error(`${name}: not measured`);
  const { samples, p50 } = task.result.latency;
  if (samples === undefined) throw new Error(`${name}: no samples were kept`);
  const leastMs = SAMPLE_MS_MIN[clock];
  if (p50 < leastMs) saturation ??= `a call takes ${p50} ms of ${clock} time, not ${leastMs}`;
  if (saturation !== undefined) {
    throw new Error(`${name}: timer saturation (${saturation}); let one call do more`);
  }
  return samples.map((ms) => (unitsPerCall * 1e3) / ms);
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}

function spreadOf(rates: readonly number[]): Spread {
  const [p25, median, p75] = [quantile(rates, 0.25), quantile(rates, 0.5), quantile(rates, 0.75)];
  return { p25, median, p75, samples: rates.length };
}

/** Interpolates between the two nearest samples. */
function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  const position = (sorted.length - 1) * share;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}
