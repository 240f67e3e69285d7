/**
 * @module
 * The text after the flags of `usurp check --help`.
 */

import { BOUND_MAX } from '../../checking/instance.ts';

/** What a check does, its results and exit codes, and examples. */
export const CHECK_HELP = `
The command explores every order in which messages arrive and timers fire, and all faults that --bounds allows. It uses
the machines and the semantics of the simulator, and visits equal worlds once. A property is of one of three kinds:
  always      holds in every world.
  sometimes   holds in at least one world.
  eventually  every weakly fair execution reaches a world in which it holds. An execution is weakly fair if no action,
              except for faults, stays possible for ever without being carried out.
A node is honest unless --byzantine or --behaviour names it, and leads if it follows itself. Properties judge what honest
nodes do: honest nodes may follow one Byzantine node although no honest node leads.
A violation is a list of actions. If some of them repeat for ever, they are at the end of the list.

The result is one of three:
  exhausted  every world within the bounds was visited, and no property is violated.
  violated   the list of actions leads to the violation.
  capped     a limit was reached. Nothing is known about the other worlds.

Initiators start before everything else, or with --starts any at any moment. A node that a message has changed, or that
follows a leader, has taken part in the election, and its start is left out: there is one election. --starts again keeps such
starts, so that each node can begin a further election, and visits many times more worlds.

Faults happen at any moment. --bounds limits the number of each, up to ${BOUND_MAX}:
  crash, recover, amnesia  a node crashes, returns with its persisted data, or returns without them. A failure
                           detector that never errs reports crashes and returns.
  loss, duplicate, pause   a message is lost, a message is delivered once more, or a node stops for a while.
  partition                nodes and store are divided into any two sides, until the partition ends.
  join                     a node of --absent joins.
  lies                     a node of --byzantine sends a message that its protocol does not send.
timeout=2 lets two timers fire in an execution. Without it their number has no limit.

--walks explores an instance that is too large for a search: each walk carries out random actions, up to --depth. The
result is capped, unless a walk violates a property. Then its list of actions is shortened, but a shorter one may exist.

--property checks only the named properties. A property can hold because nothing happens. So name its sometimes
property, too: --property one-leader,someone-leads.

--goal looks for a world in which the Byzantine nodes have reached a goal:
  leader        all live honest nodes follow one Byzantine node.
  split         at rest two live honest nodes follow different live leaders, or two honest nodes have led the same epoch.
  no-leader     at rest no live leader is followed by all live honest nodes and by itself.
  stale-writes  the resource accepts a write of a leader that another node has replaced.
  late-writes   the resource accepts a write after an operation of a later leader.
A world is at rest if nothing more happens in it, except for faults. Some protocols are never at rest. For them, split and
no-leader are executions in which this state lasts for ever.
--goal leader --cost finds the placement of forged identities that reaches the goal with the fewest hashes on average.

--save writes the counterexample for usurp replay, and --trace draws it. --interactive numbers the possible actions, and
each line of input chooses one.

Exit codes: 0 exhausted without a violation, 1 violated, 2 capped, 130 interrupted. With --goal: 0 exhausted and not
reachable, 1 reachable, 2 capped. With --cost: 0 no placement reaches the goal, 1 some placement does, 2 not decided.

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
