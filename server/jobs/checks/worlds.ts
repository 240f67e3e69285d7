/**
 * @module
 * The world at an address of a check, so that a program can walk through all worlds of a protocol. A request states
 * the whole check and the whole address: the server keeps nothing between two requests.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { worldAt } from '../../../src/experiment/checks/addressed.ts';
import {
  limitedCheckOf,
  requestOf,
  SUBMITTED_CHECK,
} from '../../../src/experiment/checks/request.ts';
import type { WalkedWorld } from '../../../src/experiment/checks/walked-world.ts';
import { integer, list } from '../../../src/simulation/faults/schemas.ts';
import { nextTurn, slice } from '../../callers/work-turns.ts';
import { JSON_BODY } from '../../contract/json-body.ts';
import { bodyRefusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, NO_QUERY } from '../../contract/router.ts';
import type { Principal } from '../../request/principal.ts';
import { OverloadError } from '../../request/refusals.ts';

/** Longest address of a world. */
export const ADDRESS_MAX = 500;

export const WORLDS_PATH = '/v1/checks/worlds';

const requestSchema = SUBMITTED_CHECK.extend({
  address: list(integer(0, 2 ** 31 - 1), ADDRESS_MAX)
    .default([])
    .describe('Indexes of the actions from the first world, each among those that were possible.'),
}).meta({ id: 'CheckedWorldRequest' });

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
          leader: z.int().nullable().describe('The leader that it follows; null if none.'),
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
      .describe('The two sides of the partition that lasts; null without one.'),
    inFlight: z
      .array(z.object({ from: z.int(), to: z.int(), message: z.looseObject({ type: z.string() }) }))
      .readonly(),
    properties: z
      .array(
        z.object({
          name: z.string(),
          kind: z.enum(['always', 'sometimes', 'eventually']),
          description: z.string().describe('What it says.'),
          holds: z.boolean(),
          breach: z.string().nullable().describe('What is wrong; null if it holds.'),
        }),
      )
      .readonly()
      .describe('An eventually property holds in a world that every fair execution must reach.'),
    actions: z
      .array(
        z.object({
          index: z.int().describe('What continues the address.'),
          isFault: z.boolean().describe('Whether the environment or a Byzantine node acts.'),
          text: z.string().describe('What would happen.'),
        }),
      )
      .readonly()
      .describe('What may happen next.'),
  })
  .meta({ id: 'CheckedWorld' });

const worldRoute = createRoute({
  method: 'post',
  path: WORLDS_PATH,
  operationId: 'getCheckedWorld',
  tags: ['experiments'],
  summary: 'Get the world at an address of a check, and what may happen next',
  description:
    'The members of a check, which must be the same in each request of a walk, and the address. The first world has the address []. The address of a violation is in the result of its check.',
  middleware: JSON_BODY,
  request: {
    query: NO_QUERY,
    body: jsonRequest(requestSchema, {
      example: { protocol: 'bully-oneshot', properties: ['one-leader'], address: [0, 0] },
    }),
  },
  responses: {
    200: jsonAnswer(worldSchema, 'The world.'),
    ...bodyRefusals(422, 503),
  },
});

/** The route of worlds. */
export function createWorldRoutes() {
  return createRouter().openapi(worldRoute, async (c) => {
    const { address, ...submitted } = c.req.valid('json');
    const { check } = limitedCheckOf(submitted);
    const work = worldAt(requestOf(check), address);
    const world = await inTurns(work, c.get('principal'), c.req.raw.signal);
    const inFlight = world.inFlight.map((flight) => ({
      ...flight,
      message: { ...flight.message },
    }));
    const answer: z.output<typeof worldSchema> = { ...world, inFlight };
    return c.json(answer, 200);
  });
}

/** Does the work in the turns of the principal, until the caller disconnects. */
async function inTurns(
  work: Generator<void, WalkedWorld>,
  principal: Principal,
  signal: AbortSignal,
): Promise<WalkedWorld> {
  for (;;) {
    await nextTurn('replay', principal);
    if (signal.aborted) throw new OverloadError('server.unready', 'the caller has gone', 1);
    const step = slice(work, principal);
    if (step.done === true) return step.value;
  }
}
