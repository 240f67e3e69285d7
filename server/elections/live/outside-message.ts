/**
 * @module
 * What programs outside say in an election: messages as they make them, and whatever else a node does
 * about what it heard. A message may be of any form that can be signed, since those who receive it
 * judge it; what no machine could do is refused here.
 */

import { z } from '@hono/zod-openapi';
import type { SealedMessage } from '../../../src/election/authenticated.ts';
import type { Message } from '../../../src/election/machine.ts';
import type { MessageValue } from '../../../src/identity/message.ts';
import { MESSAGE_DEPTH_MAX, messageBytes } from '../../../src/identity/message.ts';
import { rankSchema } from './request.ts';

/** As bytes of canonical JSON: the longest honest one, with the candidacies of a whole ring, fits twice. */
export const MESSAGE_BYTES_MAX = 8 * 1024;
/** The body of a request holds fewer that are signed. */
export const EFFECTS_MAX = 1_000;
/** Ahead of now, as for messages that are held back. */
export const TIMER_TICKS_MAX = 10_000;

const TYPE_DEMAND = 'must be text of 1 to 64 characters';
const TICKS_DEMAND = `must be a whole number of ticks, from 0 to ${TIMER_TICKS_MAX}`;
const EPOCH_DEMAND = 'must be a whole number, from 0';
const TIMER_DEMAND = 'must be the name of a timer, 1 to 64 characters';

const sealDescription =
  'What proves it from L2 on: `by`, the rank that signed; `number`, at L3 above every number that this recipient had from it; `signature` in lower-case hex; `candidacies` by rank, where the message names candidates: of each of them, its own or taken along from what was heard.';

/** A message as a caller has made it. Its form is that of anything that can be signed. */
export const outsideMessageSchema = z
  .looseObject({
    type: z.string(TYPE_DEMAND).min(1, TYPE_DEMAND).max(64, TYPE_DEMAND),
    seal: z.looseObject({}).optional().meta({ description: sealDescription }),
  })
  .superRefine((message, context) => {
    const fault = messageFault(message);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({
    id: 'OutsideMessage',
    description: `Members by the protocol, as GET /v1/protocols shows them under \`messages\`; names in ASCII, numbers that are integers, at most ${MESSAGE_BYTES_MAX} bytes.`,
    example: { type: 'COORDINATOR', leader: 5 },
  });

const timerSchema = z.string(TIMER_DEMAND).min(1, TIMER_DEMAND).max(64, TIMER_DEMAND);

const setTimerSchema = z
  .strictObject({
    type: z.literal('set-timer'),
    timer: timerSchema,
    ticks: z.int(TICKS_DEMAND).min(0, TICKS_DEMAND).max(TIMER_TICKS_MAX, TICKS_DEMAND),
    periodic: z.boolean().default(false),
  })
  // Time would never pass again.
  .refine(({ ticks, periodic }) => !periodic || ticks > 0, 'periodic needs ticks from 1');

/** What a node does. */
export const outsideEffectSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('send'), to: rankSchema, message: outsideMessageSchema }),
    setTimerSchema,
    z.strictObject({ type: z.literal('cancel-timer'), timer: timerSchema }),
    z
      .strictObject({
        type: z.literal('elect'),
        leader: rankSchema,
        epoch: z.int(EPOCH_DEMAND).min(0, EPOCH_DEMAND),
      })
      .meta({ description: 'From now on the node follows this leader, itself where it leads.' }),
    z.strictObject({ type: z.literal('step-down') }),
  ])
  .meta({ id: 'OutsideEffect' });

export type OutsideMessage = z.output<typeof outsideMessageSchema>;

/** Why nobody could sign it, or who receives it could not keep it; null where it is fine. */
function messageFault(message: object): string | null {
  if (hasPrototypeName(message)) return 'must have no member __proto__';
  try {
    // Parsed from JSON, so that it can be no other value than these; fractions are found here.
    const bytes = messageBytes(message as MessageValue);
    if (bytes.length <= MESSAGE_BYTES_MAX) return null;
    return `must have at most ${MESSAGE_BYTES_MAX} bytes, has ${bytes.length}`;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return error.message.replace(/^"value([^"]*)"/, 'member "$1"');
  }
}

/** A name that copies of the message would lose. Called before the depth is known, so it goes no deeper. */
function hasPrototypeName(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > MESSAGE_DEPTH_MAX) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  return Object.values(value).some((member) => hasPrototypeName(member, depth + 1));
}

/** The same message without its seal: what is signed. */
export function bodyOf({ seal: _seal, ...body }: SealedMessage): Message {
  return body;
}
