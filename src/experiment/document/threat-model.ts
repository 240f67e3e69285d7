/**
 * @module
 * The shape of a threat model: prose under five headings for people, and beside it the part that runs.
 * One zod schema validates documents, gives the type and is published as JSON Schema for editors.
 * Whether there are adversaries, what they may spend, which failures are met and what must hold is all
 * said here; whatever a document leaves out has the default that the schema states.
 */

import { z } from 'zod';
import { PROPERTIES, PROPERTY_NAMES } from '../properties/registry.ts';
import { adversarySchema } from './adversary-schema.ts';
import { epochsSchema, faultsSchema } from './happenings-schema.ts';
import {
  ADVERSARIES_MAX,
  CONFIRMED_RUNS_MAX,
  HONEST_MAX,
  RUNS_MAX,
  SWEEP_AXES_MAX,
  SWEEP_CELLS_MAX,
  SWEEP_VALUES_MAX,
} from './limits.ts';
import { networkSchema } from './network-schema.ts';
import { integer, oneOf, prose } from './wording.ts';

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const NAME_ERROR =
  'must be a name of lower-case letters, digits and hyphens, at most 32, for example main';

const PROBABILITY_ERROR = 'must be a probability from 0 to 1';
const CONFIDENCE_ERROR = 'must be a confidence above 0 and below 1, for example 0.95';

const COUNTED = PROPERTY_NAMES.filter((name) => PROPERTIES[name].isCounted);

const expectSchema = z
  .strictObject({
    property: oneOf(PROPERTY_NAMES).meta({
      description: PROPERTY_NAMES.map((name) => `${name}: ${PROPERTIES[name].description}.`).join(
        ' ',
      ),
    }),
    count: integer(1, HONEST_MAX)
      .default(1)
      .meta({
        description: `For ${COUNTED.join(' and ')}: the number of ranks or successors.`,
      }),
    comparison: oneOf(['at-most', 'at-least']).meta({
      description: 'Which side of the bound is expected.',
    }),
    probability: z
      .number({ error: PROBABILITY_ERROR })
      .min(0, { error: PROBABILITY_ERROR })
      .max(1, { error: PROBABILITY_ERROR })
      .meta({ description: 'The bound on the probability that a run has the property.' }),
    confidence: z
      .number({ error: CONFIDENCE_ERROR })
      .gt(0, { error: CONFIDENCE_ERROR })
      .lt(1, { error: CONFIDENCE_ERROR })
      .default(0.95)
      .meta({ description: 'The confidence of the interval that is compared with the bound.' }),
  })
  .meta({ description: 'What must hold; the verdict answers it.' });

const AXIS_ERROR =
  'must be a list of values, or a range: range(8,28,2), both ends included, or 2^10:2^18|*2';

const axisSchema = z
  .union(
    [
      z
        .array(z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]))
        .min(1)
        .max(SWEEP_VALUES_MAX),
      z.string().min(1).max(4096),
    ],
    { error: AXIS_ERROR },
  )
  .meta({ description: 'The values of one member, in their order.' });

const sweepSchema = z
  .strictObject({
    axes: z
      .record(z.string().regex(/^[A-Za-z][\w.-]{0,199}$/), axisSchema)
      .refine((axes) => Object.keys(axes).length <= SWEEP_AXES_MAX, {
        error: `must have at most ${SWEEP_AXES_MAX} axes`,
      })
      .meta({
        description:
          'By path in this document, such as network.identity.c1: a list of values, or a range as usurp sweep --set takes it.',
      }),
    runs: integer(1, RUNS_MAX).optional().meta({ description: 'Runs of each cell.' }),
    sample: integer(1, SWEEP_CELLS_MAX).optional().meta({
      description: 'How many cells are drawn of the grid; all by default.',
    }),
  })
  .meta({ description: 'What usurp sweep varies unless told otherwise.' });

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
    confirmRuns: integer(0, CONFIRMED_RUNS_MAX).optional().meta({
      description:
        'Sampled work: so many runs, from the first, hold the elections whose winner was drawn, to confirm it; as many as are soon done by default.',
    }),
    network: networkSchema,
    faults: faultsSchema.optional(),
    epochs: epochsSchema.optional(),
    adversaries: z
      .record(z.string().regex(NAME, { error: NAME_ERROR }), adversarySchema)
      .refine((map) => Object.keys(map).length <= ADVERSARIES_MAX, {
        error: `must have at most ${ADVERSARIES_MAX} adversaries`,
      })
      .default({})
      .meta({ description: 'The adversaries by name; {} where there are none.' }),
    expect: expectSchema,
    sweep: sweepSchema.optional(),
  })
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
