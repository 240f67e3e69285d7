/**
 * @module
 * How the members of Raft change when nodes join and leave: the logless reconfiguration of MongoDB (W. Schultz, S. Dardik and S.
 * Tripakis, Design and Analysis of a Logless Dynamic Reconfiguration Protocol, OPODIS 2021). A configuration has the
 * term of the leader that wrote it and a version, and the later one holds. It is on disk before it counts, travels with
 * heartbeats, and no node votes for a candidate whose configuration is older than its own.
 *
 * Invariants: (1) a configuration differs from the one before by one node, so that their majorities overlap; (2) a leader
 * writes one only if it has written the present one in its own term (`write`), and a majority of it has answered in this
 * term that it has it: no majority of an earlier configuration can then elect; (3) a node that is not in its own
 * configuration neither stands nor follows a leader. The founders are the first configuration, which no message states.
 */

import type { Rank } from '../machine.ts';
import { broadcast } from './majority.ts';
import type { Configuration, Configured } from './raft-members.ts';
import { configured, isLater, isMajority, isVoter, votersOf } from './raft-members.ts';
import type { RaftStep } from './raft-step.ts';
import { retire, save, unfollow } from './raft-step.ts';

/** Whether a node may stand and lead: it counts, and has not been told to leave. */
export function isEligible(step: RaftStep): boolean {
  const { self, state } = step;
  return isVoter(step, self.rank) && !state.leaving.includes(self.rank);
}

/** Whether a candidate knows no older configuration than this node. */
export function isConfigurationFit(step: RaftStep, { configuration }: Configured): boolean {
  const { state, settings } = step;
  return settings.reconfiguration === 'unguarded' || !isLater(state, { configuration });
}

/** A new leader writes its configuration in its own term, which ends those that earlier leaders have not completed. */
export function openConfiguration(step: RaftStep): void {
  step.state.confirmed = [];
  if (step.state.configuration !== null) write(step, {});
}

/** A member has answered the leader with its configuration. */
export function onConfirmed(step: RaftStep, { configuration }: Configured, from: Rank): void {
  const { state } = step;
  // The sender has a configuration that an earlier leader did not complete. That of this leader must become later.
  if (isLater({ configuration }, state)) {
    write(step, {});
    announce(step);
  } else if (
    state.configuration?.term === state.term &&
    !isLater(state, { configuration }) &&
    !state.confirmed.includes(from)
  ) {
    state.confirmed.push(from);
    changeMembers(step);
  }
}

/** A leader admits or removes the next node, if it may. */
export function changeMembers(step: RaftStep): void {
  if (step.state.role !== 'leader') return;
  let hasWritten = false;
  for (let next = nextOf(step); next !== null && mayChange(step); next = nextOf(step)) {
    write(step, isWritten(step) ? next : {});
    hasWritten = true;
  }
  if (hasWritten) announce(step);
}

/** A report says that a node is to leave. A leader steps down instead of removing itself, and another leader removes it. */
export function onLeave(step: RaftStep, node: Rank): void {
  const { self, state } = step;
  if (votersOf(step).every((voter) => voter === node)) return;
  if (!state.leaving.includes(node)) state.leaving.push(node);
  if (node === self.rank && state.role !== 'follower') {
    retire(step);
    unfollow(step);
  }
  changeMembers(step);
}

/** The members after the next change; null if there is none. */
function nextOf(step: RaftStep): Partial<Configuration> | null {
  const { self, state } = step;
  const voters = votersOf(step);
  const removed = state.configuration?.removed ?? [];
  // A node that is to leave does not lead, so that this is another one.
  const leaver = state.leaving.find((node) => voters.includes(node));
  if (leaver !== undefined) {
    return { members: voters.filter((node) => node !== leaver), removed: [...removed, leaver] };
  }
  const isNew = (node: Rank) => ![...voters, ...removed, ...state.leaving].includes(node);
  if (self.members.length <= voters.length + removed.length) return null;
  const newcomer = self.members.find(isNew);
  if (newcomer === undefined) return null;
  return { members: [...voters, newcomer].sort((one, other) => (one < other ? -1 : 1)) };
}

/** Whether a leader may change the members, or first has to write the present ones in its term. */
function mayChange(step: RaftStep): boolean {
  const { self, state } = step;
  const confirmed = state.confirmed.filter((node) => isVoter(step, node));
  return !isWritten(step) || isMajority(step, [self.rank, ...confirmed]) || isUnguarded(step);
}

function isWritten(step: RaftStep): boolean {
  return step.state.configuration?.term === step.state.term || isUnguarded(step);
}

function isUnguarded({ settings }: RaftStep): boolean {
  return settings.reconfiguration === 'unguarded';
}

function write(step: RaftStep, changed: Partial<Configuration>): void {
  const { state } = step;
  const { version = 0, removed = [] } = state.configuration ?? {};
  const isChange = changed.members !== undefined;
  state.configuration = {
    term: state.term,
    version: version + (isChange ? 1 : 0),
    members: votersOf(step),
    removed,
    ...changed,
  };
  state.confirmed = [];
  save(step);
}

function announce(step: RaftStep): void {
  const { state } = step;
  broadcast(step, { type: 'HEARTBEAT', term: state.term, ...configured(state) });
}
