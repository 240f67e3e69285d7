/**
 * @module
 * Le Lann (1977), "Distributed Systems: Towards a Formal Approach", Information Processing 77 (IFIP):
 * everybody sends its own ID once round the ring and keeps the list of those that pass; when its own
 * comes home it has seen all of them, and knows the highest without being told.
 *
 * Invariants, on FIFO links: (1) a node sends its own ELECT before it lets another one pass; (2) so
 * whatever was sent passes a node before its own comes home; (3) an ELECT goes round once and ends at
 * its owner; (4) all lists are complete, so all elect the same. A link that reorders breaks (2).
 * Message bound: exactly n² ELECT for whoever starts (Le Lann 1977); n ranks of memory a node.
 * The paper knows no crashes. Elections are numbered here, so that nothing lost in an older one is
 * missing from a list: the number is on disk, and a node's return begins the next election wherever
 * one is running, or the node that returns is followed, or somebody leads who would have to tell it.
 */

import type { Effects, Json, Machine, Rank, Self } from '../machine.ts';
import { successor } from './neighbours.ts';

export type LeLannMessage = {
  readonly type: 'ELECT';
  readonly candidate: Rank;
  readonly election: number;
};

export type LeLannState = {
  /** 0 before the first. */
  election: number;
  /** Its own ELECT is out. */
  running: boolean;
  /** Itself and whoever has passed in this election; emptied at its end. */
  list: Rank[];
  leader: Rank | null;
};

type Out = Effects<LeLannMessage>;

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createLeLann(): Machine<LeLannState, LeLannMessage> {
  return {
    init: (self) => ({ election: 0, running: false, list: [], leader: self.incumbent }),
    step(self, state, event, effects) {
      switch (event.type) {
        case 'deliver':
          if (event.message.type === 'ELECT') onElect(self, state, event.message, effects);
          break;
        case 'start':
          if (!state.running) begin(self, state, state.election + 1, effects);
          break;
        case 'recover':
          state.leader = null;
          begin(self, state, electionOf(event.persisted) + 1, effects);
          break;
        case 'suspect':
          if (event.node !== state.leader || state.running) break;
          begin(self, state, state.election + 1, effects);
          break;
        case 'trust':
          if (!isConcerned(self, state, event.node)) break;
          begin(self, state, state.election + 1, effects);
          break;
        case 'timeout':
        case 'join':
        case 'leave':
        case 'chosen':
        case 'reply':
        case 'request':
          break;
        default:
          event satisfies never;
      }
    },
  };
}

function onElect(self: Self, state: LeLannState, message: LeLannMessage, effects: Out): void {
  if (message.election > state.election) begin(self, state, message.election, effects);
  if (message.election < state.election) return;
  if (message.candidate !== self.rank) {
    if (state.running) state.list.push(message.candidate);
    effects.send(successor(self), message);
  } else if (state.running) {
    // A second copy of its own finds nothing running and ends here.
    const leader = highestOf(state.list, self.rank);
    state.running = false;
    state.list = [];
    state.leader = leader;
    effects.elect(leader, state.election);
  }
}

function begin(self: Self, state: LeLannState, election: number, effects: Out): void {
  state.election = election;
  state.running = true;
  state.list = [self.rank];
  // Before anything is sent: in one election no node sends its own ID twice.
  effects.persist(election);
  effects.send(successor(self), { type: 'ELECT', candidate: self.rank, election });
}

function isConcerned(self: Self, state: LeLannState, returned: Rank): boolean {
  return state.running || state.leader === self.rank || state.leader === returned;
}

function electionOf(persisted: Json): number {
  return typeof persisted === 'number' ? persisted : 0;
}

function highestOf(ranks: readonly Rank[], first: Rank): Rank {
  return ranks.reduce((highest, rank) => (rank > highest ? rank : highest), first);
}
