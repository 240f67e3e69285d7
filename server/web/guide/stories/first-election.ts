/**
 * @module
 * This folder contains the guides, one in each file. This file is the first election that a reader sees: Bully, a
 * forger that leads by its ID, and the puzzle that refuses this ID.
 */

import type { Scene } from '../../race/scene.ts';
import type { GuideElection, OutsideEffect, Part, Step } from '../guide.ts';
import { DEFENDED, RACE } from '../guide.ts';
import type { ElectionMoment } from '../moments.ts';
import {
  all,
  answered,
  arrived,
  before,
  follow,
  leads,
  not,
  sends,
  sent,
  sentOnly,
  someFollow,
} from '../moments.ts';

const HONEST = [1, 2, 3, 4, 5];
const BUDGET = 512;

function bully(c1: number): GuideElection {
  return {
    request: {
      protocol: 'bully-oneshot',
      nodes: 5,
      seed: RACE.seed,
      policy: { c1 },
      honest: 'earned',
    },
    joins: null,
    actions: [
      { type: 'start', nodes: [1] },
      { type: 'advance', until: 'idle' },
    ],
  };
}

/** What Bully does at the highest node, which node 1 has asked. */
const ANSWER: readonly OutsideEffect[] = [
  { type: 'send', to: [1], message: { type: 'OK' } },
  { type: 'send', to: HONEST, message: { type: 'COORDINATOR', leader: 6 } },
  { type: 'elect', leader: 6, epoch: 0 },
];

const USURPED: GuideElection = {
  ...bully(RACE.c1),
  joins: RACE,
  actions: [
    { type: 'start', nodes: [1] },
    { type: 'advance', until: 1 },
    { type: 'outbox', effects: ANSWER },
    { type: 'advance', until: 'idle' },
  ],
};

const noneLeads = follow(HONEST, 0);
const asks = sent({ from: 1, to: [2, 3, 4, 5], type: 'ELECTION' }, 4);

/** Each node that is asked answers, and asks those above it. */
const asksOn = answered({ type: 'ELECTION' }, (event) => {
  const { node, from } = event;
  return sends(event, { to: from, type: 'OK' }) && (node === 5 || sends(event, { to: 5 }));
});

const ELECTING: readonly Step<ElectionMoment>[] = [
  {
    text: 'Node 1 sees no leader. It asks every node with a higher ID.',
    when: all(asks, noneLeads, sentOnly({ from: 1, type: 'ELECTION' })),
  },
  {
    text: 'A higher node answers OK, and asks the nodes above it.',
    when: all(arrived({ from: 1, type: 'ELECTION' }), asksOn, noneLeads),
  },
  {
    text: 'Node 5 has the highest ID. It says COORDINATOR to all.',
    when: all(
      leads(5),
      sent({ from: 5, to: [1, 2, 3, 4], type: 'COORDINATOR', leader: 5 }, 4),
      follow([1, 2, 3, 4], 0),
    ),
  },
  {
    text: 'A node that receives COORDINATOR follows node 5.',
    when: all(leads(5), someFollow([1, 2, 3, 4], 5), not(follow(HONEST, 5))),
  },
  { text: 'All five nodes follow node 5. It leads.', when: follow(HONEST, 5) },
];

const areEarned = ({ areEarned: isTrue, honest, c1 }: Scene) =>
  isTrue && honest.length === 5 && honest.every(({ bits }) => bits !== null && bits >= c1);

const FORGING: readonly Step<Scene>[] = [
  {
    text: 'A forger wants to lead. It may make 512 attempts.',
    when: ({ budget, attempts, forged }) =>
      budget === BUDGET && attempts === 0 && forged.length === 0,
  },
  {
    text: 'It makes keys. The diamonds are its IDs with six zero bits.',
    when: ({ forged, c1, isAhead }) =>
      c1 === RACE.c1 &&
      forged.length > 0 &&
      forged.every(({ bits }) => (bits ?? 0) >= c1) &&
      !isAhead,
  },
  {
    text: 'This diamond is the highest ID of all. It took 433 attempts.',
    when: ({ isAhead, attempts, foundAfter }) =>
      isAhead && (attempts === 433 || foundAfter === 433),
  },
];

const USURPING: readonly Step<ElectionMoment>[] = [
  {
    text: 'The forger joins with this ID, as node 6.',
    when: all(before, ({ nodes }) => nodes[6]?.isUp === true),
  },
  {
    text: 'Node 1 asks again. Now node 6 is the highest.',
    when: all(
      sent({ from: 1, to: 6, type: 'ELECTION' }),
      follow([...HONEST, 6], 0),
      sentOnly({ type: ['ELECTION', 'OK'] }),
    ),
  },
  {
    text: 'Node 6 says COORDINATOR. It breaks no rule of Bully.',
    when: all(leads(6), sent({ from: 6, type: 'COORDINATOR', leader: 6 }, 5), noneLeads),
  },
  {
    text: 'A node that receives it follows node 6.',
    when: all(leads(6), someFollow(HONEST, 6), not(follow(HONEST, 6))),
  },
  {
    text: 'The usurper leads: the honest nodes follow node 6.',
    when: follow(HONEST, 6),
  },
];

const DEFENCE: readonly Step<Scene>[] = [
  {
    text: 'The defence: an ID must have twelve zero bits, about 4\u202f096 attempts.',
    when: (scene) => scene.c1 === DEFENDED.c1 && 2 ** scene.c1 === 4_096 && areEarned(scene),
  },
  {
    text: 'The same 512 attempts find no valid ID.',
    when: ({ isOver, attempts, keys, forged }) =>
      isOver && attempts === BUDGET && keys === 0 && forged.length === 0,
  },
  {
    text: 'The old ID has seven zero bits. The network refuses it.',
    when: ({ forged, keys, c1 }) =>
      forged.length === 1 && forged[0]?.bits === 7 && c1 > 7 && keys === 0,
  },
];

const DEFENDING: readonly Step<ElectionMoment>[] = [
  {
    text: 'The nodes that did the work elect without the forger.',
    when: all(asks, not(follow(HONEST, 5)), ({ nodes }) => nodes.length === 6),
  },
  { text: 'Node 5 leads. The usurper is not in the network.', when: follow(HONEST, 5) },
];

export const FIRST_ELECTION: readonly Part[] = [
  {
    view: 'election',
    election: { ...bully(RACE.c1), actions: [] },
    from: 0,
    steps: [
      {
        text: 'A leader decides alone, so that no two nodes decide differently.',
        when: all(before, noneLeads),
      },
      { text: 'These five nodes have no leader yet.', when: all(before, noneLeads) },
    ],
  },
  {
    view: 'race',
    plan: RACE,
    offers: null,
    from: 0,
    to: 0,
    steps: [
      {
        text: 'Each has earned its ID: about 64 attempts for six zero bits.',
        when: (scene) => areEarned(scene) && scene.c1 === RACE.c1 && scene.forged.length === 0,
      },
      {
        text: 'The highest ID, at the right, will lead.',
        when: (scene) => areEarned(scene) && scene.forged.length === 0,
      },
    ],
  },
  { view: 'election', election: bully(RACE.c1), from: 1, steps: ELECTING },
  { view: 'race', plan: RACE, offers: null, from: 0, steps: FORGING },
  { view: 'election', election: USURPED, from: 0, steps: USURPING },
  { view: 'race', plan: DEFENDED, offers: RACE, from: 0, steps: DEFENCE },
  { view: 'election', election: bully(DEFENDED.c1), from: 1, steps: DEFENDING },
];
