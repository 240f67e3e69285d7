/**
 * @module
 * The world at an address of a check, so that a program can walk through all worlds of a protocol. A request states
 * the whole check and the whole address: the server keeps nothing between two requests.
 */

import { z } from '@hono/zod-openapi';
import { worldAt } from '../../../src/experiment/checks/addressed.ts';
import type { CheckInput } from '../../../src/operations/check/check.ts';
import { CHECK_OPERATION, checkRequestOf } from '../../../src/operations/check/check.ts';
import { inputSchema } from '../../../src/operations/operation.ts';
import { integer, list } from '../../../src/simulation/faults/schemas.ts';
import { inTurns } from '../../callers/work-turns.ts';
import { bodyRefusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../../contract/router.ts';
import { OverloadError } from '../../request/refusals.ts';

const route = routesOf('experiments');

/** Longest address of a world. */
export const ADDRESS_MAX = 500;

const requestSchema = inputSchema(CHECK_OPERATION, true)
  .extend({
    address: list(integer(0, 2 ** 31 - 1), ADDRESS_MAX)
      .default([])
      .describe(
        'For each action from the first world on, its index among the actions that were possible.',
      ),
  })
  .meta({ id: 'CheckedWorldRequest' });

const jsonSchema = z.unknown().describe('JSON data of the protocol.');

const worldSchema = z
  .object({
    address: z.array(z.int()).readonly(),
    isAtRest: z.boolean().describe('Whether nothing more happens without the environment.'),
    nodes: z
      .array(
        z.object({
          rank: z.int().describe('The store has the rank after the last node.'),
          up: z.boolean(),
          isPaused: z.boolean(),
          leader: z
            .int()
            .nullable()
            .describe('Rank of the leader that the node follows. Null if it follows none.'),
          timers: z.array(z.string()).readonly().describe('Timers that are set.'),
          state: jsonSchema,
          persisted: jsonSchema,
        }),
      )
      .readonly(),
    partition: z
      .array(z.array(z.int()).readonly())
      .readonly()
      .nullable()
      .describe('The two sides of the present partition. Null without one.'),
    isOneWay: z.boolean().describe('Whether only what the first side sends to the second is lost.'),
    inFlight: z
      .array(z.object({ from: z.int(), to: z.int(), message: z.looseObject({ type: z.string() }) }))
      .readonly(),
    properties: z
      .array(
        z.object({
          name: z.string(),
          kind: z.enum(['always', 'sometimes', 'eventually']),
          description: z.string().describe('What the property demands.'),
          holds: z.boolean(),
          breach: z
            .string()
            .nullable()
            .describe('What is wrong in this world. Null if the property holds.'),
        }),
      )
      .readonly()
      .describe(
        'The properties, judged in this world alone. For an eventually property, `holds` says whether this world has what every weakly fair execution must reach.',
      ),
    actions: z
      .array(
        z.object({
          index: z.int().describe('Number to append to the address.'),
          isFault: z.boolean().describe('Whether the environment or a Byzantine node acts.'),
          text: z.string().describe('Description of the action and its effects.'),
        }),
      )
      .readonly()
      .describe('The possible actions.'),
  })
  .meta({ id: 'CheckedWorld' });

const worldRoute = route('post', '/v1/checks/worlds', {
  operationId: 'getCheckedWorld',
  summary: 'Get the world at an address of a check, with its possible actions',
  description:
    'The body has the members of a check and an address. The first world has the address []. To walk through the worlds of a check, append the index of an action to the address and send the request again, with the same other members. The result of a check contains the address of its violation.',
  body: jsonRequest(requestSchema, {
    example: { protocol: 'bully-oneshot', properties: ['one-leader'], address: [0, 0] },
  }),
  responses: {
    200: jsonAnswer(worldSchema, 'The world.'),
    ...bodyRefusals(422, 503),
  },
});

/** The route of worlds. */
export function createWorldRoutes() {
  return createRouter().openapi(worldRoute, async (c) => {
    // The schema of an operation does not say so.
    const asked = c.req.valid('json') as CheckInput & { readonly address: readonly number[] };
    const { address, ...input } = asked;
    CHECK_OPERATION.check(input, true);
    const work = worldAt(checkRequestOf(input), address);
    const { signal } = c.req.raw;
    const world = await inTurns(work, {
      lane: 'replay',
      principal: c.get('principal'),
      assertWanted() {
        if (signal.aborted) throw new OverloadError('server.unready', 'the caller has gone', 1);
      },
    });
    const inFlight = world.inFlight.map((flight) => ({
      ...flight,
      message: { ...flight.message },
    }));
    const answer: z.output<typeof worldSchema> = { ...world, inFlight };
    return c.json(answer, 200);
  });
}
