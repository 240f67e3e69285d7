/**
 * @module
 * The operation `check`: every order of deliveries, timers and faults of one protocol within bounds, or of one goal of an
 * adversary.
 */

import { z } from 'zod';
import type { CheckResult } from '../../checking/check.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import { BOUND_MAX, ENDPOINTS_MAX } from '../../checking/instance.ts';
import { CHECKED_PROPERTY_NAMES, concerning } from '../../checking/properties/registry.ts';
import { parseClients } from '../../election/clients/client-form.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { nodesOf } from '../../election/topology/registry.ts';
import { LabError } from '../../errors.ts';
import { checkAnswer, checkedInstance } from '../../experiment/checks/answer.ts';
import type { Check } from '../../experiment/checks/request.ts';
import {
  CHECKED_NODES,
  requestOf,
  ringOf,
  WALK_DEPTH,
  WALKS_MAX,
} from '../../experiment/checks/request.ts';
import type { CheckedRing } from '../../experiment/checks/rings.ts';
import { ringRows, ringsOf, whyNoRings, worstOf } from '../../experiment/checks/rings.ts';
import { PROPERTY_NAMES } from '../../experiment/properties/registry.ts';
import { quantity } from '../../quantities.ts';
import type { Absence, InputOf, MemberFacts } from '../member.ts';
import { amount, choice, member, SEED, texts, toggle } from '../member.ts';
import type { OperationContext } from '../operation.ts';
import { defineOperation, replayOf } from '../operation.ts';
import { BYTES_MAX, GOAL, GOALS_SOUGHT, refusal, STATES, WORLDS, worldsOf } from './members.ts';
import type { CheckOutput } from './output.ts';
import { checkOutput } from './output.ts';
import { checkBlocks } from './report.ts';
import { wordsOf } from './words.ts';

/** Actions of a counterexample that a server keeps. */
export const ACTIONS_MAX = 2000;

/** The name that stands for all properties that concern a protocol. */
const ALL = 'all';

const RANK_RULE = `must be a rank in 1..${ENDPOINTS_MAX}`;
const REMOTE_WALKS_MAX = { count: 10_000, depth: 1000 } as const;

/** A list of ranks, such as 2,3,1. */
function ranks<const F extends Omit<MemberFacts, 'isFurther'> & Absence<number[]>>(facts: F) {
  const rank = quantity('count', { min: 1, max: ENDPOINTS_MAX }, RANK_RULE);
  const schema = z.array(rank).max(ENDPOINTS_MAX);
  return member(
    { schema, entry: { as: 'texts', separator: ',' } },
    { ...facts, isFurther: true as const },
  );
}

const { maxStates, protocol, timing, bounds, level, ...FURTHER } = WORLDS;

const MEMBERS = {
  protocol,
  nodes: amount({
    kind: 'count',
    bounds: { min: 1, max: ENDPOINTS_MAX },
    slider: [0, 1.08],
    label: 'Nodes',
    meaning: 'Number of nodes, in a ring by rank',
    example: '4',
    inForm: '3',
    otherwise: `${CHECKED_NODES}, or those of the ring, mesh or torus`,
  }),
  timing,
  bounds,
  properties: member(
    {
      schema: z
        .array(
          z.enum([...CHECKED_PROPERTY_NAMES, ALL], { error: ({ input }) => propertyRule(input) }),
        )
        .min(1, 'must have one property at least; leave it out for those that the protocol claims')
        .max(100),
      entry: { as: 'choices', of: [...CHECKED_PROPERTY_NAMES, ALL] },
    },
    {
      label: 'Properties',
      meaning: 'Properties that are checked. all: those that concern the protocol',
      example: 'one-leader',
      otherwise: 'those that the protocol claims under this timing and these links and faults',
    },
  ),
  goal: choice(GOALS_SOUGHT, { ...GOAL, otherwise: 'none: properties are checked' }),
  byzantine: texts(
    { most: ENDPOINTS_MAX, read: byzantineOf, separator: ',' },
    {
      label: 'Byzantine nodes',
      meaning:
        'Byzantine nodes by rank, with their behaviours, the innermost first. They also lie as often as the bound of lies allows',
      example: '2=swallow+flap,3',
      otherwise: 'none',
    },
  ),
  level,
  ring: ranks({
    label: 'Ring',
    meaning: 'The ranks in clockwise order, each of 1..n once',
    example: '2,3,1',
    otherwise: 'by rank',
  }),
  allRings: toggle({
    label: 'Check every ring',
    meaning: 'Check every ring of the nodes, one after the other, each with these limits',
    example: 'true',
    isFurther: true,
    initial: false,
  }),
  initiators: ranks({
    label: 'Initiators',
    meaning: 'Nodes that start the election',
    example: '1,2',
    otherwise: 'all',
  }),
  crashedBefore: ranks({
    label: 'Crashed before',
    meaning: 'Nodes that are down before the election',
    example: '3',
    otherwise: 'none',
  }),
  absent: ranks({
    label: 'Absent',
    meaning: 'Nodes that join later, as often as the bound of joins allows',
    example: '3',
    otherwise: 'none',
  }),
  phantoms: ranks({
    label: 'Phantoms',
    meaning: 'Ranks of 1..n that no node has, but that messages can name',
    example: '3',
    otherwise: 'none',
  }),
  ...FURTHER,
  cut: texts(
    { most: 100, read: pairOf, separator: ',' },
    {
      label: 'Missing links',
      meaning: 'Pairs of nodes without a link',
      example: '1-2,3-4',
      isFurther: true,
      otherwise: 'none',
    },
  ),
  order: choice(['breadth', 'depth'], {
    label: 'Order',
    meaning: 'breadth: finds a shortest violation. depth: explores distant worlds first',
    example: 'depth',
    isFurther: true,
    initial: 'breadth',
  }),
  walks: amount({
    kind: 'count',
    bounds: { min: 1, max: WALKS_MAX.count },
    remoteMax: REMOTE_WALKS_MAX.count,
    slider: [0, 4],
    label: 'Random walks',
    meaning: 'Number of random walks, instead of a search, for an instance that is too large',
    example: '1000',
    isFurther: true,
    otherwise: 'none: all worlds are searched',
  }),
  depth: amount({
    kind: 'count',
    bounds: { min: 1, max: WALKS_MAX.depth },
    remoteMax: REMOTE_WALKS_MAX.depth,
    slider: [0, 3],
    label: 'Depth of a walk',
    meaning: 'Largest number of actions of a random walk',
    example: '300',
    isFurther: true,
    otherwise: String(WALK_DEPTH),
  }),
  seed: { ...SEED, entry: { as: 'seed', with: 'walks' } } as const,
  maxStates,
};

export type CheckInput = InputOf<typeof MEMBERS>;

const VERB = { name: 'check', members: MEMBERS } as const;

export const CHECK_OPERATION = defineOperation({
  ...VERB,
  collection: 'checks',
  title: 'Check a protocol',
  summary: 'explore every schedule of a protocol within bounds',
  description: `The checker explores every order in which messages arrive and timers fire, and every fault within the bounds. It reports a shortest list of actions that violates a property, or that there is none.
It uses the machines and the semantics of the simulator, and visits equal worlds once. A property of the kind always holds in every world, one of the kind sometimes in one world at least. One of the kind eventually: every weakly fair execution reaches a world in which it holds. An execution is weakly fair if no action, except for faults, stays possible for ever without being carried out. If some actions of a violation repeat for ever, they are at the end of its list. A property can hold because nothing happens, so name its sometimes property, too.
A node is honest unless byzantine names it, and leads if it follows itself. Properties judge what honest nodes do: honest nodes may follow one Byzantine node although no honest node leads.
exhausted: every world within the bounds was visited, and no property is violated. violated: the list of actions leads to the violation. capped: a limit was reached, and nothing is known about the other worlds.
A node that a message has changed, or that follows a leader, has taken part in the election. With starts any, its start is left out, so that there is one election. With again each node can begin a further election, which visits many times more worlds.
Faults happen at any moment. A bound of at most ${BOUND_MAX} says how often each can happen:
crash, recover, amnesia: a node crashes, returns with its persisted data, or returns without them. A failure detector that never errs reports crashes and returns.
loss, duplicate: a message is lost, or is delivered once more.
pause: a node stops for a while.
partition: nodes and store are divided into any two sides, until the partition ends.
oneWay: what one node sends to one other is lost until this ends.
bridge: a partition in which one node is on both sides. Of partition, oneWay and bridge one ends before the next begins.
join: an absent node joins.
leave: every awake node receives the request that one member leaves.
lies: a Byzantine node sends a message that its protocol does not send.
jump: a timer fires although messages are in flight, because a clock jumps. This needs --timing synchronous; asynchronous timing contains every jump.
failover: the store loses its last write. Writes that are lost one after the other are one fail-over.
timeout=2 lets two timers fire in an execution; without it their number has no limit.
Each random walk carries out random actions. The result is capped, unless a walk violates a property. Then its list of actions is shortened, but a shorter one may exist.
A goal is reached in a world. leader: all live honest nodes follow one Byzantine node. split: at rest two live honest nodes follow different live leaders, or two honest nodes have led the same epoch. no-leader: at rest no live leader is followed by all live honest nodes and by itself. stale-writes: the resource accepts a write of a leader that another node has replaced. late-writes: the resource accepts a write after an operation of a later leader. A world is at rest if nothing more happens in it, except for faults. Some protocols are never at rest; for them, split and no-leader are executions in which this state lasts for ever.`,
  output: checkOutput,
  answersWhileTyping: false,
  measuresTime: false,
  check(input) {
    assertTogether(input);
    const request = requestOf(checkOf(input));
    const reason = input.allRings ? whyNoRings(request) : null;
    if (reason !== null) throw refusal('allRings', reason);
  },
  atOnce: () => null,
  run,
  outcomeOf: ({ result }) =>
    result === 'exhausted' ? 'holds' : result === 'capped' ? 'unknown' : 'violated',
  outcomes: {
    holds: 'exhausted, without a violation and without an example of the goal',
    violated: 'violated, or the goal is reachable',
    unknown: 'capped',
  },
  report: checkBlocks,
  picture: () => null,
  table: () => null,
  has: { picture: false, table: false },
  examples: [
    { protocol: 'bully-oneshot', nodes: '3', properties: 'one-leader' },
    { protocol: 'cr-join', nodes: '4' },
    { protocol: 'bully-oneshot', nodes: '4', timing: 'synchronous', bounds: 'crash=1' },
    { protocol: 'peterson', ring: '2,3,1', links: 'any', properties: 'one-leader' },
    { protocol: 'cr-join', nodes: '3', bounds: 'loss=1', properties: 'leader-elected' },
    {
      protocol: 'raft',
      nodes: '5',
      bounds: 'crash=1,loss=2',
      walks: '10000',
      depth: '300',
      seed: '1',
    },
    { protocol: 'cr-replace', byzantine: '2', level: 'L3', bounds: 'lies=1', goal: 'leader' },
  ],
});

/** What is wrong with the name of a property. */
function propertyRule(given: unknown): string {
  const runs: readonly unknown[] = PROPERTY_NAMES;
  return runs.includes(given)
    ? `${given} judges whole runs by ticks, rankings or epochs, which a world does not have; in a property of your own, "worlds" judges worlds`
    : `must be one of ${[...CHECKED_PROPERTY_NAMES, ALL].join(', ')}`;
}

/** Reads `2=swallow+flap`, or `2` for a node without behaviours. */
function byzantineOf(text: string) {
  const [, rank, names] = /^(\d{1,2})(?:=([a-z+-]+))?$/.exec(text.trim()) ?? [];
  if (rank === undefined) {
    throw new LabError('arguments', 'must be a rank, with behaviours as in 2=swallow+flap');
  }
  return { rank: Number(rank), behaviours: names?.split('+') ?? [] };
}

/** Reads `1-2`. */
function pairOf(text: string): [number, number] {
  const [, one, other] = /^(\d+)-(\d+)$/.exec(text.trim()) ?? [];
  if (one === undefined || other === undefined || one === other) {
    throw new LabError('arguments', 'must be pairs of different ranks, such as 1-2,3-4');
  }
  return [Number(one), Number(other)];
}

function assertTogether(input: CheckInput): void {
  const { nodes, ring, allRings, walks, depth, seed, goal, byzantine } = input;
  if (nodes !== undefined && ring !== undefined) {
    throw refusal('nodes', 'give nodes or ring, not both');
  }
  if (allRings && ring !== undefined) throw refusal('allRings', 'give ring or allRings, not both');
  if (allRings && walks !== undefined) {
    throw refusal('allRings', 'random walks need one ring, not all rings');
  }
  if (walks === undefined && depth !== undefined) {
    throw refusal('depth', 'depth belongs to random walks; add walks, or remove depth');
  }
  if (walks === undefined && seed !== undefined) {
    throw refusal('seed', 'seed belongs to random walks; add walks, or remove seed');
  }
  if (goal === 'leader' && byzantine === undefined) {
    const detail = 'the goal leader needs a Byzantine node: byzantine 1, or 1=swallow';
    throw refusal('goal', detail);
  }
}

/** The document of a check. */
export function checkOf(input: CheckInput): Check {
  const { nodes, ring, allRings: _allRings, byzantine, cut, properties, ...others } = input;
  const { walks: count, depth = WALK_DEPTH, seed = '1', goal, order, ...members } = others;
  const { initiators, crashedBefore, absent, phantoms, ...worlds } = members;
  const { protocol: name, resource = null, clients } = worlds;
  return {
    ...worldsOf(worlds),
    initiators,
    crashedBefore,
    absent,
    phantoms,
    goal,
    order,
    ring: ring ?? ringOf(nodes ?? nodesOf(others.topology?.toString()) ?? CHECKED_NODES),
    byzantine: byzantine?.map(byzantineOf),
    cut: cut?.map(pairOf),
    properties: properties?.includes(ALL)
      ? concerning(
          PROTOCOLS[name],
          resource,
          clients === undefined ? clients : parseClients(String(clients)),
        ).map((property) => property.name)
      : properties,
    walks: count === undefined ? undefined : { count, depth, seed },
  };
}

/** The request of a check. Throws LabError `arguments` for members that do not fit together. */
export function checkRequestOf(input: CheckInput): CheckRequest {
  return requestOf(checkOf(input));
}

async function run(input: CheckInput, context: OperationContext): Promise<CheckOutput> {
  const { signal, isRemote, onProgress } = context;
  const seed = input.walks === undefined ? undefined : context.seedFor(input.seed);
  const request = checkRequestOf({ ...input, seed });
  const rings = input.allRings ? ringsOf(request.ring.length) : [request.ring];
  const done: CheckedRing[] = [];
  for (const ring of rings) {
    const asked = { ...request, ring };
    const which = input.allRings ? `, ring ${done.length + 1} of ${rings.length}` : '';
    const result = await exploration(asked, input, {
      ...context,
      onProgress: ({ now, ...counts }) => onProgress({ ...counts, now: now + which }),
    });
    done.push({ request: asked, result });
    if (signal.aborted) break;
  }
  const worst = worstOf(done);
  if (isRemote) assertShort(worst.result);
  const about = checkedInstance(worst.request, input.properties !== undefined);
  return {
    ...checkAnswer(about, worst.result),
    words: wordsOf(about, worst.result),
    ...(input.allRings && { rings: { count: rings.length, checked: ringRows(done) } }),
    replay: replayOf(VERB, { ...input, seed }),
  };
}

/** One search or its random walks, with the limits of the input. */
export function exploration(
  request: CheckRequest,
  { maxStates: most }: Pick<CheckInput, 'maxStates'>,
  { isRemote, machine, signal, threads, onProgress }: OperationContext,
): Promise<CheckResult> {
  const where = isRemote ? 'remote' : 'local';
  return machine.check(request, {
    signal,
    onProgress,
    statesMax: most ?? STATES[where],
    bytesMax: BYTES_MAX[where],
    // A server searches alone, so that the counts are the same on every machine.
    threads: isRemote ? 1 : threads,
  });
}

/** Throws LabError `job.size` for a counterexample that is too long to be kept. */
export function assertShort(result: CheckResult): void {
  if (result.type !== 'violated' || result.trace.actions.length <= ACTIONS_MAX) return;
  const { property, trace } = result;
  const detail = `${property.name} is violated after ${trace.actions.length} actions; at most ${ACTIONS_MAX} are kept: submit it with the order breadth, or run usurp check`;
  throw new LabError('job.size', detail);
}
