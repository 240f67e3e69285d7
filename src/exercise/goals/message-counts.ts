/**
 * @module
 * Goals about the number of messages of an election.
 */

import type { Seed } from '../../random.ts';
import { createRandom, deriveSeed } from '../../random.ts';
import { simulateElection } from '../../simulation/run/simulate.ts';
import { defineGoal, drawn, drawnIn, range } from './goal.ts';

/** An election of fewer nodes could be held, and its messages read. */
const NODES_MIN = 6_000;
const NODES_MAX = 1_000_000;

/**
 * The goal of stating how many messages an election of Bully sends among so many nodes that no simulator of the lab holds it
 * (`MESSAGES_LIMIT`). So the answer needs a formula, and measured elections can only confirm it.
 */
export const MESSAGE_COUNT = defineGoal({
  name: 'message-count',
  summary:
    'State the number of messages that Bully sends among more nodes than an election of the lab can have, if the highest is down and the lowest starts.',
  submission: 'number',
  needs: [],
  parameters: {
    nodes: range(NODES_MIN, NODES_MAX).describe('Smallest and largest number of nodes.'),
  },
  criteria: {
    messages: { weight: 1, meaning: 'The number is that of all messages that the nodes send.' },
  },
  task: ({ nodes }, { seed }) => ({ nodes: drawn(createRandom(seed('messages')), nodes) }),
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

/**
 * The goal of pricing a defence: the messages that incumbency saves when the highest node fails again and again. With so
 * many nodes no election can be held.
 */
export const DEFENCE_PRICE = defineGoal({
  name: 'defence-price',
  summary:
    'State how many messages incumbency saves a network of Bully whose highest node fails several times.',
  submission: 'number',
  needs: [],
  parameters: {
    nodes: range(NODES_MIN, NODES_MAX).describe('Smallest and largest number of nodes.'),
    failures: range(3, 64).describe('Fewest and most failures of the highest node.'),
  },
  criteria: {
    saved: { weight: 1, meaning: 'The number is that of all messages that the defence saves.' },
  },
  task: (bounds, { seed }) => drawnIn(createRandom(seed('price')), bounds),
  given: (task) => ({ protocol: 'bully-oneshot', defence: 'incumbency', ...task }),
  judge(task, { number }) {
    const { election, none, saved } = messagesOfFailures(task);
    const { nodes, failures } = task;
    if (number === saved) return { saved: null };
    const texts = new Map([
      [none - election, 'this leaves out what the returns cost with the defence'],
      [none - election - 2 * failures * (nodes - 1), 'not every node answers one that returns'],
    ]);
    const other = 'read the messages of each crash and of each return in smaller networks';
    return { saved: texts.get(number) ?? other };
  },
  // Two pairs of drawn numbers seldom have the same one.
  isOf: (task, { number }) => number === messagesOfFailures(task).saved,
});

/** What the failures of the highest node cost if all returns are in one term of the next leader. */
export function messagesOfFailures(task: Readonly<Record<'nodes' | 'failures', number>>) {
  const { nodes, failures } = task;
  // All live nodes notice at once that the leader has crashed.
  const election = nodes ** 2 - nodes - 1;
  // The node announces itself to the others when it returns.
  const none = failures * (election + nodes - 1);
  // A node that returns asks the others, and the leader answers. The node does not lead, so that its next crash costs nothing.
  const incumbency = election + failures * nodes;
  return { election, none, incumbency, saved: none - incumbency };
}

const WORST_RING_NODES_MAX = 12;

interface Task {
  /** By rank. */
  readonly nodeIds: readonly string[];
  readonly seed: Seed;
}

/**
 * The goal of arranging given nodes in the ring on which a protocol sends most messages. The server replays the
 * election on that ring (Chang and Roberts 1979: n(n+1)/2 probes if the IDs descend clockwise).
 */
export const WORST_RING = defineGoal({
  name: 'worst-ring',
  summary:
    'Arrange the nodes of the instance in the ring on which Chang-Roberts sends most messages.',
  submission: 'ring',
  needs: [],
  parameters: {
    nodes: range(3, WORST_RING_NODES_MAX),
  },
  criteria: {
    // A complete ring is the order that the student was given. It is worth nothing.
    worst: {
      weight: 1,
      meaning:
        'The ring has every node once, and no other ring of these nodes sends more messages.',
    },
  },
  task(parameters, { seed }) {
    const nodes = drawn(createRandom(seed('ring')), parameters.nodes);
    return { nodeIds: nodeIdsOf(nodes, seed('ring')), seed: seed('ring/schedule') };
  },
  given: ({ nodeIds }) => ({ nodeIds: [...nodeIds].sort(byDigits) }),
  judge(task, { ring }) {
    const ranks = ring.map((nodeId) => task.nodeIds.indexOf(nodeId) + 1);
    const isComplete = ranks.length === task.nodeIds.length && new Set(ranks).size === ranks.length;
    if (!isComplete || ranks.includes(0)) {
      const worst = `the ring must have each of the ${task.nodeIds.length} node IDs of your instance once`;
      return { worst };
    }
    const [sent, most] = [messagesOn(ranks, task), messagesOn(descending(ranks.length), task)];
    if (sent >= most) return { worst: null };
    const worst = `${sent} messages are sent on this ring, and more are possible: a probe should pass many nodes before it meets a higher one`;
    return { worst };
  },
  isOf: ({ nodeIds }, { ring }) => ring.some((nodeId) => nodeIds.includes(nodeId)),
});

/** IDs without keys, ascending. */
function nodeIdsOf(nodes: number, seed: Seed): string[] {
  const ids = Array.from({ length: nodes }, (_, index) => BigInt(deriveSeed(seed, 'node', index)));
  return ids.map((id) => id.toString(16).padStart(64, '0')).sort();
}

function messagesOn(ring: readonly number[], { seed }: Task): number {
  const { messages } = simulateElection({ protocol: 'cr-join', nodes: ring.length, ring, seed });
  return messages.total ?? 0;
}

function descending(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => nodes - index);
}

/** An order that reveals no rank: by the last digits. */
function byDigits(one: string, other: string): number {
  return one.slice(-8) < other.slice(-8) ? -1 : 1;
}
