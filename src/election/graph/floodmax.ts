/**
 * @module
 * FloodMax: N. A. Lynch (1996), Distributed Algorithms, section 4.1. Each node knows the diameter of the network. There
 * are as many rounds. In each a node sends the highest rank that it knows to its neighbours. Then all know the highest. The
 * rounds are those of section 15.2, by which it runs in an asynchronous network: a message names its round, and a node
 * begins the next round when the messages of all neighbours have arrived. In lockstep these are the rounds of the paper.
 *
 * Invariants: (1) a node in round r has sent r messages to each neighbour; (2) a neighbour is at most one round ahead;
 * (3) after round r a node knows the highest rank within distance r; (4) after as many rounds as the diameter all follow
 * the highest node. Message bound: exactly diam*|E|, with |E| links counted in both directions (Lynch 1996, section 4.1).
 * The book does not treat crashes.
 */

import { naming } from '../definition/forgery.ts';
import { UNRELAYED_STATEMENT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import type { Numbered } from './graph-facts.ts';
import {
  enter,
  follow,
  GRAPH,
  GRAPH_FAULTS,
  GRAPH_FORGERY,
  initNumbered,
  linksOf,
  numberedElections,
  sendToNeighbours,
} from './graph-facts.ts';

type FloodMaxMessage = {
  readonly type: 'FLOOD';
  readonly highest: Rank;
  readonly election: number;
  /** From 1. */
  readonly round: number;
};

type FloodMaxState = Numbered & {
  round: number;
  /** The highest rank that it knows. */
  highest: Rank;
  /** The neighbours whose messages of the round have arrived, and of the next round. */
  heard: Rank[];
  ahead: Rank[];
};

type Own = Step<FloodMaxState, FloodMaxMessage>;

export const FLOODMAX = defineProtocol({
  name: 'floodmax',
  messageBound:
    'diam*|E| FLOOD, |E| links counted in both directions; n(n-1) in a complete network',
  messagesAbout: (nodes) => nodes * (nodes - 1),
  inFlightAbout: (nodes) => nodes * (nodes - 1),
  returnsToOrigin: false,
  source: 'N. A. Lynch, Distributed Algorithms, Morgan Kaufmann, 1996, sections 4.1 and 15.2',
  messages: {
    FLOOD: {
      members: { highest: 'rank', election: 'integer', round: 'integer' },
      candidates: ['highest'],
      ...UNRELAYED_STATEMENT,
    },
  },
  forgery: {
    announcement: 'no node announces a leader: each finds it among the ranks that arrive',
    candidacy: naming(({ about, epoch }) => [
      { type: 'FLOOD', highest: about, election: epoch, round: 1 },
    ]),
    ...GRAPH_FORGERY,
  },
  faults: GRAPH_FAULTS,
  create: createFloodMax,
  ...GRAPH,
});

/** The machine of every node. It sets no timers. */
export function createFloodMax() {
  return createMachine<FloodMaxState, FloodMaxMessage>({
    settings: null,
    init: (self) => ({ ...initNumbered(self), round: 0, highest: self.rank, heard: [], ahead: [] }),
    on: { ...numberedElections(begin), deliver: { FLOOD: onFlood } },
  });
}

function begin(step: Own, election: number): void {
  const { self, state } = step;
  enter(step, election);
  state.round = 0;
  state.highest = self.rank;
  state.ahead = [];
  nextRound(step);
}

function onFlood(step: Own, message: FloodMaxMessage, from: Rank): void {
  const { state } = step;
  if (message.election > state.election) begin(step, message.election);
  if (message.election < state.election || !state.isElecting) return;
  const list = [state.heard, state.ahead][message.round - state.round];
  if (list === undefined || list.includes(from)) return;
  list.push(from);
  if (message.highest > state.highest) state.highest = message.highest;
  if (isHeard(step)) nextRound(step);
}

/** Whether the messages of all neighbours have arrived that belong to the round. */
function isHeard({ self, state }: Own): boolean {
  return state.heard.length === linksOf(self).neighbours.length;
}

/** Begins the next round, or follows the highest node after the last one. */
function nextRound(step: Own): void {
  const { self, state } = step;
  do {
    if (state.round === linksOf(self).diameter) {
      follow(step, state.highest);
      return;
    }
    state.round += 1;
    const { highest, election, round } = state;
    sendToNeighbours(step, { type: 'FLOOD', highest, election, round });
    state.heard = state.ahead;
    state.ahead = [];
  } while (isHeard(step));
}
