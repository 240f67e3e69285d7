/**
 * @module
 * The route by which a program outside answers for its node. If messages are signed, they are checked by the
 * rules of their receivers, so that the program receives the reason of a refusal. A program that intends to
 * break the rules injects.
 */

import { z } from '@hono/zod-openapi';
import { toRank } from '../../../src/election/world/cast.ts';
import type { OutsideEffect } from '../../../src/election/world/outside.ts';
import { isSigned } from '../../../src/simulation/request/remote-limits.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import { faultAt, repointed, schemaFault } from '../../contract/faults.ts';
import { idSchema, wholeNumber } from '../../contract/members.ts';
import { bodyRefusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../../contract/router.ts';
import type { Principal } from '../../request/principal.ts';
import { charged } from '../../request/principal.ts';
import type { OutboxAction } from '../live/action.ts';
import { EFFECTS_MAX, outsideEffectSchema, recipientsOf } from '../live/action.ts';
import { injectionSchema } from '../live/injection.ts';
import type { LiveElection } from '../live/live-election.ts';
import { assertForm, assertSignatures, proposedIn } from '../live/outside-proof.ts';

import type { ElectionStore } from '../storage/store.ts';
import EXAMPLES from './examples.json' with { type: 'json' };
import { nodeIdSchema, nodeOfToken, nodeTokenHeaders } from './node-token.ts';

const route = routesOf('elections');

/** The key of the first test of RFC 8032, section 7.1, signs for rank 5 of a Bully election at L3. */
export const SIGNED_EXAMPLE = { ...EXAMPLES.signed, protocol: 'bully-oneshot' as const };

/** Describes the signed bytes for authors of programs that play nodes. */
export const SIGNED_BYTES = [
  'At L2 and L3 the key of the claim signs a text for each message and each recipient: at L2 the JSON array',
  '`["usurp/election/v1", protocol, by, to, message]` without spaces, at L3',
  '`["usurp/election/v1", protocol, by, to, election, number, message]`. by and to are ranks. election is',
  'the `name` in GET …/elections/{id}. In a ring it changes with every newcomer, and messages with earlier',
  'names remain in flight for a while: an answer to a message, or a message that passes it on, uses the',
  '`election` that the inbox gives with it; any other message uses the `name`. A message and its candidacies',
  'use the same one. message is signed without `seal`, with its members sorted by name at every depth. Each',
  'candidate signs once `["usurp/candidacy/v1", protocol, rank]`, at L3 with election at its end. A message',
  'that names its sender as candidate or leader has that signature under `candidacies`; those of other',
  'candidates are copied from the messages received in that election. The bytes of a text are',
  '`usurp/message/v1`, a zero byte, and the text again as a JSON string in ASCII: in quotes, with backslashes',
  'before quotes and backslashes, and all characters outside U+0020..U+007E as a backslash, u and four lower-case hex digits, \\b \\t',
  '\\n \\f \\r in short form. In Python: `b"usurp/message/v1\\0" + json.dumps(text).encode()` after',
  '`text = json.dumps(array, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`.',
  `For example, ${SIGNED_EXAMPLE.text} has the bytes ${SIGNED_EXAMPLE.bytes} (\\0 is the zero byte) and, by the`,
  `secret key ${SIGNED_EXAMPLE.secretKey}, the signature ${SIGNED_EXAMPLE.message.seal.signature}; the candidacy`,
  `${SIGNED_EXAMPLE.candidacyText} has ${SIGNED_EXAMPLE.message.seal.candidacies['5']}.`,
].join(' ');

const THROUGH_RULE = 'must be the number of an event, from 0';

const outboxSchema = z
  .strictObject({
    through: wholeNumber(0, Number.MAX_SAFE_INTEGER, THROUGH_RULE)
      .optional()
      .describe(
        'All events up to this one are answered. Without it, the node acts on its own, and its events stay unanswered.',
      ),
    effects: z
      .array(outsideEffectSchema)
      .max(EFFECTS_MAX)
      .default([])
      .describe('Effects of the node in order. No effect is an answer as well.'),
  })
  .meta({ id: 'Outbox' });

const sentSchema = injectionSchema
  .extend({ effect: z.int().describe('The index of the effect in the request.') })
  .meta({ id: 'SentMessage' });

const outcomeSchema = z
  .object({
    status: z
      .enum(['accepted', 'duplicate'])
      .describe(
        'duplicate: all its messages were sent before with the same numbers; its only effect is that events are answered.',
      ),
    answered: z.int().describe('All events up to this number are answered.'),
    time: z.int().describe('Virtual time in ticks.'),
    sent: z
      .array(sentSchema)
      .describe('For each effect `send` which recipients can process the message, in order.'),
  })
  .meta({ id: 'OutboxOutcome' });

const { to, message } = SIGNED_EXAMPLE;
const OUTBOX_EXAMPLES = {
  ...EXAMPLES.writeOutbox,
  signed: { value: { effects: [{ type: 'send', to, message }] } },
};

const outboxRoute = route('post', '/v1/elections/{id}/nodes/{node}/outbox', {
  operationId: 'writeOutbox',
  summary: 'Answer events of a node that is played from outside',
  description: `All effects occur or none, at the present tick. If virtual time waits for this node, it advances when all events are answered. ${SIGNED_BYTES}`,
  params: z.strictObject({ id: idSchema, node: nodeIdSchema }),
  headers: nodeTokenHeaders,
  body: jsonRequest(outboxSchema, { examples: OUTBOX_EXAMPLES }),
  responses: {
    200: jsonAnswer(outcomeSchema, 'The effects occurred, now or before.'),
    ...bodyRefusals(401, 404, 409, 422, 503),
  },
});

/** The route of outboxes. */
export function createOutboxRoutes(elections: ElectionStore) {
  return createRouter().openapi(outboxRoute, async (c) => {
    const principal = c.get('principal');
    const { id, node } = c.req.valid('param');
    const election = elections.get(id, principal, 'play');
    const token = c.req.valid('header')['node-token'];
    const isParticipant = (by: string) => elections.sharing.participant(id, by) !== null;
    const { rank } = nodeOfToken(election, node, { token, principal, isParticipant });
    if (election.stage.isUntouched) throw faultAt('election.conflict', '/through', UNTOUCHED);
    const { through, effects } = c.req.valid('json');
    const sent = addressed(election, rank, effects);
    const action = { type: 'outbox', node: rank, through, effects: sent.effects } as const;
    const outcome = await pointingBack(sent.origins, async () => {
      await assertProofs(election, action, principal);
      // Time may go on as soon as the effects have occurred.
      const judgements = await judged(election, rank, effects, principal);
      return { status: await elections.act(id, action, { principal }), sent: judgements };
    });
    const { answered } = election.stage.simulation.inbox(rank);
    return c.json({ ...outcome, answered, time: election.status().ticks }, 200);
  });
}

/** For each message which recipients can process it, before it is sent. */
async function judged(
  election: LiveElection,
  from: number,
  effects: z.output<typeof outboxSchema>['effects'],
  principal: Principal,
): Promise<z.output<typeof sentSchema>[]> {
  const sent: z.output<typeof sentSchema>[] = [];
  for (const [index, effect] of effects.entries()) {
    if (effect.type !== 'send') continue;
    const { to, message } = effect;
    sent.push({ effect: index, ...(await election.judge({ from, to, message }, principal)) });
  }
  return sent;
}

/** The effects with one message for each recipient, and the location of each in the request. */
function addressed(
  { stage: { simulation } }: LiveElection,
  by: number,
  effects: z.output<typeof outboxSchema>['effects'],
): { readonly effects: OutsideEffect[]; readonly origins: Origin[] } {
  const single = effects.flatMap((effect, index): { effect: OutsideEffect; origin: Origin }[] => {
    const whole = `/effects/${index}`;
    if (effect.type !== 'send') return [{ effect, origin: { whole, to: whole } }];
    const ranks = recipientsOf(simulation, by, effect.to);
    const isList = typeof effect.to === 'object';
    return ranks.map((to, at) => {
      const origin = { whole, to: isList ? `${whole}/to/${at}` : `${whole}/to` };
      return { effect: { ...effect, to }, origin };
    });
  });
  if (single.length > EFFECTS_MAX) {
    throw schemaFault('/effects', `must be at most ${EFFECTS_MAX} with one for each recipient`);
  }
  return {
    effects: single.map(({ effect }) => effect),
    origins: single.map(({ origin }) => origin),
  };
}

/** Where a request has an effect, and its recipient. */
interface Origin {
  readonly whole: string;
  readonly to: string;
}

/** Makes a refusal of an effect point at the effect in the request, or at its recipient. */
async function pointingBack<T>(origins: readonly Origin[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw repointed(error, (pointer) =>
      pointer.replace(/^\/effects\/(\d+)(\/to$)?/, (found, index: string, to?: string) => {
        const origin = origins[Number(index)];
        return (to === undefined ? origin?.whole : origin?.to) ?? found;
      }),
    );
  }
}

/** Other nodes may join until then, so ranks may change. */
const UNTOUCHED = 'this election has not begun: start it, then its nodes receive events';

/**
 * Checks first what costs nothing, then each signature in its turn. Numbers are checked again when the action
 * is carried out, because others may have been used meanwhile.
 */
async function assertProofs(
  election: LiveElection,
  action: OutboxAction,
  principal: Principal,
): Promise<void> {
  const rules = election.proofRules;
  const proposed = proposedIn(action.node, action.effects);
  for (const each of proposed) assertForm(rules, each);
  election.assertNumbers(action);
  const { keysOf } = election.stage;
  if (!isSigned(rules.plan.level) || keysOf === null) return;
  const { verify } = keysOf(toRank(action.node));
  for (const each of proposed) {
    await nextTurn('act', principal);
    charged(principal, () => assertSignatures(rules, each, verify));
  }
}
