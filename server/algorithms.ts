/**
 * @module
 * The route that lists the election protocols as the registry has them, in pages.
 */

import { createRoute, z } from '@hono/zod-openapi';

import { readNumbers } from '../src/election/flags.ts';
import { ALGORITHM_NAMES, ALGORITHMS } from '../src/election/registry.ts';
import { pageOf, pageQuerySchema, pageSchema } from './contract/page.ts';
import { refusals } from './contract/problem-schema.ts';
import { createRouter } from './router.ts';

const algorithmSchema = z
  .object({
    name: z.enum(ALGORITHM_NAMES),
    family: z.enum(['bully', 'ring', 'quorum', 'lease']),
    elects: z.enum(['highest', 'attribute', 'any']).meta({
      description: 'Who is meant to win: the highest, the best by attribute, or anybody.',
    }),
    fifo: z.boolean().meta({ description: 'Whether a link that reorders can break its safety.' }),
    assumes: z.string(),
    messageBound: z.string().meta({ description: 'In words and formulas, n members.' }),
    source: z.string(),
    messageTypes: z.array(z.string()),
    flags: z.record(z.string(), z.array(z.string())).meta({
      description: 'What `flags` of an election may be, and the values of each, the default first.',
    }),
    numbers: z
      .array(
        z.object({
          name: z.string(),
          min: z.int(),
          max: z.int(),
          meaning: z.string(),
          default: z.int().meta({ description: 'Where a message takes one tick.' }),
        }),
      )
      .meta({ description: 'Members of `flags` that take a whole number, as text.' }),
    attributes: z
      .string()
      .nullable()
      .meta({ description: 'What `attributes` of an election mean; null where it takes none.' }),
  })
  .meta({ id: 'Algorithm' });

const listRoute = createRoute({
  method: 'get',
  path: '/v1/algorithms',
  operationId: 'listAlgorithms',
  tags: ['elections'],
  summary: 'The election protocols',
  request: { query: pageQuerySchema },
  responses: {
    200: {
      description: 'A page of protocols in the order of their names.',
      content: { 'application/json': { schema: pageSchema(algorithmSchema) } },
    },
    ...refusals(),
  },
});

/** The route about protocols. */
export function algorithmRoutes() {
  const ordered = ALGORITHM_NAMES.toSorted().map(algorithmView);
  return createRouter().openapi(listRoute, (c) =>
    c.json(
      pageOf(ordered, ({ name }) => name, c.req.valid('query')),
      200,
    ),
  );
}

/** The latency of an election that names none. */
const ONE_TICK = { latencyTicksMax: 1 };

function algorithmView(name: (typeof ALGORITHM_NAMES)[number]): z.output<typeof algorithmSchema> {
  const { family, elects, fifo, assumes, messageBound, source } = ALGORITHMS[name];
  const { messageTypes, flags, numbers = {}, attributes = null } = ALGORITHMS[name];
  const usual = readNumbers(numbers, ONE_TICK, {});
  const listed = Object.entries(flags).map(([flag, values]) => [flag, [...values]]);
  return {
    ...{ name, family, elects, fifo, assumes, messageBound, source },
    messageTypes: [...messageTypes],
    flags: Object.fromEntries(listed),
    numbers: Object.entries(numbers).map(([number, { min, max, meaning }]) => {
      return { name: number, min, max, meaning, default: usual(number) };
    }),
    attributes,
  };
}
