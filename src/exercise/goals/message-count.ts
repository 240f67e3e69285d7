/**
 * @module
 * The goal of stating how many messages an election of Bully sends among so many nodes that no simulator of the lab holds it
 * (`MESSAGES_LIMIT`). So the answer needs a formula, and measured elections can only confirm it.
 */

import { z } from 'zod';
import { createRandom } from '../../random.ts';
import { defineGoal } from './goal.ts';

/** An election of fewer nodes could be held, and its messages read. */
const NODES_MIN = 6_000;
const NODES_MAX = 1_000_000;
const nodesSchema = z.int().min(NODES_MIN).max(NODES_MAX);

export const MESSAGE_COUNT = defineGoal({
  name: 'message-count',
  summary:
    'State the number of messages that Bully sends among more nodes than an election of the lab can have, if the highest is down and the lowest starts.',
  submission: 'number',
  needs: [],
  parameters: {
    nodes: z.tuple([nodesSchema, nodesSchema]).describe('Smallest and largest number of nodes.'),
  },
  criteria: {
    messages: { weight: 1, meaning: 'The number is that of all messages that the nodes send.' },
  },
  task({ nodes: [low, high] }, { seed }) {
    return { nodes: low + createRandom(seed('messages')).below(high - low + 1) };
  },
  given: ({ nodes }) => ({ protocol: 'bully-oneshot', nodes }),
  judge({ nodes }, { number }) {
    const types = messagesOfBully(nodes);
    const total = Object.values(types).reduce((sum, count) => sum + count, 0);
    if (number === total) return { messages: null };
    const forgotten = Object.entries(types).find(([, count]) => number === total - count);
    if (forgotten !== undefined) {
      return { messages: `messages of one type are missing: ${forgotten[0]}` };
    }
    if (number === nodes * (nodes - 1)) {
      return {
        messages: 'not every node sends to every other one: ELECTION goes to higher nodes only',
      };
    }
    return {
      messages: `${number} is not the number; write down who sends what to which node, also messages to nodes that are down`,
    };
  },
  isOf: () => false,
});

/** The messages of Bully by type if the highest node is down, all know it, and the lowest one starts. */
export function messagesOfBully(nodes: number): Readonly<Record<string, number>> {
  const live = nodes - 1;
  return {
    ELECTION: (nodes * live) / 2,
    OK: (live * (live - 1)) / 2,
    COORDINATOR: live - 1,
  };
}
