/**
 * @module
 * The question that `design` answers: the event whose probability is limited, the adversary's means, and the
 * number, the speed and the patience of honest nodes. Refusals name the member, so that the command line and
 * the HTTP API report the same.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { ChosenDefence } from '../document/defence-names.ts';
import { BUDGET_SECONDS_MAX, HONEST_MAX, RATE_MAX } from '../document/limits.ts';
import type { DesignQuestionName } from './questions.ts';
import { DESIGN_QUESTIONS, KEY, unfitReason, usualQuestion } from './questions.ts';

/** A question with every default filled in. */
export interface DesignRequest {
  readonly protocol: ProtocolName;
  /** The event whose probability is limited. */
  readonly question: DesignQuestionName;
  /** Defences of the election. Their cost is stated; they do not change the difficulty. */
  readonly electionDefences: readonly ChosenDefence[];
  /** ε, the allowed probability of the event. */
  readonly epsilon: number;
  /** Seconds that the adversary spends on identities before the election. */
  readonly adversarySeconds: number;
  /** Rate of the adversary divided by the rate of an honest node: its machines, times the speed of each. */
  readonly advantage: number;
  /**
   * The part of the advantage that is the number of machines. By default it is the whole advantage, the case
   * in which a memory-hard function helps least.
   */
  readonly machines: number;
  /** n, the number of honest nodes. */
  readonly nodes: number;
  /** Candidates per second of one honest node. */
  readonly candidatesPerSecond: number;
  /** Seconds within which an honest node must find an identity. */
  readonly joinSeconds: number;
  /** The probability with which it must. */
  readonly joinQuantile: number;
  /** The adversary's seconds before the window of registration opens. */
  readonly preparationSeconds: number;
  /** Length of the window of registration. */
  readonly windowSeconds: number;
  /** Rate at which it hashes keys in stock, divided by the rate at which it makes and hashes new ones. */
  readonly stockSpeed: number;
  /** The advantage under a memory-hard function. By default that of the machines: only their speed is lost. */
  readonly hardAdvantage: number;
  /** Candidates per second of an honest node under a memory-hard function. */
  readonly hardCandidatesPerSecond: number;
}

type Wanted = 'epsilon' | 'adversarySeconds' | 'nodes' | 'candidatesPerSecond' | 'joinSeconds';

/** A question. Members with a default can be left out. */
export type DesignQuestion = Pick<DesignRequest, Wanted> & {
  readonly [Member in Exclude<keyof DesignRequest, Wanted>]?: DesignRequest[Member] | undefined;
};

/** Advantages of one request. */
export const ADVANTAGES_MAX = 16;

/** Limit of the closed form. */
export const DESIGN_ATTEMPTS_MAX = 2 ** 60;
const EPSILON_MIN = 1e-15;
const FACTOR_MAX = 1e12;
const QUANTILE_MAX = 1 - 1e-9;

/** Fills in the defaults. Throws LabError `arguments` if a member is not valid. */
export function designRequest(question: DesignQuestion): DesignRequest {
  const { joinSeconds, adversarySeconds, candidatesPerSecond, advantage = 1 } = question;
  const { windowSeconds = joinSeconds, machines = advantage } = question;
  const { protocol = DESIGN_PROTOCOL } = question;
  const request: DesignRequest = {
    ...question,
    protocol,
    question: askedQuestion(protocol, question.question),
    electionDefences: question.electionDefences ?? [],
    advantage,
    machines,
    joinQuantile: question.joinQuantile ?? 0.95,
    windowSeconds,
    preparationSeconds:
      question.preparationSeconds ?? Math.max(0, adversarySeconds - windowSeconds),
    // A key in stock is made, and its ID known: only the hash of its puzzle is left.
    stockSpeed: question.stockSpeed ?? KEY.time,
    // A function takes the speed of a machine away, never a machine. It does not make an adversary faster.
    hardAdvantage: question.hardAdvantage ?? Math.min(machines, advantage),
    hardCandidatesPerSecond: question.hardCandidatesPerSecond ?? candidatesPerSecond,
  };
  for (const name of QUANTITIES) assertThat(name, request[name], QUESTION_BOUNDS[name]);
  if (!Number.isInteger(request.nodes)) throw refusal('nodes', 'a whole number', request.nodes);
  if (request.preparationSeconds > adversarySeconds) {
    const wanted = `at most adversarySeconds (${adversarySeconds}), because it is a part of them`;
    throw refusal('preparationSeconds', wanted, request.preparationSeconds);
  }
  const attempts = adversarySeconds * advantage * candidatesPerSecond;
  if (!(attempts <= DESIGN_ATTEMPTS_MAX)) {
    const wanted = 'such that adversarySeconds × advantage × candidatesPerSecond is at most 2^60';
    throw refusal('adversarySeconds', wanted, adversarySeconds);
  }
  return request;
}

/** The protocol if none is stated: its highest rank leads. */
export const DESIGN_PROTOCOL: ProtocolName = 'bully-oneshot';

/** The question, or the usual one about the protocol. Throws LabError `arguments` for one that does not fit. */
function askedQuestion(
  protocol: ProtocolName,
  asked: DesignQuestionName | undefined,
): DesignQuestionName {
  const usual = usualQuestion(protocol);
  if (asked === undefined && usual !== null) return usual;
  const fitting = DESIGN_QUESTIONS.filter((name) => unfitReason(name, protocol) === null);
  const reason = unfitReason(asked ?? 'adversary-leads', protocol);
  if (asked !== undefined && reason === null) return asked;
  if (fitting.length > 0) {
    const detail = `question must be ${fitting.join(' or ')} for ${protocol}, because ${reason}; got ${asked}`;
    throw new LabError('arguments', detail, [{ pointer: '/question', detail }]);
  }
  const others = PROTOCOL_NAMES.filter((name) => usualQuestion(name) !== null);
  const detail = `protocol must be one of ${others.join(', ')}: no difficulty limits who leads, because ${reason}`;
  throw new LabError('arguments', detail, [{ pointer: '/protocol', detail }]);
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly wanted: string;
}

const SECONDS = between(1e-6, BUDGET_SECONDS_MAX, 'seconds above 0');
const FACTOR = between(1e-6, FACTOR_MAX, 'a factor above 0');
const RATE = between(1e-3, RATE_MAX, 'candidates per second above 0');

/** What a design is computed from, with the bounds of each number. In the order in which faults are reported. */
export const QUESTION_BOUNDS = {
  epsilon: {
    least: EPSILON_MIN,
    most: 1 - EPSILON_MIN,
    wanted: `a probability above 0 and below 1, at least ${EPSILON_MIN}`,
  },
  adversarySeconds: SECONDS,
  advantage: FACTOR,
  nodes: { least: 1, most: HONEST_MAX, wanted: `a whole number in 1..${HONEST_MAX}` },
  candidatesPerSecond: RATE,
  joinSeconds: SECONDS,
  joinQuantile: {
    least: 1e-9,
    most: QUANTILE_MAX,
    wanted: 'a probability above 0 and below 1, such as 0.95',
  },
  preparationSeconds: { ...SECONDS, least: 0 },
  windowSeconds: SECONDS,
  stockSpeed: FACTOR,
  machines: FACTOR,
  hardAdvantage: FACTOR,
  hardCandidatesPerSecond: RATE,
} as const satisfies Record<
  Exclude<keyof DesignRequest, 'protocol' | 'question' | 'electionDefences'>,
  Bounds
>;

type Quantity = keyof typeof QUESTION_BOUNDS;

// Object.keys loses the types of the names.
const QUANTITIES = Object.keys(QUESTION_BOUNDS) as readonly Quantity[];

function between(least: number, most: number, wanted: string): Bounds {
  return { least, most, wanted: `${wanted}, at most ${most}` };
}

function assertThat(name: Quantity, value: number, { least, most, wanted }: Bounds): void {
  if (!(value >= least && value <= most)) throw refusal(name, wanted, value);
}

function refusal(name: Quantity, wanted: string, value: number): LabError {
  const detail = `${name} must be ${wanted}, got ${value}`;
  return new LabError('arguments', detail, [{ pointer: `/${name}`, detail }]);
}
