/**
 * @module
 * Seeded bugs of the quorum family, and the check that kills each.
 */

import type { CheckName } from './checks.ts';
import type { Mutant } from './mutation.ts';

export const QUORUM_MUTANTS = [
  {
    name: 'raft-half',
    bug: 'Half of the members are taken for a majority.',
    file: 'src/election/quorum/majority.ts',
    oldText: 'Math.floor(self.members.length / 2) + 1',
    newText: 'Math.ceil(self.members.length / 2)',
    killedBy: 'raft: half elects nobody',
  },
  {
    name: 'raft-votes-per-message',
    bug: 'A vote that arrives twice is two votes.',
    file: 'src/election/quorum/raft-votes.ts',
    oldText: '  if (state.granted.includes(voter) || state.refused.includes(voter)) return;\n',
    newText: '',
    killedBy: 'raft: copies are no votes',
  },
  {
    name: 'raft-vote-not-on-disk',
    bug: 'The term is persisted, whom the node has voted for is not.',
    file: 'src/election/quorum/raft-state.ts',
    oldText: 'return { term, votedFor };',
    newText: 'return { term, votedFor: null };',
    killedBy: 'raft: a word given binds',
  },
  {
    name: 'raft-two-writes',
    bug: 'The term is persisted before the answer and the vote after it.',
    file: 'src/election/quorum/raft-votes.ts',
    oldText: `  if (granted) {
    state.votedFor = from;
    restartTimer(step);
  }
  // Term and vote together, and before the answer.
  if (isLater || granted) save(step);
  effects.send(from, { type: 'VOTE_REPLY', term: state.term, granted });
`,
    newText: `  if (isLater) save(step);
  effects.send(from, { type: 'VOTE_REPLY', term: state.term, granted });
  if (granted) {
    state.votedFor = from;
    restartTimer(step);
    save(step);
  }
`,
    killedBy: 'raft: a word given binds',
  },
  {
    name: 'raft-second-vote',
    bug: 'A request in the own term begins it anew, and the vote is free again.',
    file: 'src/election/quorum/raft-votes.ts',
    oldText: `message: VoteQuestion<'VOTE'>): void {
  const { state, effects } = step;
  const isLater = message.term > state.term;`,
    newText: `message: VoteQuestion<'VOTE'>): void {
  const { state, effects } = step;
  const isLater = message.term >= state.term;`,
    killedBy: 'raft: one leader a term',
  },
  {
    name: 'raft-old-votes-count',
    bug: 'A vote of an earlier term counts in this one.',
    file: 'src/election/quorum/raft-votes.ts',
    oldText: "if (state.role !== 'candidate' || message.term !== state.term) return;",
    newText: "if (state.role !== 'candidate') return;",
    killedBy: 'raft: words of earlier terms',
  },
  {
    name: 'raft-old-leader-followed',
    bug: 'A heartbeat of an earlier term is obeyed.',
    file: 'src/election/quorum/raft.ts',
    oldText: 'if (term < state.term) {',
    newText: 'if (term < 0) {',
    killedBy: 'raft: words of earlier terms',
  },
  {
    name: 'raft-pre-vote-raises',
    bug: 'The question whether a candidacy would succeed raises the own term already.',
    file: 'src/election/quorum/raft-votes.ts',
    oldText: "  state.role = 'pre-candidate';\n",
    newText: "  state.role = 'pre-candidate';\n  state.term += 1;\n",
    killedBy: 'raft: a rehearsal deposes nobody',
  },
  {
    name: 'raft-check-quorum-ignored',
    bug: 'Under checkQuorum a leader is content with hearing itself.',
    file: 'src/election/quorum/raft.ts',
    oldText: 'if (heard >= majorityOf(self)) return;',
    newText: 'if (heard >= 1) return;',
    killedBy: 'raft: a leader that nobody hears',
  },
  {
    name: 'quorum-lease-half',
    bug: 'One grant less than a majority is enough: of four members, half.',
    file: 'src/election/quorum/quorum-lease.ts',
    oldText: 'if (state.grants.length < majorityOf(self)) return;',
    newText: 'if (state.grants.length < majorityOf(self) - 1) return;',
    killedBy: 'quorum-lease: half elects nobody',
  },
  {
    name: 'quorum-lease-votes-per-message',
    bug: 'A grant that arrives twice is two grants.',
    file: 'src/election/quorum/quorum-lease.ts',
    oldText: '  if (state.grants.includes(from)) return;\n',
    newText: '',
    killedBy: 'quorum-lease: copies are no votes',
  },
  {
    name: 'quorum-lease-vote-not-on-disk',
    bug: 'The term is persisted, whom the node has voted for is not.',
    file: 'src/election/quorum/quorum-lease-state.ts',
    oldText: 'effects.persist({ term, votedFor });',
    newText: 'effects.persist({ term, votedFor: null });',
    killedBy: 'quorum-lease: a word given binds',
  },
  {
    name: 'quorum-lease-promise-broken',
    bug: 'A grantor votes in a higher term while its promise to another still runs.',
    file: 'src/election/quorum/quorum-lease.ts',
    oldText: "state.role === 'master' || isPromisedAway(context, candidate)",
    newText:
      "state.role === 'master' || (term <= state.term && isPromisedAway(context, candidate))",
    killedBy: 'quorum-lease: one master',
  },
  {
    name: 'quorum-lease-from-answer',
    bug: 'A lease begins anew with the answer that completes the majority.',
    file: 'src/election/quorum/quorum-lease.ts',
    oldText: "if (options.countedFrom === 'answer') effects",
    newText: 'effects',
    killedBy: 'quorum-lease: slow answers',
  },
  {
    name: 'quorum-lease-no-drift',
    bug: 'The master counts the whole of what was promised.',
    file: 'src/election/quorum/quorum-lease-options.ts',
    oldText: 'holdTicks: isCorrected ? holderTicks({ leaseTicks, driftPpm }) : leaseTicks,',
    newText: 'holdTicks: leaseTicks,',
    killedBy: 'quorum-lease: clocks at the edge',
  },
  {
    name: 'lease-half-the-drift',
    bug: 'A holder allows for its own slow clock, not for the fast ones of the grantors.',
    file: 'src/election/lease-interval.ts',
    oldText: '(lease * (MILLION - drift)) / (MILLION + drift)',
    newText: '(lease * (MILLION - drift)) / MILLION',
    killedBy: 'quorum-lease: clocks at the edge',
  },
  {
    name: 'quorum-lease-not-sat-out',
    bug: 'A grantor that has forgotten its promises waits for none of them to end.',
    file: 'src/election/quorum/quorum-lease.ts',
    oldText: "effects.setTimer('promise', options.sitOutTicks, false);",
    newText: "effects.setTimer('promise', 0, false);",
    killedBy: 'quorum-lease: a voter that forgot',
  },
  {
    name: 'slide-votes-per-message',
    bug: 'An acknowledgement that arrives twice is two.',
    file: 'src/election/quorum/zk-slide-quorum.ts',
    oldText: '  if (state.acks.includes(from)) return;\n',
    newText: '',
    killedBy: 'zk-slide-quorum: copies are no votes',
  },
  {
    name: 'slide-disk-behind',
    bug: 'The disk is an epoch behind what was acknowledged.',
    file: 'src/election/quorum/zk-slide-quorum-state.ts',
    oldText: 'effects.persist({ ackedEpoch: epoch, ackedId: id });',
    newText: 'effects.persist({ ackedEpoch: epoch - 1, ackedId: id });',
    killedBy: 'zk-slide-quorum: a word given binds',
  },
  {
    name: 'slide-acknowledges-twice',
    bug: 'Every candidate of an epoch is acknowledged, not the first alone.',
    file: 'src/election/quorum/zk-slide-quorum.ts',
    oldText: 'if (epoch > state.ackedEpoch) {',
    newText: 'if (epoch >= state.ackedEpoch) {',
    killedBy: 'zk-slide-quorum: one leader an epoch',
  },
  {
    name: 'zab-half',
    bug: 'Half of the members are taken for a quorum.',
    file: 'src/election/quorum/majority.ts',
    oldText: 'Math.floor(self.members.length / 2) + 1',
    newText: 'Math.ceil(self.members.length / 2)',
    killedBy: 'zab-fle: half elects nobody',
  },
  {
    name: 'zab-promise-not-on-disk',
    bug: 'An accepted epoch is not persisted before it is acknowledged.',
    file: 'src/election/quorum/zab-following.ts',
    oldText: '    state.acceptedFrom = leader;\n    persistEpochs(context);\n',
    newText: '    state.acceptedFrom = leader;\n',
    killedBy: 'zab-fle: a word given binds',
  },
  {
    name: 'zab-epoch-not-raised',
    bug: 'A leader proposes the highest epoch that it has heard of, not the one after it.',
    file: 'src/election/quorum/zab-leading.ts',
    oldText: 'Math.max(state.acceptedEpoch, state.knownEpochMax) + 1',
    newText: 'Math.max(state.acceptedEpoch, state.knownEpochMax, 1)',
    killedBy: 'zab-fle: one leader an epoch',
  },
  {
    name: 'zab-promises-twice',
    bug: 'A node promises an epoch to every leader that proposes it.',
    file: 'src/election/quorum/zab-following.ts',
    oldText: 'promised: state.acceptedFrom === leader,',
    newText: 'promised: true,',
    killedBy: 'zab-fle: a word given binds',
  },
] as const satisfies readonly (Mutant & { readonly killedBy: CheckName })[];
