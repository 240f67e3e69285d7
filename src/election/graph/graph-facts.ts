/**
 * @module
 * This folder contains the protocols that elect in any connected network, and this file the facts that they share. A node
 * sends messages to its neighbours alone. Elections are numbered, the number is on disk, and a node that returns, or
 * that a detector trusts again, begins the next one, in which each node takes part at its first message.
 */

import { AFFECTED_BUT_BY_CLOCKS } from '../definition/drawn-faults.ts';
import type { FaultCell } from '../definition/fault-row.ts';
import { live, none, ok, stop } from '../definition/fault-row.ts';
import type { ProtocolFacts } from '../definition/protocol.ts';
import type { Handlers, Step } from '../handlers.ts';
import type { Links, Message, Rank, Self } from '../machine.ts';

/** The facts of every protocol of the family. */
export const GRAPH = {
  family: 'graph',
  overLinks: true,
  votersIn: null,
  decided: null,
  elects: 'highest',
  isRanked: true,
  unique: 'moment',
  fifo: false,
  assumes:
    'Asynchronous; static membership; a stable store; links that lose nothing between live nodes; to finish, every node alive and a connected network.',
  entriesAbout: null,
  steadyTicks: null,
  flags: {},
  numbers: {},
  clash: null,
  attributes: null,
  successors: 1,
  leases: false,
  tokens: 'no token travels round a ring in it',
  carries: null,
  waiting: null,
  stall:
    'a node waits for all neighbours, and for none in particular; a node that keeps a message swallows it',
  doubleVote: 'no node votes in it',
  inflation: 'a node can only begin further elections, which the highest wins, too',
  certificate: 'no leader in it is elected by votes',
  store: null,
  counters: [],
  drawnTicks: [],
  symmetry: 'the highest rank wins',
  unaffected: AFFECTED_BUT_BY_CLOCKS,
} as const satisfies Partial<ProtocolFacts>;

/** How messages of the family are forged. */
export const GRAPH_FORGERY = {
  route: 'each-node',
  believes: 'any-rank',
  acceptsStrangers: true,
  replacesSilentLeaders: false,
  numbering: 'election',
  answer: 'a node sends the same to all neighbours, and answers none',
} as const;

const WAITS =
  'A node waits for a message of every neighbour. What was lost is sent again only in the next election.';

/** What faults do to the protocols of the family. */
export const GRAPH_FAULTS = {
  drop: stop(WAITS),
  duplicate: ok('A neighbour counts once in a round or in a wave.'),
  reorder: ok('A message names its election and its round or its wave.'),
  delay: live('No node takes a time-out for an answer.'),
  'clean-majority': stop(WAITS),
  'one-way': stop(WAITS),
  'majorities-ring': stop(WAITS),
  'leader-isolated': none('The leader has no standing duty: it is a partition like any other.'),
  'swizzle-clog': stop(WAITS),
  'crash-best': stop('Its neighbours wait for it.'),
  restart: live('A node that returns begins the next election.'),
  amnesia: live('As restart: the others begin the next election when they trust it.'),
  pause: live('The neighbours of a node that is paused wait.'),
  'clock-skew': ok('No timers.'),
  'clock-jump': ok('No timers.'),
  'fail-over': none('No node calls a store.'),
  'torn-record': none('What they store is one number: one write.'),
  'unknown-message': ok('A machine ignores an unknown message.'),
} satisfies Readonly<Record<string, FaultCell>>;

const NO_LINKS: Links = { neighbours: [], diameter: 0 };

/** The links of a node. A driver gives some to every protocol of the family. */
export function linksOf({ links }: Self): Links {
  return links ?? NO_LINKS;
}

/** Sends a message to each neighbour but one. */
export function sendToNeighbours<M extends Message>(
  { self, effects }: Step<unknown, M>,
  message: M,
  except?: Rank,
): void {
  for (const neighbour of linksOf(self).neighbours) {
    if (neighbour !== except) effects.send(neighbour, message);
  }
}

/** The number of an election that is on disk. 0 if the disk is empty. */
function electionOnDisk(persisted: unknown): number {
  return typeof persisted === 'number' ? persisted : 0;
}

/** The part of a state that all protocols of the family have. */
export interface Numbered {
  /** 0 before the first. */
  election: number;
  leader: Rank | null;
  isElecting: boolean;
}

export function initNumbered(self: Self): Numbered {
  return { election: 0, leader: self.incumbent, isElecting: false };
}

/** Takes part in an election from now on. What is left of older ones is ignored. */
export function enter({ self, state, effects }: Step<Numbered, Message>, election: number): void {
  if (state.leader === self.rank) effects.stepDown();
  state.election = election;
  state.leader = null;
  state.isElecting = true;
  // Before anything is sent: a node sends a message of an election once.
  effects.persist(election);
}

/** Follows a leader: the election is over here. */
export function follow({ state, effects }: Step<Numbered, Message>, leader: Rank): void {
  state.leader = leader;
  state.isElecting = false;
  effects.elect(leader, state.election);
}

/** The handlers of the family, but for its messages. `begin` takes part in an election from its beginning. */
export function numberedElections<State extends Numbered, M extends Message>(
  begin: (step: Step<State, M>, election: number) => void,
): Handlers<State, M> {
  const next = (step: Step<State, M>) => begin(step, step.state.election + 1);
  return {
    start(step) {
      if (!step.state.isElecting) next(step);
    },
    recover(step, persisted) {
      step.state.leader = null;
      begin(step, electionOnDisk(persisted) + 1);
    },
    suspect(step, node) {
      if (node === step.state.leader) next(step);
    },
    // What was running has lost messages in the node that has returned.
    trust: next,
  };
}
