/**
 * @module
 * The text after the flags of `usurp check --help`.
 */

import { BOUND_MAX } from '../../checking/instance.ts';

/** What a check does, its results and exit codes, and examples. */
export const CHECK_HELP = `
Explores all orders in which messages arrive and timers fire, and all faults within --bounds, with the machines
and semantics of the simulator. Equal worlds are visited once. always: the property holds in every world.
eventually: every execution in which nothing that stays possible is put off for ever reaches a world with the
property. A violation is a list of actions, with those that repeat for ever at its end.

The result is one of three. exhausted: every world within the bounds was visited, and no property is violated.
capped: a limit was reached; the rest is unknown. violated: the list of actions shows it.
crash and its report by a failure detector that never errs, recover (with the persisted data), amnesia (without it),
loss, duplicate, pause, partition (of nodes and store into any two sides, until it heals) and join (of the nodes of
--absent) happen at any moment, and so do lies of the nodes of --byzantine. --bounds limits the number of each, up to ${BOUND_MAX}.
timeout=2 lets two timers fire in an execution. Without it their number has no limit.

--walks explores an instance that is too large for a search: each walk carries out random actions, up to --depth. The
result is capped, unless a walk violates a property. Its list of actions is shortened, and a shorter one may exist.

--property checks the named properties alone. A property can hold because nothing happens: name its sometimes property,
too: --property one-leader,someone-leads.

--goal looks for a world with something that the Byzantine nodes want. leader: all live honest nodes follow one of them.
split: at rest two live honest nodes follow different live leaders, or two honest nodes have led the same epoch.
no-leader: at rest no live leader is followed by all and itself. For a protocol that never rests, no-leader and split
are executions in which this lasts for ever. stale-writes: the resource accepts a write of a replaced leader.
--goal leader --cost finds the placement of forged identities that reaches the goal for the fewest hashes on average.

--save writes the counterexample for usurp replay, and --trace draws it. --interactive numbers the possible actions;
a line of input chooses one.

Exit codes: 0 exhausted without a violation, 1 violated, 2 capped, 130 interrupted. With --goal: 0 exhausted and not
reachable, 1 reachable, 2 capped. With --cost: 0 no placement reaches the goal, 1 one does, 2 some are not decided.

Examples:
  usurp check cr-join --nodes 4
  usurp check bully-oneshot --nodes 3 --property all
  usurp check bully-oneshot --nodes 4 --timing sync --bounds crash=1
  usurp check peterson --ring 2,3,1 --links any --property one-leader
  usurp check cr-join --nodes 3 --bounds loss=1 --property leader-elected --json
  usurp check bully-oneshot --property one-leader --save two-leaders.json --trace two-leaders.svg
  usurp check raft --nodes 5 --bounds crash=1,loss=2 --walks 10000 --depth 300 --seed 1
  usurp check bully-oneshot --timing sync --goal leader --cost --c1 8 --seed 1
  usurp check cr-replace --byzantine 2 --level L3 --bounds lies=1 --goal leader --save lead.json
  usurp check bully-oneshot --interactive`;
