/**
 * @module
 * One Raft node, stepped by hand. Describes the effects of each event in words.
 */

import type { Effects, Event } from '../../../src/election/machine.ts';
import { createRaft } from '../../../src/election/quorum/raft.ts';
import type {
  RaftMessage,
  RaftOptions,
  RaftState,
} from '../../../src/election/quorum/raft-step.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';

export const ELECTION: Event<RaftMessage> = { type: 'timeout', timer: 'election' };

export interface RaftNode {
  readonly state: RaftState;
  /** The effects of an event, in words. `choice` is the result of its choice. */
  handle(event: Event<RaftMessage>, choice?: number): string[];
  receive(from: number, message: RaftMessage): string[];
}

/** Node 1, by default of five, of which the absent ones have joined. */
export function createNode(
  options: Partial<RaftOptions> = {},
  { nodes = 5, absent = [] }: { readonly nodes?: number; readonly absent?: number[] } = {},
): RaftNode {
  const machine = createRaft({
    rules: 'figure2',
    reconfiguration: 'guarded',
    ...{ preVote: 'off', checkQuorum: 'off', electionTicks: 100, spreadTicks: 10 },
    ...{ heartbeatTicks: 10, lastIndexOf: () => 0 },
    ...options,
  });
  const self = createCast({
    protocol: 'raft',
    timing: { latencyTicksMax: 1 },
    ring: Array.from({ length: nodes }, (_, index) => index + 1),
    crashedBefore: [],
    absent,
  }).selfOf(1);
  const state = machine.init(self);
  const handle = (event: Event<RaftMessage>, choice = 0) => {
    const done: string[] = [];
    machine.step(self, state, event, inWords(done));
    if (done.some((effect) => effect.startsWith('choose'))) {
      machine.step(self, state, { type: 'chosen', value: choice }, inWords(done));
    }
    return done;
  };
  return {
    state,
    handle,
    receive: (from, message) => handle({ type: 'deliver', from: toRank(from), message }),
  };
}

/** Node 1 of five, elected in term 1. */
export function createLeader(options: Partial<RaftOptions> = {}): RaftNode {
  const node = createNode(options);
  node.handle(ELECTION);
  for (const voter of [2, 3]) node.receive(voter, { type: 'VOTE_REPLY', term: 1, granted: true });
  return node;
}

function inWords(done: string[]): Effects<RaftMessage> {
  return {
    send: (to, { type, ...body }) => done.push(`${type} ${to} ${JSON.stringify(body)}`),
    setTimer: (timer, ticks, periodic) =>
      done.push(`set ${timer} ${ticks}${periodic ? ' periodic' : ''}`),
    cancelTimer: (timer) => done.push(`cancel ${timer}`),
    choose: (below) => done.push(`choose ${below}`),
    persist: (fields) => done.push(`persist ${JSON.stringify(fields)}`),
    call: () => done.push('call'),
    elect: (leader, epoch) => done.push(`elect ${leader} in ${epoch}`),
    stepDown: () => done.push('step-down'),
    accuse: () => done.push('accuse'),
    respond: () => done.push('respond'),
  };
}
