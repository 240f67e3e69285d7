/**
 * @module
 * Plain Raft on five links of ten never comes to rest, though a majority hear each other all the time:
 * whoever leads, somebody does not hear it and deposes it by standing in a later term.
 */

import { definePartialPartition, NEVER_STABLE } from './partial-partition.ts';

export const RAFT_PARTIAL_PARTITION = definePartialPartition({
  name: 'raft-partial-partition',
  aliases: ['partial-partition', 'partial-connectivity'],
  title: 'Five servers, five links, and plain Raft changes its leader for ever',
  explanation:
    'Links 1-2, 1-3, 2-3, 4-2 and 5-3 are left. Server 4 does not hear leader 3: its VOTE carries a later term to 2, which follows 3 no more and stands itself. Leader 2 is not heard by 5, and leader 1 by neither. 4 and 5 cannot win, two of five vote for them, but need not win to depose. The pair raft-partial-partition-prevote asks first.',
  source:
    'H. Howard and I. Abraham, Raft does not Guarantee Liveness in the face of Network Faults, 2020; D. Ongaro and J. Ousterhout, USENIX ATC 2014, section 5.2',
  flags: {},
  outcome: NEVER_STABLE,
});
