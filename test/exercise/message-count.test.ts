/**
 * @module
 * The goal of counting the messages of Bully: its formula is that of simulated elections, and no election of the lab has as many
 * nodes as it asks for.
 */

import { describe, expect, it } from 'vitest';

import { exerciseSchema } from '../../src/exercise/document.ts';
import { messagesOfBully } from '../../src/exercise/goals/message-counts.ts';
import { createInstance } from '../../src/exercise/instance.ts';
import { parseSeed } from '../../src/random.ts';
import { simulateElection } from '../../src/simulation/run/simulate.ts';
import { exerciseNamed } from '../runtime/sandbox/judged-files.ts';

const election = (nodes: number) =>
  simulateElection({
    ...{ protocol: 'bully-oneshot', nodes, seed: parseSeed('1') },
    ...{ crashedBefore: [nodes], initiators: [1] },
  });

describe('the count of messages', () => {
  it.each([3, 4, 7, 20, 50])('is that of a simulated election of %i nodes', (nodes) => {
    const { total, ...types } = election(nodes).messages;

    expect(types).toEqual(messagesOfBully(nodes));
    expect(total).toBe(Object.values(types).reduce((sum, count) => sum + count, 0));
  });

  it('is asked for more nodes than an election of the lab can have', () => {
    const exercise = exerciseNamed('count-messages');
    const { nodes } = createInstance(exercise, { secret: new Uint8Array(32), student: 'ada' }).goal
      .given;
    const small = { ...exercise, goal: { type: 'message-count', nodes: [5_999, 10_000] } };

    expect(() => election(Number(nodes))).toThrow('too many');
    expect(() => election(6_000)).toThrow('too many');
    expect(exerciseSchema.safeParse(small).success).toBe(false);
  });
});
