/**
 * @module
 * The guide to a zombie leader: a leader by lease that pauses for longer than its lease, and a store with a fence.
 */

import type { GuideElection, Part } from '../guide.ts';
import type { Condition, Pattern } from '../moments.ts';
import {
  all,
  answered,
  follow,
  hasResumed,
  isPaused,
  leads,
  not,
  sends,
  sent,
} from '../moments.ts';

const STORE = 4;

function election(name: 'zombie-unfenced' | 'zombie-fenced', run: string): GuideElection {
  return {
    request: { scenario: { name, run }, nodes: 3, seed: '1' },
    joins: null,
    actions: [{ type: 'start' }, { type: 'advance', until: 'idle' }],
  };
}

/** The events from the one that wakes node 2 on pass the test. */
function sinceAwake(condition: Condition): Condition {
  return (moment) => {
    const first = moment.events.findIndex(({ event }) => event === 'node.resumed');
    if (first < 0) return false;
    const events = moment.events.slice(first);
    const seqs = new Set(events.map(({ seq }) => seq));
    return condition({
      ...moment,
      events,
      sent: () => moment.sent().filter(({ sentIn }) => seqs.has(sentIn)),
    });
  };
}

const STALE: Pattern = { from: 2, to: STORE, type: 'WRITE', epoch: 1 };
const writesStale = sinceAwake(sent(STALE));
const bothLead = all(leads(2), leads(1));

/** The store has answered the late write with this type. */
function storeSays(type: 'WRITTEN' | 'REFUSED'): Condition {
  return sinceAwake(
    all(
      sent({ from: STORE, to: 2, type, epoch: 1 }),
      answered(STALE, (event) => sends(event, { to: 2, type })),
    ),
  );
}

/** Events of both runs before node 2 wakes. */
const AWAKE = 314;
/** Events until node 2 has the answer to its late write, and until it follows node 1. */
const ANSWERED = 325;
const FOLLOWED = 326;

export const ZOMBIE: readonly Part[] = [
  {
    view: 'election',
    election: election('zombie-unfenced', 'db-lease'),
    from: 0,
    to: ANSWERED,
    steps: [
      {
        text: 'Three nodes use a store. The holder of its lease leads.',
        when: follow([1, 2, 3], 0),
      },
      {
        text: 'Node 2 holds the lease, and leads with epoch 1.',
        when: all(leads(2), electedWith(2, 1), not(isPaused(2)), not(leads(1))),
      },
      {
        text: 'The leader writes into the store. Each write states its epoch.',
        when: all(leads(2), sent(STALE), not(isPaused(2)), not(leads(1))),
      },
      {
        text: "Each renewal raises the row's version. The epoch of a lease is its first version.",
        when: all(leads(2), swaps(2, 1), swaps(2, 6), not(isPaused(2)), not(leads(1))),
      },
      {
        text: 'Node 2 pauses. It renews no lease, and its clock stands still.',
        when: all(isPaused(2), not(leads(1))),
      },
      {
        text: 'The lease runs out. Node 1 writes version 8, and leads with epoch 8.',
        when: all(isPaused(2), leads(1), swaps(1, 8), electedWith(1, 8)),
      },
      {
        text: 'Node 2 wakes. It believes that it still leads: a zombie.',
        when: all(hasResumed(2), bothLead, not(writesStale)),
      },
      {
        text: 'It sends a late write, with its old epoch 1.',
        when: all(writesStale, not(storeSays('WRITTEN'))),
      },
      {
        text: 'Without a fence the store accepts it, after writes of epoch 8.',
        when: all(storeSays('WRITTEN'), sent({ from: STORE, to: 1, type: 'WRITTEN', epoch: 8 })),
      },
    ],
  },
  {
    view: 'election',
    election: election('zombie-fenced', 'db-lease before fencing-max'),
    from: AWAKE,
    to: FOLLOWED,
    steps: [
      {
        text: 'The same moment with a fence: this store remembers the highest epoch.',
        when: all(hasResumed(2), bothLead, not(writesStale)),
      },
      {
        text: 'Node 2 sends the same late write, with epoch 1.',
        when: all(writesStale, not(storeSays('REFUSED'))),
      },
      {
        text: 'The store has seen epoch 8. It answers REFUSED.',
        when: all(storeSays('REFUSED'), sent({ from: STORE, to: 1, type: 'WRITTEN', epoch: 8 })),
      },
      {
        text: 'Node 2 follows node 1. The zombie has done no harm.',
        when: all(follow([1, 2, 3], 1), storeSays('REFUSED'), not(storeSays('WRITTEN'))),
      },
    ],
  },
];

/** The node has asked the store to write this version of the row. */
function swaps(rank: number, version: number): Condition {
  return (moment) =>
    moment.sent().some(({ from, content: { type, row } }) => {
      const isRow = typeof row === 'object' && row !== null && 'version' in row;
      return from === rank && type === 'SWAP' && isRow && row.version === version;
    });
}

function electedWith(leader: number, epoch: number): Condition {
  return ({ events }) =>
    events.some(({ node, effects }) =>
      effects.some(
        (effect) =>
          node === leader &&
          effect.type === 'elect' &&
          effect['leader'] === leader &&
          effect['epoch'] === epoch,
      ),
    );
}
