/**
 * @module
 * Echo with extinction: E. J. H. Chang (1982), "Echo algorithms: depth parallel operations on general graphs", IEEE
 * Trans. Software Engineering SE-8(4), as an election by G. Tel (2000), "Introduction to Distributed Algorithms", section
 * 7.3. A node begins an echo wave with its rank. A node takes part in the highest wave that has reached it alone, so that
 * lower waves die. A node passes a wave on to all neighbours but its father, the first that sent it, and answers the
 * father when all neighbours have sent the wave. The wave of the highest node comes back to it, and it announces itself.
 *
 * Invariants: (1) a node sends one message of a wave to each neighbour; (2) a wave comes back only if every node took
 * part in it, so that no node has a higher rank; (3) LEADER crosses each link, those to fathers once. Message bound: at
 * most 2n|E| WAVE (n waves of 2|E| messages, |E| links), and 2|E|-n+1 LEADER. In Tel's form only some nodes begin waves;
 * here a node does at its first message, if that is of a lower wave. The paper does not treat crashes.
 */

import { naming } from '../definition/forgery.ts';
import { UNRELAYED_STATEMENT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { MessageOf, Step } from '../handlers.ts';
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

type EchoMessage =
  | { readonly type: 'WAVE'; readonly wave: Rank; readonly election: number }
  | { readonly type: 'LEADER'; readonly leader: Rank; readonly election: number };

type EchoState = Numbered & {
  /** The highest wave that has reached it. */
  wave: Rank;
  /** The neighbour that sent it first. Null in its own wave. */
  father: Rank | null;
  /** The neighbours that have sent it. */
  heard: Rank[];
};

type Own = Step<EchoState, EchoMessage>;

export const ECHO_EXTINCTION = defineProtocol({
  name: 'echo-extinction',
  messageBound: 'at most 2n|E| WAVE, |E| links; 2|E|-n+1 LEADER',
  // In a complete network in which waves arrive in the order of ranks, half of them reach each node.
  messagesAbout: (nodes) => nodes * (nodes - 1) * (nodes / 2 + 2),
  inFlightAbout: (nodes) => nodes * (nodes - 1) * (nodes / 2 + 2),
  returnsToOrigin: true,
  source:
    'E. J. H. Chang, Echo algorithms: depth parallel operations on general graphs, IEEE Trans. Software Engineering SE-8(4), 1982; G. Tel, Introduction to Distributed Algorithms, 2nd edition, 2000, section 7.3',
  messages: {
    WAVE: {
      members: { wave: 'rank', election: 'integer' },
      candidates: ['wave'],
      ...UNRELAYED_STATEMENT,
    },
    LEADER: {
      members: { leader: 'rank', election: 'integer' },
      candidates: ['leader'],
      ...UNRELAYED_STATEMENT,
    },
  },
  forgery: {
    announcement: naming(({ about, epoch }) => [
      { type: 'LEADER', leader: about, election: epoch },
    ]),
    candidacy: naming(({ about, epoch }) => [{ type: 'WAVE', wave: about, election: epoch }]),
    ...GRAPH_FORGERY,
  },
  faults: GRAPH_FAULTS,
  create: createEchoExtinction,
  ...GRAPH,
});

/** The machine of every node. It sets no timers. */
export function createEchoExtinction() {
  return createMachine<EchoState, EchoMessage>({
    settings: null,
    init: (self) => ({ ...initNumbered(self), wave: self.rank, father: null, heard: [] }),
    on: { ...numberedElections(begin), deliver: { WAVE: onWave, LEADER: onLeader } },
  });
}

/** Begins a wave of its own. */
function begin(step: Own, election: number): void {
  enter(step, election);
  join(step, step.self.rank, null);
}

/** Takes part in a wave, and in no lower one from now on. */
function join(step: Own, wave: Rank, father: Rank | null): void {
  const { state } = step;
  state.wave = wave;
  state.father = father;
  state.heard = [];
  sendToNeighbours(step, { type: 'WAVE', wave, election: state.election }, father ?? undefined);
  answerIfHeard(step);
}

function onWave(step: Own, { wave, election }: MessageOf<EchoMessage, 'WAVE'>, from: Rank): void {
  const { self, state } = step;
  if (election > state.election) {
    if (wave < self.rank) begin(step, election);
    else enter(step, election);
    state.wave = self.rank;
  }
  if (election < state.election || !state.isElecting || wave < state.wave) return;
  if (wave > state.wave) join(step, wave, from);
  if (state.heard.includes(from)) return;
  state.heard.push(from);
  answerIfHeard(step);
}

/** Answers the father of the wave, or leads, when all neighbours have sent it. */
function answerIfHeard(step: Own): void {
  const { self, state, effects } = step;
  const { wave, father, election } = state;
  if (state.heard.length < linksOf(self).neighbours.length) return;
  if (father !== null) {
    effects.send(father, { type: 'WAVE', wave, election });
    return;
  }
  follow(step, self.rank);
  sendToNeighbours(step, { type: 'LEADER', leader: self.rank, election });
}

function onLeader(step: Own, message: MessageOf<EchoMessage, 'LEADER'>, from: Rank): void {
  const { self, state, effects } = step;
  const { leader, election } = message;
  if (election < state.election || leader === self.rank) return;
  if (election === state.election && state.leader === leader) return;
  if (election > state.election) effects.persist(election);
  state.election = election;
  follow(step, leader);
  sendToNeighbours(step, message, from);
}
