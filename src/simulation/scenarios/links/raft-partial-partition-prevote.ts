/**
 * @module
 * The same five links under Raft with preVote and checkQuorum: whoever hears a leader answers no other
 * candidate, so that servers 4 and 5 cannot depose a leader that a majority hear.
 */

import { definePartialPartition, STABLE } from './partial-partition.ts';

export const RAFT_PARTIAL_PARTITION_PREVOTE = definePartialPartition({
  name: 'raft-partial-partition-prevote',
  aliases: ['partial-partition-prevote'],
  title: 'Five servers, five links, and Raft with preVote keeps its leader',
  explanation:
    'Server 4 hears nobody lead and asks 2 with PRE_VOTE, which raises no term; 2 hears 3 and does not answer. It asks in vain to the end and follows nobody, which is the price: 1, 2 and 5 follow 3 in term 1. Other patterns of lost links remain in which these two flags do not help.',
  source:
    'D. Ongaro, Consensus: Bridging Theory and Practice, Stanford 2014, sections 6.2 and 9.6; H. Howard and I. Abraham, Raft does not Guarantee Liveness in the face of Network Faults, 2020',
  flags: { preVote: 'on', checkQuorum: 'on' },
  outcome: STABLE,
});
