/**
 * @module
 * The question that `design` answers: how often the adversary may lead, what it has, how many honest
 * nodes there are, how fast they are and how long they wait. Refusals name the member, so that the
 * command line and the HTTP API say the same.
 */

import { LabError } from '../../errors.ts';
import { BUDGET_SECONDS_MAX, HONEST_MAX, RATE_MAX } from '../document/limits.ts';

/** All in one place, every default filled in. */
export interface DesignRequest {
  /** ε, the probability to bear that the adversary has the top ID. */
  readonly epsilon: number;
  /** What the adversary spends on identities until the election, whenever that is. */
  readonly adversarySeconds: number;
  /** How many times as many candidates a second it tests as an honest node. */
  readonly advantage: number;
  /** n, the honest nodes. */
  readonly nodes: number;
  /** Candidates that one honest node tests in a second. */
  readonly candidatesPerSecond: number;
  /** How long an honest node accepts to mine, and with what probability it must be done by then. */
  readonly joinSeconds: number;
  readonly joinQuantile: number;
  /** Of the adversary's seconds those before the window of registration opens. */
  readonly preparationSeconds: number;
  /** How long the window of registration is open. */
  readonly windowSeconds: number;
  /** How many times as fast it hashes a key in stock as it makes and hashes a new one. */
  readonly stockSpeed: number;
  /** What a memory-hard function leaves of its advantage, and honest candidates per second under it. */
  readonly hardAdvantage: number;
  readonly hardCandidatesPerSecond: number;
}

type Wanted = 'epsilon' | 'adversarySeconds' | 'nodes' | 'candidatesPerSecond' | 'joinSeconds';

/** The question with what may be left out left out. */
export type DesignQuestion = Pick<DesignRequest, Wanted> & {
  readonly [Member in Exclude<keyof DesignRequest, Wanted>]?: DesignRequest[Member] | undefined;
};

/** The most that the closed form takes, more than all miners of the world make in a day. */
export const DESIGN_ATTEMPTS_MAX = 2 ** 60;
const EPSILON_MIN = 1e-15;
const FACTOR_MAX = 1e12;
const QUANTILE_MAX = 1 - 1e-9;

/** The request of a question; throws LabError `arguments` for what cannot be answered. */
export function designRequest(question: DesignQuestion): DesignRequest {
  const { joinSeconds, adversarySeconds, candidatesPerSecond, advantage = 1 } = question;
  const { windowSeconds = joinSeconds } = question;
  const request: DesignRequest = {
    ...question,
    advantage,
    joinQuantile: question.joinQuantile ?? 0.95,
    windowSeconds,
    preparationSeconds:
      question.preparationSeconds ?? Math.max(0, adversarySeconds - windowSeconds),
    stockSpeed: question.stockSpeed ?? 1,
    // No function makes an adversary faster than it is.
    hardAdvantage: question.hardAdvantage ?? Math.min(1, advantage),
    hardCandidatesPerSecond: question.hardCandidatesPerSecond ?? candidatesPerSecond,
  };
  for (const [name, bounds] of BOUNDS) assertThat(name, request[name], bounds);
  if (!Number.isInteger(request.nodes)) throw refusal('nodes', 'a whole number', request.nodes);
  if (request.preparationSeconds > adversarySeconds) {
    const wanted = `at most adversarySeconds (${adversarySeconds}), of which it is a part`;
    throw refusal('preparationSeconds', wanted, request.preparationSeconds);
  }
  const attempts = adversarySeconds * advantage * candidatesPerSecond;
  if (!(attempts <= DESIGN_ATTEMPTS_MAX)) {
    const wanted = 'such that adversarySeconds × advantage × candidatesPerSecond is at most 2^60';
    throw refusal('adversarySeconds', wanted, adversarySeconds);
  }
  return request;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly wanted: string;
}

const SECONDS = between(1e-6, BUDGET_SECONDS_MAX, 'seconds above 0');
const FACTOR = between(1e-6, FACTOR_MAX, 'a factor above 0');
const RATE = between(1e-3, RATE_MAX, 'candidates per second above 0');

/** In the order in which faults are reported. */
const BOUNDS: readonly (readonly [keyof DesignRequest, Bounds])[] = [
  [
    'epsilon',
    {
      least: EPSILON_MIN,
      most: 1 - EPSILON_MIN,
      wanted: `a probability above 0 and below 1, at least ${EPSILON_MIN}`,
    },
  ],
  ['adversarySeconds', SECONDS],
  ['advantage', FACTOR],
  ['nodes', { least: 1, most: HONEST_MAX, wanted: `a whole number in 1..${HONEST_MAX}` }],
  ['candidatesPerSecond', RATE],
  ['joinSeconds', SECONDS],
  [
    'joinQuantile',
    { least: 1e-9, most: QUANTILE_MAX, wanted: 'a probability above 0 and below 1, such as 0.95' },
  ],
  ['preparationSeconds', { ...SECONDS, least: 0 }],
  ['windowSeconds', SECONDS],
  ['stockSpeed', FACTOR],
  ['hardAdvantage', FACTOR],
  ['hardCandidatesPerSecond', RATE],
];

function between(least: number, most: number, wanted: string): Bounds {
  return { least, most, wanted: `${wanted}, at most ${most}` };
}

function assertThat(
  name: keyof DesignRequest,
  value: number,
  { least, most, wanted }: Bounds,
): void {
  if (!(value >= least && value <= most)) throw refusal(name, wanted, value);
}

function refusal(name: keyof DesignRequest, wanted: string, value: number): LabError {
  const detail = `${name} must be ${wanted}, got ${value}`;
  return new LabError('arguments', detail, [{ pointer: `/${name}`, detail }]);
}
