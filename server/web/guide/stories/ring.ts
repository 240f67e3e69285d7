/**
 * @module
 * The guide to an election in a ring, by Chang and Roberts.
 */

import type { GuideAction, Part } from '../guide.ts';
import {
  all,
  answered,
  arrived,
  before,
  follow,
  inFlightOnly,
  leads,
  not,
  sends,
  sent,
  sentInAll,
} from '../moments.ts';

const NODES = [1, 2, 3, 4, 5];
const CLOCKWISE = [3, 1, 5, 2, 4];

/** A node passes on a higher rank than its own, and no lower one. */
const passesOn = answered({ type: 'PROBE' }, (event, { candidate }) => {
  const isPassedOn = sends(event, { type: 'PROBE', candidate });
  return isPassedOn === Number(candidate) > Number(event.node);
});

export const RING: readonly Part[] = [
  {
    view: 'election',
    election: {
      request: { protocol: 'cr-join', nodes: 5, seed: '1', ring: CLOCKWISE },
      joins: null,
      actions: [
        ...CLOCKWISE.map((rank): GuideAction => ({ type: 'start', nodes: [rank] })),
        { type: 'advance', until: 'idle' },
      ],
    },
    from: 0,
    steps: [
      {
        text: 'In a ring, a node sends only to its clockwise neighbour.',
        when: all(before, follow(NODES, 0)),
      },
      {
        text: 'Each node sends a PROBE with its own rank.',
        when: all(sent({ type: 'PROBE' }), not(arrived({})), ({ sent: all }) =>
          all().every(({ from, content }) => content['candidate'] === from),
        ),
      },
      {
        text: 'A node passes on a rank higher than its own, and stops a lower one.',
        when: all(arrived({ type: 'PROBE' }), passesOn, follow(NODES, 0)),
      },
      {
        text: 'Only the PROBE of node 5 is left. No node stops it.',
        when: all(inFlightOnly({ type: 'PROBE', candidate: 5 }), passesOn, follow(NODES, 0)),
      },
      {
        text: 'Its own PROBE comes back: node 5 has the highest rank, and leads.',
        when: all(
          arrived({ to: 5, type: 'PROBE', candidate: 5 }),
          leads(5),
          follow([1, 2, 3, 4], 0),
        ),
      },
      {
        text: 'SELECTED goes around the ring once. It names node 5 as the leader.',
        when: all(
          arrived({ type: 'SELECTED', leader: 5 }),
          inFlightOnly({ type: 'SELECTED', leader: 5 }),
          not(follow(NODES, 5)),
        ),
      },
      {
        text: 'All nodes follow node 5, after 17 messages.',
        when: all(follow(NODES, 5), sentInAll(17)),
      },
    ],
  },
];
