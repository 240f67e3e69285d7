/**
 * @module
 * The shape of a threat model: prose under five headings for people, and beside it the part that runs.
 * One zod schema validates documents, gives the type and is published as JSON Schema for editors.
 * Whether there are adversaries, what they may spend and what must hold is all said here; whatever a
 * document leaves out has the default that the schema states.
 */

import { z } from 'zod';

import { parseWish, WISH_FORMS } from '../adversary/goals.ts';
import { ALGORITHM_NAMES } from '../election/registry.ts';
import { policySchema } from '../identity/policy.ts';
import { SCHEME_NAMES } from '../identity/scheme.ts';
import { STRONGEST_STRATEGY } from '../mining/strategies.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../mining/strategy.ts';
import { checkTogether } from './consistency.ts';
import {
  ADVERSARIES_MAX,
  BUDGET_COUNT_MAX,
  BUDGET_SECONDS_MAX,
  HONEST_MAX,
  RATE_MAX,
  RUNS_MAX,
  STOCKPILED_MAX,
} from './limits.ts';

/** What a run is asked for: that an adversary leads, or that the highest node ID does. */
const PROPERTY_NAMES = ['adversary-leads', 'highest-leads'] as const;

/** One of each family. */
const ALGORITHMS_DEFAULT = ['bully-oneshot', 'cr-join'] as const;

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const NAME_ERROR =
  'must be a name of lower-case letters, digits and hyphens, at most 32, for example main';
const PROSE_CHARACTERS_MAX = 4000;

const budgetSchema = z
  .strictObject({
    attempts: integer(0, BUDGET_COUNT_MAX).optional().meta({ description: 'Candidates tested.' }),
    hashes: integer(0, BUDGET_COUNT_MAX).optional().meta({ description: 'Hash evaluations.' }),
    cpuSeconds: seconds().optional().meta({ description: 'CPU time of all mining threads.' }),
    wallSeconds: seconds().optional().meta({ description: 'Time on the wall.' }),
  })
  .refine((budget) => Object.values(budget).some((bound) => bound !== undefined), {
    error: 'must have at least one bound: attempts, hashes, cpuSeconds or wallSeconds',
  })
  .meta({
    description: 'What the adversary may spend in a run; whichever bound comes first ends it.',
    minProperties: 1,
  });

const WISH_ERROR = `must be ${WISH_FORMS}`;
const RATE_ERROR = `must be candidates per second, a number above 0 up to ${RATE_MAX}, or measured`;
const rateSchema = z
  .number({ error: RATE_ERROR })
  .gt(0, { error: RATE_ERROR })
  .max(RATE_MAX, { error: RATE_ERROR });

const adversarySchema = z
  .strictObject({
    budget: budgetSchema,
    rate: z
      .union([rateSchema, z.literal('measured')], { error: RATE_ERROR })
      .optional()
      .meta({ description: 'Candidates per second: turns seconds into attempts in sampled work.' }),
    strategy: oneOf(STRATEGY_NAMES).default(STRONGEST_STRATEGY).meta({
      description: 'How candidates are made; the strongest that a strict policy allows by default.',
    }),
    dynamicStrategy: oneOf(DYNAMIC_STRATEGY_NAMES).optional().meta({
      description:
        'How the dynamic puzzle is solved; amortised-xor by default where its form is xor, else dynamic.',
    }),
    stockpile: integer(1, STOCKPILED_MAX).optional().meta({
      description: 'For the strategy stockpile: keys made before the budget begins to count.',
    }),
    goal: z
      .string({ error: WISH_ERROR })
      .refine((text) => parseWish(text) !== null, { error: WISH_ERROR })
      .default('top')
      .meta({
        description:
          'top: above every honest node ID. near:<id>: closer to it than every honest one. count:<k>: so many identities. Also any, above:<id>, between:<id>:<id>.',
        examples: ['top', 'count:16'],
      }),
  })
  .meta({ description: 'One adversary.' });

const electionSchema = z
  .strictObject({
    algorithms: z
      .array(oneOf(ALGORITHM_NAMES), { error: listError(ALGORITHM_NAMES) })
      .min(1, { error: listError(ALGORITHM_NAMES) })
      .max(ALGORITHM_NAMES.length, { error: listError(ALGORITHM_NAMES) })
      .default([...ALGORITHMS_DEFAULT])
      .meta({
        description: 'The elections held among all nodes, one after the other.',
        uniqueItems: true,
      }),
    latency: z
      .union(
        [
          z.number().meta({ type: 'integer', minimum: 1 }),
          z.string().meta({ pattern: '^([0-9]+|uniform:[0-9]+:[0-9]+|exp:[0-9]+)$' }),
        ],
        { error: 'must be a number of ticks, uniform:MIN:MAX or exp:MEAN' },
      )
      .default(1)
      .meta({
        description: 'Ticks a message travels: a whole number, uniform:MIN:MAX or exp:MEAN.',
      }),
  })
  .meta({ description: 'Which elections are held.' });

const identitySchema = z
  .strictObject({
    scheme: oneOf(SCHEME_NAMES).default('ed25519').meta({ description: 'The signature scheme.' }),
    ...policySchema.shape,
  })
  .meta({ description: 'What a claim must show to be admitted: the policy, and the scheme.' });

const networkSchema = z
  .strictObject({
    honest: integer(1, HONEST_MAX).meta({ description: 'How many honest nodes there are.' }),
    identity: identitySchema.prefault({}),
    election: electionSchema.prefault({}),
  })
  .meta({ description: 'The honest population and its rules.' });

const expectSchema = z
  .strictObject({
    property: oneOf(PROPERTY_NAMES).meta({
      description:
        'adversary-leads: an adversary leads in all elections of the run. highest-leads: in all of them every node agrees on the highest node ID.',
    }),
    comparison: oneOf(['at-most', 'at-least']).meta({
      description: 'Which side of the bound is expected.',
    }),
    probability: z
      .number({ error: 'must be a probability from 0 to 1' })
      .min(0, { error: 'must be a probability from 0 to 1' })
      .max(1, { error: 'must be a probability from 0 to 1' })
      .meta({ description: 'The bound on the probability that a run has the property.' }),
    confidence: z
      .number({ error: 'must be a confidence above 0 and below 1, for example 0.95' })
      .gt(0, { error: 'must be a confidence above 0 and below 1, for example 0.95' })
      .lt(1, { error: 'must be a confidence above 0 and below 1, for example 0.95' })
      .default(0.95)
      .meta({ description: 'The confidence of the interval that is compared with the bound.' }),
  })
  .meta({ description: 'What must hold; the verdict answers it.' });

export const threatModelSchema = z
  .strictObject({
    id: z
      .string({ error: NAME_ERROR })
      .regex(NAME, { error: NAME_ERROR })
      .meta({ description: "The document's name, as `usurp run` takes it." }),
    title: prose('One line that says what is at stake.'),
    assumes: prose('What is taken for granted.'),
    can: prose('What the adversary can do.'),
    cannot: prose('What the adversary cannot do.'),
    wants: prose('What the adversary wants.'),
    outcome: prose('What comes out, and why.'),
    work: oneOf(['mined', 'sampled']).default('mined').meta({
      description:
        'mined: identities are really mined and elections really held. sampled: the number of forged identities and the rank keys are drawn from their exact distributions.',
    }),
    runs: integer(1, RUNS_MAX)
      .default(100)
      .meta({ description: 'Runs, unless a command says otherwise.' }),
    network: networkSchema,
    adversaries: z
      .record(z.string().regex(NAME, { error: NAME_ERROR }), adversarySchema)
      .refine((map) => Object.keys(map).length <= ADVERSARIES_MAX, {
        error: `must have at most ${ADVERSARIES_MAX} adversaries`,
      })
      .default({})
      .meta({ description: 'The adversaries by name; {} where there are none.' }),
    expect: expectSchema,
  })
  .superRefine(checkTogether)
  .meta({ title: 'usurp threat model', description: 'An executable threat model.' });

/** A type whose members, and theirs, cannot be assigned. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** A valid threat model with every default filled in. */
export type ThreatModel = Frozen<z.output<typeof threatModelSchema>>;
export type Adversary = ThreatModel['adversaries'][string];

/** The JSON Schema of a document as an author writes it (defaults may be left out). */
export const THREAT_MODEL_JSON_SCHEMA: z.core.JSONSchema.JSONSchema = z.toJSONSchema(
  threatModelSchema,
  { io: 'input' },
);

/** The adversaries in the order of their names, which is the order of every loop over them. */
export function adversariesOf(model: ThreatModel): readonly (readonly [string, Adversary])[] {
  return Object.entries(model.adversaries).sort(([left], [right]) => (left < right ? -1 : 1));
}

function integer(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function seconds() {
  const error = `must be seconds, a number from 0 to ${BUDGET_SECONDS_MAX}`;
  return z.number({ error }).min(0, { error }).max(BUDGET_SECONDS_MAX, { error });
}

function oneOf<const Names extends readonly string[]>(names: Names) {
  return z.enum(names, { error: `must be ${alternatives(names)}` });
}

function prose(description: string) {
  const error = `must be text of 1 to ${PROSE_CHARACTERS_MAX} characters`;
  return z
    .string({ error })
    .min(1, { error })
    .max(PROSE_CHARACTERS_MAX, { error })
    .meta({ description });
}

function listError(names: readonly string[]): string {
  return `must be a list of ${alternatives(names)}, for example [${names.join(', ')}]`;
}

function alternatives(names: readonly string[]): string {
  return names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
