/**
 * @module
 * What becomes of a message that a caller sends: for each recipient whether its node could process the message
 * now, and if not, why. This changes nothing in the election.
 */

import { z } from '@hono/zod-openapi';

import type { Obstacle } from '../../../src/simulation/run/outside-play.ts';
import { OBSTACLES } from '../../../src/simulation/run/outside-play.ts';
import type { Parts } from '../../../src/simulation/run/parts.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import type { OutsideMessage, Recipients } from './action.ts';
import { recipientsOf } from './action.ts';

// Object.keys loses the types of the names.
const OBSTACLE_NAMES = Object.keys(OBSTACLES) as Obstacle[];
const MEANINGS = Object.entries(OBSTACLES).map(([name, meaning]) => `${name}: ${meaning}`);

export const injectionSchema = z
  .object({
    processable: z.boolean().describe('Whether at least one recipient can process the message.'),
    recipients: z
      .array(
        z.object({
          rank: z.int(),
          obstacle: z
            .enum(OBSTACLE_NAMES)
            .nullable()
            .describe(
              `Why the node could not process the message now. ${MEANINGS.join('; ')}. Null if it can, if a program plays it, or for the store.`,
            ),
        }),
      )
      .describe('Each recipient, in the order of the request.'),
  })
  .meta({ id: 'Injection' });

/** A message to one or more recipients. */
export interface Addressed {
  readonly from: number;
  readonly to: Recipients;
  readonly message: OutsideMessage;
}

/** The recipients of a message as they are now, in parts of one recipient each. */
export function* judging(
  simulation: Simulation,
  { from, to, message }: Addressed,
): Parts<z.output<typeof injectionSchema>> {
  const recipients: { rank: number; obstacle: Obstacle | null }[] = [];
  for (const rank of recipientsOf(simulation, from, to)) {
    const isNode = rank <= simulation.plan.nodes;
    const obstacle = isNode ? simulation.obstacle({ from, to: rank, message }) : null;
    recipients.push({ rank, obstacle });
    yield;
  }
  return { processable: recipients.some(({ obstacle }) => obstacle === null), recipients };
}
