/**
 * @module
 * The guide to a lie: a Byzantine node announces another node as the leader. Without signatures it is believed.
 */

import type { GuideElection, Part } from '../guide.ts';
import {
  all,
  arrived,
  before,
  follow,
  isDown,
  leads,
  not,
  refused,
  sent,
  someFollow,
  started,
} from '../moments.ts';

/** The honest nodes that are up. */
const HONEST = [1, 3, 4];
const LIE = { from: 2, type: 'COORDINATOR', leader: 5 };

function election(level: 'L0' | 'L2', until: 'idle' | number): GuideElection {
  return {
    request: {
      protocol: 'bully-oneshot',
      nodes: 5,
      seed: '3',
      level,
      byzantine: [{ rank: 2, behaviours: ['spoof-coordinator'] }],
      crash: [{ rank: 5 }],
    },
    joins: null,
    actions: [
      { type: 'start', nodes: [1] },
      { type: 'advance', until },
    ],
  };
}

export const LIE_STORY: readonly Part[] = [
  {
    view: 'election',
    election: election('L0', 2),
    from: 0,
    steps: [
      {
        text: 'Node 5 is down. Node 4 is the highest that is up.',
        when: all(before, isDown(5), ({ nodes }) => nodes[4]?.isUp === true),
      },
      {
        text: 'Node 1 starts an election, and asks the higher nodes.',
        when: all(started(1), sent({ from: 1, to: [2, 3, 4, 5], type: 'ELECTION' }, 4)),
      },
      {
        text: 'Node 2 is Byzantine, and lies: “COORDINATOR, node 5 leads.”',
        when: all(sent({ ...LIE, to: HONEST }, 3), isDown(5), follow(HONEST, 0)),
      },
      {
        text: 'At level L0 a message needs no signature. The nodes believe the lie.',
        when: all(arrived(LIE), not(refused('candidacy', LIE)), someFollow(HONEST, 5)),
      },
      {
        text: 'The honest nodes follow node 5, which is down. None leads them.',
        when: all(
          isDown(5),
          ...HONEST.map((rank) => someFollow([rank], 5)),
          ...HONEST.map((rank) => not(leads(rank))),
        ),
      },
    ],
  },
  {
    view: 'election',
    election: election('L2', 'idle'),
    from: 1,
    steps: [
      {
        text: 'The same election at level L2: every message is signed.',
        when: all(sent({ from: 1, type: 'ELECTION' }), isDown(5), ({ sent: messages }) =>
          messages().every(({ content }) => isSigned(content['seal'])),
        ),
      },
      {
        text: 'Node 2 sends the same lie. It cannot sign for node 5.',
        when: all(sent({ ...LIE, to: HONEST }, 3), follow(HONEST, 0), ({ sent: messages }) =>
          messages().every(({ from, content }) => signerOf(content['seal']) === from),
        ),
      },
      {
        text: 'The nodes refuse it: node 5 has signed no candidacy.',
        when: all(refused('candidacy', LIE), follow(HONEST, 0), isDown(5)),
      },
      {
        text: 'The election goes on. Node 4 waits for an answer of node 5.',
        when: all(
          arrived({ from: 2, type: 'OK' }),
          sent({ from: 4, to: 5, type: 'ELECTION' }),
          follow(HONEST, 0),
          isDown(5),
        ),
      },
      {
        text: 'Node 4 gets no answer from above. It leads.',
        when: all(leads(4), refused('candidacy', LIE), isDown(5)),
      },
      {
        text: 'All nodes that are up follow node 4. The lie changed nothing.',
        when: all(follow([1, 2, 3, 4], 4), refused('candidacy', LIE)),
      },
    ],
  },
];

function signerOf(seal: unknown): unknown {
  return typeof seal === 'object' && seal !== null && 'by' in seal ? seal.by : null;
}

function isSigned(seal: unknown): boolean {
  return typeof seal === 'object' && seal !== null && 'signature' in seal;
}
