/**
 * @module
 * The commands of `usurp cluster up`, one a line: they disturb the nodes, or wait.
 */

import { InvalidArgumentError } from 'commander';
import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import { LabError } from '../../errors.ts';
import { meantText } from '../../experiment/reading/nearest.ts';
import type { ClusterAction, NodeName } from '../../live/cluster/cluster-action.ts';
import { RATE_MAX, RATE_MIN } from '../../live/cluster/control.ts';
import { CRASH_POINT_NAMES } from '../../live/crash-points.ts';
import type { Budget } from '../../mining/ledger.ts';
import { parseCut } from '../../simulation/faults/text.ts';
import {
  chosenSeed,
  duration,
  durationOrZero,
  integer,
  seed,
  share,
  someOf,
} from '../shell/arguments.ts';

export type ClusterCommand =
  | ClusterAction
  | {
      readonly type: 'loss' | 'delay';
      /** A share, or ms. */
      readonly value: number;
      /** Null for all. */
      readonly nodes: readonly NodeName[] | null;
    }
  | { readonly type: 'sleep'; readonly seconds: number }
  | { readonly type: 'join'; readonly file: string }
  | { readonly type: 'remove'; readonly node: NodeName }
  | {
      readonly type: 'attack';
      readonly budget: Budget;
      readonly behaviours: readonly BehaviourName[];
    }
  | { readonly type: 'wait' | 'status' | 'down' };

export const COMMANDS_HELP = `
  wait               wait until the nodes follow one leader; under a partition, those of the largest side
  status             print the leader and epoch that each node follows, or that it is paused or down, and the faults in force
  kill NODE          kill the process of a node (kill -9)
  die-at NODE POINT  let its process die in its next step that persists something or calls the store: before-persist,
                     with nothing of the step on disk, or after-persist, before a message of the step has left it;
                     start NODE kills it first if it has made no such step
  start NODE         start it again, with its log; start NODE amnesia: without what it had persisted
  pause NODE         suspend its process, which keeps its state
  resume NODE        let a paused node continue
  partition 1,2 3    lose all messages between these sides; nodes that are not named form one more side;
                     a node on two sides is a bridge: partition 1,2 2,3
  partition 1,2>3    lose all messages that nodes 1 and 2 send to 3
  partition CUT      a cut in the words of elect: halves, minority, majorities-ring, isolate:3, one-way:1>2, links:1-2,3-4
  heal               end the partition
  lose SHARE         lose this share of all messages by chance from now on, for example 5%; 0 ends this;
                     lose SHARE SEED: draw from this seed
  duplicate SHARE    send this share of all messages to nodes twice; 0 ends this;
                     duplicate SHARE SEED: draw from this seed
  loss SHARE NODES   up --netns: lose this share of the packets that these nodes send, for example loss 10% 1,2;
                     without NODES: of the packets of all nodes; 0 ends this
  delay TIME NODES   up --netns: delay the packets that these nodes send, for example delay 20ms 1,2;
                     without NODES: the packets of all nodes; 0 ends this
  skew NODE RATE     let its clock and timers run at this rate, 0.01 to 100, for example 1.5
  jump NODE TIME     let its clock jump forwards (jump 2 +5s) or backwards (jump 2 -5s)
  join KEY-FILE      start a node with this key, which asks all others to admit it
  remove NODE        end the membership of a node, and its process if it is up; in raft alone
  attack BUDGET      mine an ID above the leader's and join with it; the budget is a CPU time (20s)
                     or attempts (2^20); attack BUDGET BEHAVIOURS: with a Byzantine node;
                     in a protocol that can elect any node (raft, leases), any ID is taken
  sleep TIME         wait for a time, for example 500ms
  down               stop all nodes; the end of stdin means the same

NODE is a number, leader, or last: the node that was killed or paused last. The nodes of the start have the numbers from 1
by their IDs, the lowest first. The name store is that of a store which was started with the nodes: kill, start, pause and
resume apply to it. A side of a partition may contain store; if none does, all nodes reach it. Empty lines and lines that
begin with # do nothing.`;

/** Reads a line; null if it does nothing. Throws LabError `arguments`. */
export function parseCommand(line: string): ClusterCommand | null {
  const [name = '', ...words] = line.trim().split(/\s+/);
  if (name === '' || name.startsWith('#')) return null;
  const command = refusable(() => commandOf(name, words));
  if (command !== null) return command;
  const usage = Object.hasOwn(USAGES, name) ? USAGES[name] : undefined;
  if (usage !== undefined) throw new LabError('arguments', `${name} needs ${usage}`);
  const near = ENDS.includes(name)
    ? '; down stops the nodes'
    : meantText(Object.keys(USAGES), name);
  throw new LabError(
    'arguments',
    `${JSON.stringify(line.trim())} is no command${near}; ? or usurp cluster --help lists them`,
  );
}

/** What ends other programs. */
const ENDS = ['exit', 'quit', 'q', 'stop', 'bye'];

const A_NODE = 'one node: a number, leader or last, such as kill 2';
const NOTHING = 'no argument';

/** What follows the name of each command. */
const USAGES: Readonly<Record<string, string>> = {
  wait: NOTHING,
  status: NOTHING,
  heal: NOTHING,
  down: NOTHING,
  kill: A_NODE,
  pause: A_NODE.replace('kill', 'pause'),
  resume: A_NODE.replace('kill', 'resume'),
  'die-at': `a node and a point, such as die-at 2 ${CRASH_POINT_NAMES.join(' or die-at 2 ')}`,
  start: 'one node, such as start 2 or start 2 amnesia',
  partition: 'the nodes of each side, such as partition 1,2 3, or a cut, such as partition 1>2',
  lose: 'a share, such as lose 5%',
  duplicate: 'a share, such as duplicate 5%',
  loss: 'a share, such as loss 10% 1,2',
  delay: 'a time, such as delay 20ms 1,2',
  remove: A_NODE.replace('kill', 'remove'),
  skew: 'a node and a rate, such as skew 2 1.5',
  jump: 'a node and a time with its sign, such as jump 2 +5s or jump 2 -5s',
  join: 'one key file, such as join key.json',
  attack: 'a budget, such as attack 20s or attack 2^20',
  sleep: 'a time, such as sleep 500ms',
};

/** Turns the error that readers of arguments throw for commander into a LabError. */
function refusable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new LabError('arguments', error.message);
    throw error;
  }
}

function commandOf(name: string, words: readonly string[]): ClusterCommand | null {
  const [first = '', second = ''] = words;
  const node = nodeOf(first);
  const count = words.length;
  switch (name) {
    case 'heal':
    case 'wait':
    case 'status':
    case 'down':
      return count === 0 ? { type: name } : null;
    case 'kill':
    case 'pause':
    case 'resume':
    case 'remove':
      return count === 1 && node !== null ? { type: name, node } : null;
    case 'start': {
      const amnesia = second === 'amnesia';
      const isFit = count === 1 || (count === 2 && amnesia);
      return isFit && node !== null ? { type: name, node, amnesia } : null;
    }
    case 'die-at': {
      const point = CRASH_POINT_NAMES.find((each) => each === second);
      return count === 2 && node !== null && point !== undefined
        ? { type: name, node, point }
        : null;
    }
    case 'partition': {
      const cut = count === 1 ? parseCut(first) : null;
      if (cut !== null) return { type: name, cut };
      const isOneWay = count === 1 && first.includes('>');
      const named = isOneWay ? first.split('>') : words;
      const sides = named.map((side) => side.split(',').map(nodeOf)).filter(areNodes);
      if (count === 0 || sides.length < named.length) return null;
      if (!isOneWay) return { type: name, sides };
      return sides.length === 2 ? { type: name, sides, isOneWay } : null;
    }
    case 'lose':
    case 'duplicate': {
      if (first === '' || count > 2) return null;
      const chance = { share: share(first), seed: count === 2 ? seed(second) : chosenSeed() };
      return { type: name, chance };
    }
    case 'skew': {
      return count === 2 && node !== null ? { type: name, node, rate: rateOf(second) } : null;
    }
    case 'jump': {
      const sign = second.startsWith('-') ? -1 : 1;
      if (count !== 2 || node === null || !/^[+-]/.test(second)) return null;
      return { type: name, node, seconds: sign * duration(second.slice(1)) };
    }
    case 'loss':
    case 'delay': {
      const nodes = second === '' ? null : second.split(',').map(nodeOf);
      const isFit = (count === 1 || count === 2) && (nodes === null || areNodes(nodes));
      if (!isFit) return null;
      const value = name === 'loss' ? share(first) : durationOrZero(first) * 1000;
      return { type: name, value, nodes };
    }
    case 'join':
      return count === 1 ? { type: name, file: first } : null;
    case 'attack':
      return count === 1 || count === 2 ? attackOf(first, second) : null;
    case 'sleep':
      return count === 1 ? { type: name, seconds: duration(first) } : null;
    default:
      return null;
  }
}

function attackOf(budget: string, behaviours: string): ClusterCommand {
  const isTime = /(?:ms|s|m|h)$/.test(budget);
  return {
    type: 'attack',
    budget: isTime ? { cpuSeconds: duration(budget) } : { attempts: attempts(budget) },
    behaviours: behaviours === '' ? [] : someOf(BEHAVIOUR_NAMES)(behaviours),
  };
}

function rateOf(text: string): number {
  const rate = Number(text);
  if (rate >= RATE_MIN && rate <= RATE_MAX) return rate;
  throw new InvalidArgumentError(`expected a rate from ${RATE_MIN} to ${RATE_MAX} such as 1.5`);
}

const attempts = integer(1, Number.MAX_SAFE_INTEGER);

function nodeOf(word: string): NodeName | null {
  if (word === 'leader' || word === 'last' || word === 'store') return word;
  return /^[1-9]\d{0,3}$/.test(word) ? Number(word) : null;
}

function areNodes(side: (NodeName | null)[]): side is NodeName[] {
  return side.every((node) => node !== null);
}
