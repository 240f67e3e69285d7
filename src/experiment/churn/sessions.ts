/**
 * @module
 * The sessions of honest nodes: laws of their length, and traces. As text, a law is `exp:2h` (mean), `weibull:0.59:41.9m`
 * (shape and scale) or `pareto:1.5:10m` (shape and least length).
 */

import { LabError } from '../../errors.ts';
import { parseQuantity } from '../../quantities.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

/** The sessions that are under way at time 0, and then the others in the order in which they join. */
export interface Sessions {
  /** Seconds at which the sessions that are under way at time 0 end. */
  readonly initial: readonly number[];
  /** Joins of honest nodes per second, which is what a defence knows at time 0. */
  readonly joinRate: number;
  /** The next session, in seconds; Infinity if there is none. */
  joinS: number;
  leaveS: number;
  /** Moves on to the session after it. */
  advance(): void;
}

/** A law of the length of sessions. */
export interface SessionLaw {
  readonly text: string;
  readonly meanS: number;
  /** Draws the length of a session. */
  draw(random: Random): number;
  /** Draws how long a session still lasts that is under way at some moment: long ones are more often under way. */
  drawRest(random: Random): number;
}

/** Reads a law. Throws LabError `arguments`. */
export function parseSessionLaw(text: string): SessionLaw {
  const [name, first = '', second = '', ...rest] = text.split(':');
  const [shape, seconds] =
    name === 'exp'
      ? [1, parseQuantity('time', first)]
      : [parseQuantity('number', first), parseQuantity('time', second)];
  const isWhole = rest.length === 0 && (name !== 'exp' || second === '');
  if (isWhole && seconds >= 1 && seconds <= 1e9) {
    if (name === 'exp' || (name === 'weibull' && shape >= 0.2 && shape <= 10)) {
      return weibull(text, shape, seconds);
    }
    if (name === 'pareto' && shape >= 1.05 && shape <= 100) return pareto(text, shape, seconds);
  }
  throw new LabError(
    'arguments',
    'must be exp:MEAN, weibull:SHAPE:SCALE with a shape in 0.2..10, or pareto:SHAPE:LEAST with a shape in 1.05..100; times are 1 s to 1e9 s, such as weibull:0.59:41.9m',
  );
}

/** The exponential law is the one with shape 1. */
function weibull(text: string, shape: number, scale: number): SessionLaw {
  const power = 1 / shape;
  return {
    text,
    meanS: scale * gamma(1 + power),
    // A power takes time, also one of 1.
    draw: (random) => {
      const drawn = -Math.log1p(-random.unit());
      return scale * (power === 1 ? drawn : drawn ** power);
    },
    // (x/scale)^shape of a session that is under way has a gamma law.
    drawRest: (random) => random.unit() * scale * drawGamma(1 + power, random) ** power,
  };
}

function pareto(text: string, shape: number, least: number): SessionLaw {
  return {
    text,
    meanS: (least * shape) / (shape - 1),
    draw: (random) => least * (1 - random.unit()) ** (-1 / shape),
    drawRest: (random) => random.unit() * least * (1 - random.unit()) ** (-1 / (shape - 1)),
  };
}

/** Sessions of a law that join as a Poisson process, so that on average `nodes` are under way at any time. */
export function sessionsOf(law: SessionLaw, nodes: number, seed: Seed): Sessions {
  const random = createRandom(seed, 'sessions', law.text);
  const initial = Array.from({ length: nodes }, () => law.drawRest(random));
  const joinRate = nodes / law.meanS;
  const sessions: Sessions = {
    initial,
    joinRate,
    joinS: 0,
    leaveS: 0,
    advance() {
      this.joinS -= Math.log1p(-random.unit()) / joinRate;
      this.leaveS = this.joinS + law.draw(random);
    },
  };
  sessions.advance();
  return sessions;
}

/** Γ(x) for x ≥ 1 by the approximation of Lanczos with g = 5 and six terms (Numerical Recipes, section 6.1). */
function gamma(x: number): number {
  const base = x + 4.5;
  const sum = LANCZOS.reduce((total, term, index) => total + term / (x + index), 1.000000000190015);
  return Math.exp((x - 0.5) * Math.log(base) - base) * Math.sqrt(2 * Math.PI) * sum;
}

const LANCZOS = [
  76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155,
  0.1208650973866179e-2, -0.5395239384953e-5,
] as const;

/** Draws from the gamma law with a shape of at least 1 by the method of Marsaglia and Tsang (2000). */
function drawGamma(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const angle = 2 * Math.PI * random.unit();
    const normal = Math.sqrt(-2 * Math.log1p(-random.unit())) * Math.cos(angle);
    const v = (1 + c * normal) ** 3;
    if (v > 0 && Math.log1p(-random.unit()) < normal * normal * 0.5 + d - d * v + d * Math.log(v)) {
      return d * v;
    }
  }
}

/** Most rows of a trace. */
export const TRACE_ROWS_MAX = 5_000_000;

/**
 * Reads a trace: lines `joinS,leaveS` after a line with these names. A session that joins at 0 or before is under way
 * at the beginning, and one without `leaveS` does not end. Throws LabError `arguments` with the line.
 */
export function parseTrace(text: string): readonly (readonly [joinS: number, leaveS: number])[] {
  const rows: (readonly [joinS: number, leaveS: number])[] = [];
  // An array of all lines would take more memory than the sessions.
  for (let [from, number] = [0, 1]; from <= text.length; number += 1) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end === -1 ? undefined : end).trim();
    from = end === -1 ? text.length + 1 : end + 1;
    if (number === 1 && line !== 'joinS,leaveS') throw traceFault(1, 'must be joinS,leaveS');
    if (number === 1 || line === '') continue;
    if (rows.length === TRACE_ROWS_MAX) {
      throw traceFault(number, `is one too many: at most ${TRACE_ROWS_MAX} sessions`);
    }
    rows.push(sessionIn(line, number));
  }
  if (rows.length === 0) throw traceFault(2, 'must be a session');
  return rows.sort(([one], [other]) => one - other);
}

function sessionIn(line: string, number: number): readonly [joinS: number, leaveS: number] {
  const [, join = '', leave = ''] = ROW.exec(line) ?? [];
  const row = [Number(join), leave === '' ? Number.POSITIVE_INFINITY : Number(leave)] as const;
  if (join !== '' && row[1] > Math.max(0, row[0])) return row;
  const what = 'must be two numbers of seconds, the second above 0 and above the first';
  throw traceFault(number, what);
}

const NUMBER = String.raw`-?\d{1,12}(?:\.\d{1,9})?`;
const ROW = new RegExp(`^(${NUMBER}),(${NUMBER})?$`);

function traceFault(line: number, what: string): LabError {
  return new LabError('arguments', `line ${line} of the trace ${what}`);
}

/** What is known of the sessions in the time asked for. */
export interface SessionCounts {
  readonly joins: number;
  /** Fewest and most that are under way at a time. */
  readonly least: number;
  readonly most: number;
}

/** How many sessions of a trace join within this time, and how few and many are under way at a time. */
export function countsIn(trace: ReturnType<typeof parseTrace>, seconds: number): SessionCounts {
  const joins = trace.filter(([joinS]) => joinS > 0 && joinS < seconds).map(([joinS]) => joinS);
  const leaves = trace.map(([, leaveS]) => leaveS).toSorted((one, other) => one - other);
  const first = trace.findLastIndex(([joinS]) => joinS <= 0) + 1;
  let [now, least, most, joined] = [first, first, first, 0];
  for (const leaveS of leaves) {
    while (joined < joins.length && (joins[joined] ?? 0) <= leaveS) {
      [joined, now] = [joined + 1, now + 1];
      most = Math.max(most, now);
    }
    if (leaveS >= seconds) break;
    now -= 1;
    least = Math.min(least, now);
  }
  return { joins: joins.length, least, most };
}

/** The sessions of a trace. */
export function sessionsIn(trace: ReturnType<typeof parseTrace>): Sessions {
  const first = trace.findIndex(([joinS]) => joinS > 0);
  const later = first === -1 ? [] : trace.slice(first);
  let at = -1;
  const sessions: Sessions = {
    initial: trace.slice(0, trace.length - later.length).map(([, leaveS]) => leaveS),
    joinRate: later.length / Math.max(1, later.at(-1)?.[0] ?? 1),
    joinS: 0,
    leaveS: 0,
    advance() {
      at += 1;
      [this.joinS, this.leaveS] = later[at] ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    },
  };
  sessions.advance();
  return sessions;
}
