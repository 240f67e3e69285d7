/**
 * @module
 * The route by which a program outside says what its node does. Where messages are signed it is held
 * to the rules that receivers go by, so that a mistake is told here and not dropped there; who wants
 * to break them injects.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { toRank } from '../../../src/election/cast.ts';
import { LabError } from '../../../src/errors.ts';
import { charged } from '../../callers/principal.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import { idSchema } from '../../contract/ids.ts';
import { JSON_BODY } from '../../contract/json-body.ts';
import { bodyRefusals } from '../../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../../contract/router.ts';
import type { Services } from '../../services.ts';
import type { OutboxAction } from '../live/action.ts';
import type { LiveElection } from '../live/live-election.ts';
import { EFFECTS_MAX, outsideEffectSchema } from '../live/outside-message.ts';
import { assertForm, assertSignatures, isSigned, proposedIn } from '../live/outside-proof.ts';
import { assertPlayer, nodeIdSchema, nodeTokenHeaders } from './node-token.ts';
import { SIGNED_BYTES, SIGNED_EXAMPLE } from './signed-bytes.ts';

const THROUGH_DEMAND = 'must be the number of an event, from 0';

const outboxSchema = z
  .strictObject({
    through: z.int(THROUGH_DEMAND).min(0, THROUGH_DEMAND).optional().meta({
      description:
        'All events up to this one are answered. Left out, the node does something of its own accord, and what it was told stays unanswered.',
    }),
    effects: z
      .array(outsideEffectSchema)
      .max(EFFECTS_MAX)
      .default([])
      .meta({ description: 'What the node does, in order; nothing is an answer, too.' }),
  })
  .meta({ id: 'Outbox' });

const outcomeSchema = z
  .object({
    status: z.enum(['accepted', 'duplicate']).meta({
      description:
        'duplicate: all that it sends was sent before, under the same numbers; it had no effect but that events are answered.',
    }),
    answered: z.int().meta({ description: 'Up to which number all events are answered.' }),
    time: z.int().meta({ description: 'Virtual time in ticks.' }),
  })
  .meta({ id: 'OutboxOutcome', example: { status: 'accepted', answered: 2, time: 1 } });

const outboxRoute = createRoute({
  method: 'post',
  path: '/v1/elections/{id}/nodes/{node}/outbox',
  operationId: 'writeOutbox',
  tags: ['elections'],
  summary: 'What a node that is played from outside does about what it was told',
  description: `All or nothing happens, at the present tick. Virtual time, where it waits for this node, goes on when all events are answered. ${SIGNED_BYTES}`,
  middleware: JSON_BODY,
  request: {
    params: z.strictObject({ id: idSchema, node: nodeIdSchema }),
    query: NO_QUERY,
    headers: nodeTokenHeaders,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: outboxSchema,
          examples: {
            nothing: { value: { through: 1 } },
            unsigned: {
              value: {
                through: 2,
                effects: [
                  { type: 'send', to: 2, message: { type: 'OK' } },
                  { type: 'elect', leader: 5, epoch: 0 },
                ],
              },
            },
            signed: {
              value: {
                effects: [{ type: 'send', to: SIGNED_EXAMPLE.to, message: SIGNED_EXAMPLE.message }],
              },
            },
            timer: { value: { effects: [{ type: 'set-timer', timer: 'election', ticks: 3 }] } },
          },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'It happened, now or before.',
      content: { 'application/json': { schema: outcomeSchema } },
    },
    ...bodyRefusals(401, 404, 409, 422, 503),
  },
});

/** The route of outboxes. */
export function outboxRoutes({ elections }: Services) {
  return createRouter().openapi(outboxRoute, async (c) => {
    const { id, node } = c.req.valid('param');
    const election = elections.get(id);
    const { rank } = assertPlayer(election, node, c.req.valid('header')['node-token']);
    if (election.isUntouched) throw new LabError('election.conflict', UNTOUCHED);
    const { through, effects } = c.req.valid('json');
    const action = { type: 'outbox', node: rank, through, effects } as const;
    await assertProofs(election, action);
    const status = await elections.answer(id, action);
    const { answered } = election.inbox(rank);
    return c.json({ status, answered, time: election.status().ticks }, 200);
  });
}

/** Until then others may join, and ranks are not settled. */
const UNTOUCHED = 'nothing was done to this election yet: start it, then its nodes are told';

/**
 * What costs nothing first, then signatures one by one, each in its turn. What was used meanwhile is
 * judged once more when it is carried out.
 */
async function assertProofs(election: LiveElection, action: OutboxAction): Promise<void> {
  const rules = election.proofRules;
  const proposed = proposedIn(action.node, action.effects);
  for (const each of proposed) assertForm(rules, each);
  election.assertNumbers(action);
  const { keysOf } = election;
  if (!isSigned(rules) || keysOf === null) return;
  const { verify } = keysOf(toRank(action.node));
  for (const each of proposed) {
    await nextTurn('act');
    charged(() => assertSignatures(rules, each, verify));
  }
}
