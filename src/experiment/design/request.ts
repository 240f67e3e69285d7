/**
 * @module
 * The question that `design` answers: the event whose probability is limited, the adversary's means, and the
 * number, the speed and the patience of honest nodes. Refusals name the member, so that the command line and
 * the HTTP API report the same.
 */

import { z } from 'zod';

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { CHOSEN_DEFENCE_NAMES } from '../document/defence-names.ts';
import type { DesignQuestionName } from './questions.ts';
import { DESIGN_QUESTIONS, KEY, unfitReason, usualQuestion } from './questions.ts';

/** A question with every default filled in. */
export const designRequestSchema = z.object({
  protocol: z.enum(PROTOCOL_NAMES),
  /** The event whose probability is limited. */
  question: z.enum(DESIGN_QUESTIONS),
  /** Defences of the election. Their cost is stated; they do not change the difficulty. */
  defences: z.array(z.enum(CHOSEN_DEFENCE_NAMES)).readonly(),
  /** ε, the allowed probability of the event. */
  epsilon: z.number(),
  /** Seconds that the adversary spends on identities before the election. */
  time: z.number(),
  /** Rate of the adversary divided by the rate of an honest node: its machines, times the speed of each. */
  advantage: z.number(),
  /**
   * The part of the advantage that is the number of machines. By default it is the whole advantage, the case
   * in which a memory-hard function helps least.
   */
  machines: z.number(),
  /** n, the number of honest nodes. */
  nodes: z.number(),
  /** Candidates per second of one honest node. */
  rate: z.number(),
  /** Seconds within which an honest node must find an identity. */
  joinTime: z.number(),
  /** The probability with which it must. */
  joinQuantile: z.number(),
  /** The adversary's seconds before the window of registration opens. */
  preparation: z.number(),
  /** Length of the window of registration. */
  window: z.number(),
  /** Rate at which it hashes keys in stock, divided by the rate at which it makes and hashes new ones. */
  stockSpeed: z.number(),
  /** The advantage under a memory-hard function. By default that of the machines: only their speed is lost. */
  hardAdvantage: z.number(),
  /** Candidates per second of an honest node under a memory-hard function. */
  hardRate: z.number(),
});

export type DesignRequest = Readonly<z.output<typeof designRequestSchema>>;

type Wanted = 'epsilon' | 'time' | 'nodes' | 'rate' | 'joinTime';

/** A question. Members with a default can be left out. */
export type DesignQuestion = Pick<DesignRequest, Wanted> & {
  readonly [Member in Exclude<keyof DesignRequest, Wanted>]?: DesignRequest[Member] | undefined;
};

/** Evaluations of Argon2id with 64 MiB per second of one core, in native code. */
export const HARD_RATE = 20;

/** Advantages of one request. */
export const ADVANTAGES_MAX = 16;

/** Limit of the closed form. */
export const DESIGN_ATTEMPTS_MAX = 2 ** 60;

/** Fills in the defaults. Throws LabError `arguments` if a member is not valid. */
export function designRequest(question: DesignQuestion): DesignRequest {
  const { joinTime, time, rate, advantage = 1 } = question;
  const { window = joinTime } = question;
  const machines = Math.min(question.machines ?? advantage, advantage);
  const { protocol = DESIGN_PROTOCOL } = question;
  const request: DesignRequest = {
    ...question,
    protocol,
    question: askedQuestion(protocol, question.question),
    defences: question.defences ?? [],
    advantage,
    machines,
    joinQuantile: question.joinQuantile ?? 0.95,
    window,
    preparation: question.preparation ?? Math.max(0, time - window),
    // A key in stock is made, and its ID known: only the hash of its puzzle is left.
    stockSpeed: question.stockSpeed ?? KEY.time,
    // A function takes the speed of a machine away, never a machine. It does not make an adversary faster.
    hardAdvantage: question.hardAdvantage ?? machines,
    hardRate: question.hardRate ?? Math.min(rate, HARD_RATE),
  };
  if (request.preparation > time) {
    const wanted = `at most time (${time}), because it is a part of them`;
    throw refusal('preparation', wanted, request.preparation);
  }
  const attempts = time * advantage * rate;
  if (!(attempts <= DESIGN_ATTEMPTS_MAX)) {
    const wanted = 'such that time × advantage × rate is at most 2^60';
    throw refusal('time', wanted, time);
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

function refusal(name: 'preparation' | 'time', wanted: string, value: number): LabError {
  const detail = `${name} must be ${wanted}, got ${value}`;
  return new LabError('arguments', detail, [{ pointer: `/${name}`, detail }]);
}
