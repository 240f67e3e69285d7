// Plays the highest node of an election of `npx usurp serve`, and wins: node play-node.mjs http://127.0.0.1:8787
import { play } from 'usurp/live';
import { mine } from 'usurp/mining';

const { claims } = await mine({ goal: `above:${'f0'.repeat(32)}` });
const election = { url: process.argv[2], protocol: 'bully-oneshot', nodes: 4, seed: '1' };
const { rank, leader } = await play(election, claims[0], ({ type }, leader) =>
  type === 'start'
    ? [
        { type: 'send', to: 'all', message: { type: 'COORDINATOR', leader } },
        { type: 'elect', leader, epoch: 0 },
      ]
    : [],
);
console.log(`played node ${rank}; all follow node ${leader?.rank}`);
