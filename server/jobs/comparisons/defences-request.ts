/**
 * @module
 * The body of `POST /v1/defence-comparisons`, and how it becomes a comparison. Its members are the flags of
 * `usurp compare` with the same meaning and defaults. The limits are those of this server.
 */

import { z } from '@hono/zod-openapi';
import { COMPARED_DEFENCES } from '../../../src/experiment/compare/names.ts';
import type { CompareQuestion } from '../../../src/experiment/compare/question.ts';
import {
  ADVANTAGE_MAX,
  COMPARISON_DEFAULTS,
  referenceOf,
} from '../../../src/experiment/compare/question.ts';
import { questionWords } from '../../../src/experiment/compare/report.ts';
import { allSets, readSets, setName } from '../../../src/experiment/compare/sets.ts';
import { RATE_MAX } from '../../../src/experiment/document/limits.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { shellWord } from '../../../src/experiment/reading/shell-word.ts';
import type { Seed } from '../../../src/random.ts';
import { faultAt, pointingAt, schemaFault } from '../../contract/faults.ts';
import {
  countSchema,
  oneOf,
  protocolNamesSchema,
  seedOf,
  seedSchema,
} from '../../contract/members.ts';
import { modelIn, modelSourceSchema } from '../model-source.ts';
import { setSchema, settingsIn } from '../settings.ts';
import { SWEEP_CELLS_PER_REQUEST_MAX, SWEEP_ROWS_PER_REQUEST_MAX } from '../sweeps/request.ts';

/** A comparison that was checked, except its rows: a protocol or the document may refuse some of them. */
export interface DefencesRequest {
  readonly body: z.output<typeof defencesRequestSchema>;
  /** What stands for the model in commands. */
  readonly file: string;
  readonly model: ThreatModel;
  readonly question: CompareQuestion;
  readonly runs: number;
  readonly seed: Seed;
  /** The command that gives the same result. */
  readonly replay: string;
}

const FACTOR_RULE = `must be a number above 0 and at most ${ADVANTAGE_MAX}`;
const factorSchema = z.number(FACTOR_RULE).positive(FACTOR_RULE).max(ADVANTAGE_MAX, FACTOR_RULE);
const RATE_RULE = `must be a number above 0 and at most ${RATE_MAX}`;

export const defencesRequestSchema = z
  .strictObject({
    threatModel: modelSourceSchema.default(COMPARISON_DEFAULTS.model),
    set: setSchema.optional(),
    defences: z
      .array(z.array(oneOf(COMPARED_DEFENCES)).max(COMPARED_DEFENCES.length))
      .min(1, 'must have a set')
      .max(200)
      .optional()
      .meta({
        description: 'Sets of defences; [] is none. By default none and each alone.',
        example: [[], ['beacon-rank'], ['beacon-rank', 'proof-of-work']],
      }),
    pairs: z.boolean().default(false).describe('Every pair of defences as well.'),
    protocols: protocolNamesSchema.optional().meta({
      description: `Those of the threat model by default; without one ${COMPARISON_DEFAULTS.protocols.join(', ')}.`,
      uniqueItems: true,
    }),
    advantages: z
      .array(factorSchema)
      .min(1, 'must have a factor')
      .max(64)
      .default([...COMPARISON_DEFAULTS.advantages])
      .describe('Budgets of the adversary, as multiples of the budget in the threat model.'),
    machines: factorSchema
      .optional()
      .describe(
        'Part of an advantage that is the number of machines; a memory-hard function reduces only the rest. By default the whole.',
      ),
    hardRate: z
      .number(RATE_RULE)
      .positive(RATE_RULE)
      .max(RATE_MAX, RATE_RULE)
      .default(COMPARISON_DEFAULTS.hardRate)
      .describe('Candidates per second of an honest node under the memory-hard function.'),
    runs: countSchema(1, SWEEP_ROWS_PER_REQUEST_MAX)
      .optional()
      .meta({ description: 'Runs of each cell; the document has the default.', example: 20 }),
    seed: seedSchema.optional(),
  })
  .meta({ id: 'DefenceComparisonRequest' });

/** Throws LabError `schema`, `arguments` or `job.size` for a comparison that is not possible. */
export function parseDefencesRequest(
  body: z.output<typeof defencesRequestSchema>,
  catalogue: readonly ThreatModel[],
): DefencesRequest {
  const { set = {}, defences, pairs, machines = null, hardRate } = body;
  const { file, model } = modelIn(body.threatModel, catalogue);
  if (defences !== undefined && pairs) {
    throw schemaFault('/pairs', 'has no meaning beside defences, which names all sets');
  }
  const isUsual = body.threatModel === COMPARISON_DEFAULTS.model;
  const usual = isUsual ? COMPARISON_DEFAULTS.protocols : model.network.election.protocols;
  const named =
    defences === undefined
      ? null
      : pointingAt('/defences', () => readSets(defences.map(setName).join(',')));
  const question: CompareQuestion = {
    settings: settingsIn(set),
    protocols: body.protocols ?? usual,
    sets: named ?? allSets(pairs),
    advantages: [...new Set(body.advantages)],
    ...{ machines, hardRate },
  };
  const { model: reference } = pointingAt('/threatModel', () => referenceOf(model, question));
  const runs = body.runs ?? reference.runs;
  assertSize(question, runs);
  const seed = seedOf(body.seed);
  const words = [
    ...['usurp', 'compare', file, ...questionWords(question, { sets: named, hasPairs: pairs })],
    ...['--runs', String(runs), '--seed', seed],
  ];
  const replay = words.map(shellWord).join(' ');
  const whole = {
    ...{ ...body, runs, seed },
    protocols: [...question.protocols],
    ...{ defences: question.sets.map((each) => [...each]), pairs: false },
  };
  return { body: whole, file, model, question, runs, seed, replay };
}

function assertSize({ protocols, sets, advantages }: CompareQuestion, runs: number): void {
  const cells = protocols.length * sets.length * advantages.length;
  if (cells > SWEEP_CELLS_PER_REQUEST_MAX) {
    const detail = `at most ${SWEEP_CELLS_PER_REQUEST_MAX} cells in one request; ${protocols.length} protocols, ${sets.length} sets and ${advantages.length} advantages have ${cells}`;
    throw faultAt('job.size', '/advantages', detail);
  }
  if (cells * runs > SWEEP_ROWS_PER_REQUEST_MAX) {
    const detail = `at most ${SWEEP_ROWS_PER_REQUEST_MAX} runs in one request; ${cells} cells of ${runs} runs have ${cells * runs}`;
    throw faultAt('job.size', '/runs', detail);
  }
}
