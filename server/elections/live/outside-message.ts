/**
 * @module
 * The messages and effects of programs outside. A message may have any form that can be signed, because its
 * receivers judge it. What no machine could do is refused here.
 */

import { z } from '@hono/zod-openapi';
import type { SealedMessage } from '../../../src/election/authentication/authenticated.ts';
import type { Message } from '../../../src/election/machine.ts';
import type { MessageValue } from '../../../src/identity/message.ts';
import { MESSAGE_DEPTH_MAX, messageBytes } from '../../../src/identity/message.ts';
import { wholeNumber } from '../../contract/members.ts';
import { NODES_MAX } from './plan.ts';
import { rankSchema } from './request.ts';

/** Bytes of canonical JSON. The longest honest message, with the candidacies of a ring, has half of them. */
export const MESSAGE_BYTES_MAX = 8 * 1024;
/** The body of a request has room for fewer signed messages. */
export const EFFECTS_MAX = 1_000;
/** Longest timer in ticks, as for messages that are held back. */
export const TIMER_TICKS_MAX = 10_000;

const TYPE_RULE = 'must be text of 1 to 64 characters';
const TIMER_RULE = 'must be the name of a timer, 1 to 64 characters';
const ticksRule = `must be a whole number of ticks, from 0 to ${TIMER_TICKS_MAX}`;

const sealDescription =
  'The proof of the message, from L2 on. `by`: the rank that signed. `number`: at L3, above all numbers of earlier messages to this recipient. `signature`: in lower-case hex. `candidacies`: by rank, for each candidate that the message names; the sender signs its own and copies those of others from the messages that it received.';

/** A message of a caller. It may have any form that can be signed. */
export const outsideMessageSchema = z
  .looseObject({
    type: z.string(TYPE_RULE).min(1, TYPE_RULE).max(64, TYPE_RULE),
    seal: z.looseObject({}).optional().describe(sealDescription),
  })
  .superRefine((message, context) => {
    const fault = messageFault(message);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({
    id: 'OutsideMessage',
    description: `Its members depend on the protocol; GET /v1/protocols lists them under \`messages\`. Names are ASCII, numbers are integers, and the whole has at most ${MESSAGE_BYTES_MAX} bytes.`,
    example: { type: 'COORDINATOR', leader: 5 },
  });

const timerSchema = z.string(TIMER_RULE).min(1, TIMER_RULE).max(64, TIMER_RULE);

const setTimerSchema = z
  .strictObject({
    type: z.literal('set-timer'),
    timer: timerSchema,
    ticks: wholeNumber(0, TIMER_TICKS_MAX, ticksRule),
    periodic: z.boolean().default(false),
  })
  // Otherwise virtual time would stop.
  .refine(({ ticks, periodic }) => !periodic || ticks > 0, 'periodic needs ticks from 1');

const TO_RULE = 'must be a rank, a list of ranks, or all';

/** The recipients of a message. */
export const recipientsSchema = z
  .union(
    [rankSchema, z.array(rankSchema).min(1, TO_RULE).max(NODES_MAX, TO_RULE), z.literal('all')],
    TO_RULE,
  )
  .describe(
    'A rank; a list of ranks, which may name one several times; or all: all other nodes that are up.',
  );

/** An effect of a node. */
export const outsideEffectSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('send'),
      to: recipientsSchema,
      message: outsideMessageSchema,
    }),
    setTimerSchema,
    z.strictObject({ type: z.literal('cancel-timer'), timer: timerSchema }),
    z
      .strictObject({
        type: z.literal('elect'),
        leader: rankSchema,
        epoch: wholeNumber(0, Number.MAX_SAFE_INTEGER, 'must be a whole number, from 0'),
      })
      .describe('From now on the node follows this leader, which may be itself.'),
    z.strictObject({ type: z.literal('step-down') }),
  ])
  .meta({ id: 'OutsideEffect' });

export type OutsideMessage = z.output<typeof outsideMessageSchema>;

/** Why a message cannot be signed or stored; null if it can. */
function messageFault(message: object): string | null {
  if (hasPrototypeName(message)) return 'must have no member __proto__';
  try {
    // It was parsed from JSON, so it has no other values. Fractions are found here.
    const bytes = messageBytes(message as MessageValue);
    if (bytes.length <= MESSAGE_BYTES_MAX) return null;
    return `must have at most ${MESSAGE_BYTES_MAX} bytes, has ${bytes.length}`;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return error.message.replace(/^"value([^"]*)"/, 'member "$1"');
  }
}

/** Whether it has a name that copies would lose. It limits its depth, because it runs before other checks. */
function hasPrototypeName(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > MESSAGE_DEPTH_MAX) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  return Object.values(value).some((member) => hasPrototypeName(member, depth + 1));
}

/** The message without its seal, which is what is signed. */
export function bodyOf({ seal: _seal, ...body }: SealedMessage): Message {
  return body;
}
