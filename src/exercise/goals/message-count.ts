/**
 * @module
 * The goal of stating how many messages the election of the instance sends. The server replays the election from its
 * creation and counts.
 */

import { z } from 'zod';
import { simulateElection } from '../../simulation/run/simulate.ts';
import { defineGoal } from './goal.ts';

export const MESSAGE_COUNT = defineGoal({
  name: 'message-count',
  summary: 'State the number of messages that an election of the instance sends until it is idle.',
  submission: 'number',
  needs: ['elections'],
  parameters: { election: z.string().describe('Name of the election in the set-up.') },
  criteria: {
    messages: { weight: 1, meaning: 'The number is that of all messages that the nodes send.' },
  },
  task: ({ election }) => election,
  given: () => ({}),
  judge(name, { number }, { elections }) {
    const election = elections[name];
    if (election === undefined)
      return { messages: `POST …/instances creates the election ${name}` };
    const { messages } = simulateElection(election.options);
    const { total = 0, ...types } = messages;
    if (number === total) return { messages: null };
    const forgotten = Object.entries(types).find(([, count]) => number === total - count);
    const { nodes } = election.options;
    if (forgotten !== undefined)
      return { messages: `messages of one type are missing: ${forgotten[0]}` };
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
