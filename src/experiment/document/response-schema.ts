/**
 * @module
 * The response of an adversary to the rules of a network: how many identities it registers and where, when it
 * registers them, and how its nodes behave. A part that a document states is fixed. For a part that it leaves
 * out, the best response is chosen (../response).
 */

import { z } from 'zod';

import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import type { Wish } from '../../adversary/goals.ts';
import { parseWish, WISH_FORMS } from '../../adversary/goals.ts';
import { IDENTITIES_MAX } from '../../mining/saved-search.ts';
import { parseQuantity } from '../../quantities.ts';
import { oneOf, someOf } from './wording.ts';

/** The goal of an adversary that registers every identity that its budget pays for. */
export const ALL_IDENTITIES = 'all';
/** When an adversary registers its forged identities. */
export const REGISTRATION_TIMES = ['before', 'after'] as const;
export type RegistrationTime = (typeof REGISTRATION_TIMES)[number];

const GOAL_ERROR = `must be ${ALL_IDENTITIES}, top:<k>, successors:<k>, ${WISH_FORMS}, where k is at most ${IDENTITIES_MAX}`;

/** The members of the response, which a document can fix for all protocols or for one. */
export const RESPONSE_PARTS = {
  goal: z
    .string({ error: GOAL_ERROR })
    .refine(
      (text) => text === ALL_IDENTITIES || aimedOf(text) !== null || parseWish(text) !== null,
      { error: GOAL_ERROR },
    )
    .optional()
    .meta({
      description:
        'How many identities it registers, and where. top: one, above every honest node ID. top:<k>: k of them, or top:all. successors:<k>: k between the victim and the next honest node, or successors:all. any: one, wherever it falls. count:<k>: k, wherever they fall. all: as many as the budget pays for. near:<id>: one, closer to it than every honest one. Also above:<id>, between:<id>:<id>. The default is the best response.',
      examples: ['top', 'count:16', 'all'],
    }),
  registers: oneOf(REGISTRATION_TIMES)
    .optional()
    .describe(
      'When it registers forged identities. before: before registration closes, without knowledge of the honest node IDs. after: when the honest nodes are known. The default is the best response.',
    ),
  behaviours: someOf(BEHAVIOUR_NAMES).optional().meta({
    description:
      'What it does in elections instead of following the protocol. The first is nearest to the protocol. Elections are staged so that each can take effect, for example with a leader that crashes. [] if it follows the protocol. The default is the best response.',
    uniqueItems: true,
  }),
};

/** A response without open parts. */
export interface Response {
  /** A wish, or `all`. */
  readonly goal: string;
  readonly registers: RegistrationTime;
  readonly behaviours: readonly BehaviourName[];
}

/** The response with parts that are still open. */
export interface OpenResponse {
  readonly goal?: string | undefined;
  readonly registers?: RegistrationTime | undefined;
  readonly behaviours?: readonly BehaviourName[] | undefined;
}

/** The parts of a response that a document fixes. */
export type FixedParts = Partial<Response>;

/** One identity above all others, made when the honest nodes are known, that follows the protocol. */
export const NAIVE_RESPONSE: Response = { goal: 'top', registers: 'after', behaviours: [] };

/** The response with open parts as in the naive one. */
export function responseOf(parts: OpenResponse): Response {
  return { ...NAIVE_RESPONSE, ...statedParts(parts) };
}

/** The parts that are stated. */
export function statedParts({ goal, registers, behaviours }: OpenResponse): FixedParts {
  return {
    ...(goal === undefined ? {} : { goal }),
    ...(registers === undefined ? {} : { registers }),
    ...(behaviours === undefined ? {} : { behaviours }),
  };
}

/** A goal that seeks identities in one region, so that all other IDs are dropped before their puzzle. */
export interface Aimed {
  /** Above every honest ID, or between the victim and the next honest node in the order of ranks. */
  readonly region: 'top' | 'successors';
  /** Infinity if the budget alone limits them. */
  readonly identities: number;
}

/** The region that a goal is about, if the honest nodes define it. */
export function aimedOf(goal: string): Aimed | null {
  if (goal === 'top') return { region: 'top', identities: 1 };
  const [region = '', count = '', ...others] = goal.split(':');
  if ((region !== 'top' && region !== 'successors') || others.length > 0) return null;
  if (count === ALL_IDENTITIES) return { region, identities: Number.POSITIVE_INFINITY };
  const identities = parseQuantity('count', count);
  return identities >= 1 && identities <= IDENTITIES_MAX ? { region, identities } : null;
}

/** The goal as a search for identities has it. Throws TypeError for a text that the schema refuses. */
export function wishOf(goal: string): Wish {
  const wish: Wish | null =
    goal === ALL_IDENTITIES ? { type: 'count', identities: IDENTITIES_MAX } : parseWish(goal);
  if (wish === null) throw new TypeError(`"goal" expected ${WISH_FORMS}, got ${goal}`);
  return wish;
}

/**
 * Most identities that an adversary with this goal registers. Infinity if the budget alone limits them. Null
 * for a goal that is about one position in the space of IDs.
 */
export function identitiesMaxOf(goal: string): number | null {
  if (goal === ALL_IDENTITIES) return Number.POSITIVE_INFINITY;
  const aimed = aimedOf(goal);
  if (aimed !== null) return aimed.identities;
  const wish = parseWish(goal);
  switch (wish?.type) {
    case 'any':
      return 1;
    case 'count':
      return wish.identities;
    default:
      return null;
  }
}
