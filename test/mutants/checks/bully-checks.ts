/**
 * @module
 * Checks of the Bully family: the cost of an election against the closed forms, that the highest live node
 * leads in seeded runs with crashes and returns, and which nodes a node believes. Convention: a message is
 * one send, and those to dead nodes count; unit delay; the highest of n is dead and one node detects it.
 */

import type { Effects, Event, Message, Rank } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, fromRank, toRank } from '../../../src/election/world/cast.ts';
import type { Random } from '../../../src/random.ts';
import { createRandom } from '../../../src/random.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { BULLY_VOCABULARIES } from '../../election/bully/bully-vocabularies.ts';
import { SEED } from '../../simulation/ring/rings.ts';
import { faultRun } from '../../simulation/run/fault-runs.ts';
import type { Check } from './check.ts';
import { complainUnlessSame, firstComplaint, upTo } from './check.ts';

type BullyName = keyof typeof BULLY_VOCABULARIES;
type Counts = Readonly<Record<string, number>>;

const TIMING = { latencyTicksMax: 1 };
const LOWEST_OF_4 = { rank: 1, nodes: 4 };
const DETECTIONS = [3, 4, 5, 6, 7].flatMap((nodes) =>
  upTo(nodes - 1).map((detector) => ({ nodes, detector })),
);

/** Garcia-Molina (1982) for the one-shot form and his own, the variants as their authors count. */
const COUNTS = {
  'bully-oneshot': (nodes, detector) => oneShotCounts(nodes, detector),
  'bully-2phase': (nodes, detector) => {
    const { COORDINATOR, ...asked } = oneShotCounts(nodes, detector);
    return { ...asked, PREPARE: nodes - 2, READY: nodes - 2, ANNOUNCE: nodes - 2 };
  },
  'bully-gm82': (nodes, detector) => {
    if (detector < nodes - 1) return null;
    const others = nodes - 2;
    return {
      ...{ ARE_YOU_THERE: 1, HALT: others, HALT_REPLY: others },
      ...{ NEW_COORDINATOR: others, NEW_COORDINATOR_REPLY: others },
      ...{ READY: others, READY_REPLY: others },
    };
  },
  'bully-nextinline': (nodes, detector) =>
    detector === nodes - 1 ? { COORDINATOR: nodes - 2 } : oneShotCounts(nodes, detector),
  'bully-improved': (nodes, detector) =>
    detector === nodes - 1 ? { COORDINATOR: nodes - 2 } : { COORDINATOR: nodes - 2, CRASH: 1 },
  'bully-modified': (nodes, detector) => {
    const higher = nodes - detector;
    const grants = higher === 1 ? {} : { OK: higher - 1, GRANT: 1 };
    return { ELECTION: higher, ...grants, COORDINATOR: nodes - 2 };
  },
} satisfies Record<BullyName, (nodes: number, detector: number) => Counts | null>;

export const BULLY_CHECKS = {
  'bully-oneshot: counts': () => countsOf('bully-oneshot'),
  'bully-2phase: counts': () => countsOf('bully-2phase'),
  'bully-gm82: counts': () => countsOf('bully-gm82'),
  'bully-nextinline: counts': () => countsOf('bully-nextinline'),
  'bully-improved: counts': () => countsOf('bully-improved'),
  'bully-modified: counts': () => countsOf('bully-modified'),
  'bully-oneshot: crashes': () => crashes('bully-oneshot', 600),
  'bully-gm82: crashes': () => crashes('bully-gm82', 600),
  'bully-improved: crashes': () => crashes('bully-improved', 600),
  'bully-modified: crashes': () => crashes('bully-modified', 600),
  'bully-oneshot: none follows a lower rank': () => followsOnlyUp('bully-oneshot'),
  'bully-modified: none follows a lower rank': () => followsOnlyUp('bully-modified'),
  'bully-2phase: agreement at every moment': () => agreesAlways('bully-2phase'),
  'bully-gm82: agreement at every moment': () => agreesAlways('bully-gm82'),
  'bully-2phase: who is announced': announcedOf2Phase,
  'bully-improved: who comes next': nextOfImproved,
  'bully-gm82: who may install': installedByGm82,
} satisfies Record<string, Check>;

function oneShotCounts(nodes: number, detector: number): Record<string, number> {
  const higher = nodes - detector;
  const answers = (higher * (higher - 1)) / 2;
  const asked = { ELECTION: (higher * (higher + 1)) / 2, ...(answers > 0 ? { OK: answers } : {}) };
  return { ...asked, COORDINATOR: nodes - 2 };
}

function countsOf(protocol: BullyName): string | null {
  return firstComplaint(DETECTIONS, ({ nodes, detector }) => {
    const expected = COUNTS[protocol](nodes, detector);
    if (expected === null) return null;
    const { messages, leader, verdict } = simulateElection({
      ...{ protocol, nodes, crashedBefore: [nodes], initiators: [detector], seed: SEED },
    });
    const sent = Object.entries(messages).filter(([type, count]) => type !== 'total' && count > 0);
    const what = `${nodes} nodes, ${detector} detects`;
    return (
      complainUnlessSame(what, sorted(sent), sorted(Object.entries(expected))) ??
      complainUnlessSame(what, [leader, verdict.value], [nodes - 1, 'true'])
    );
  });
}

function sorted(entries: readonly (readonly [string, number])[]): string[] {
  return entries.map(([type, count]) => `${type} ${count}`).toSorted();
}

/** Whichever nodes stay down or return: the highest live one leads in the end, never two at a time. */
function crashes(protocol: ProtocolName, runs: number): string | null {
  return firstComplaint(upTo(runs), (number) => {
    const run = faultRun(number, { protocol, heals: number % 2 === 0 });
    const { verdict, bound } = simulateElection({ ...run, fifo: number % 4 < 2 });
    if (verdict.value === 'true' && bound === 'idle') return null;
    return `run ${number} ended at ${bound}: ${verdict.reason}`;
  });
}

/** After any message of any node: the leader it follows is not below it. */
function followsOnlyUp(protocol: BullyName): string | null {
  const random = createRandom(SEED, 'words', protocol);
  const cast = createCast({ protocol, timing: TIMING, ring: upTo(5), crashedBefore: [5] });
  const machine = PROTOCOLS[protocol].create(TIMING);
  return firstComplaint(upTo(300), (number) => {
    const self = cast.selfOf(1 + (number % 4));
    const state = machine.init(self);
    const followed: Rank[] = [];
    for (let words = 0; words < 20; words += 1) {
      machine.step(self, state, drawEvent(protocol, random), collectorOf(followed));
    }
    const below = followed.find((leader) => leader < self.rank);
    return below === undefined ? null : `node ${self.rank} follows ${below} in history ${number}`;
  });
}

function drawEvent(protocol: BullyName, random: Random): Event<Message> {
  const { messages, timers } = BULLY_VOCABULARIES[protocol];
  const node = toRank(1 + random.below(5));
  const message = messages[random.below(messages.length)];
  const kind = random.below(6);
  if (kind === 0) return { type: 'timeout', timer: timers[random.below(timers.length)] ?? '' };
  if (kind === 1) return { type: random.below(2) === 0 ? 'suspect' : 'trust', node };
  if (kind === 2 || message === undefined) return { type: 'start' };
  return { type: 'deliver', from: node, message };
}

function collectorOf(followed: Rank[]): Effects<Message> {
  const nothing = () => undefined;
  return {
    ...{ send: nothing, setTimer: nothing, cancelTimer: nothing, choose: nothing },
    ...{ persist: nothing, call: nothing, stepDown: nothing, accuse: nothing, respond: nothing },
    elect: (leader) => followed.push(leader),
  };
}

/** Assertion 1 of Garcia-Molina (1982): at no moment do two live nodes follow different leaders. */
function agreesAlways(protocol: ProtocolName): string | null {
  return firstComplaint(upTo(150), (number) => {
    const simulation = createSimulation(faultRun(number, { protocol, heals: true }));
    simulation.start();
    while (simulation.advance({ until: 'idle', events: 1 }) === 'events') {
      const followed = simulation.nodes().flatMap(({ leader }) => leader ?? []);
      if (new Set(followed).size > 1) return `run ${number}: leaders ${followed} at one moment`;
    }
    return null;
  });
}

/** The leader that node `rank` of `nodes` follows after these events. */
function followedBy(
  protocol: ProtocolName,
  setup: { readonly rank: number; readonly nodes: number },
  events: readonly Event<Message>[],
): number[] {
  const ring = upTo(setup.nodes);
  const cast = createCast({ protocol, timing: TIMING, ring, crashedBefore: [setup.nodes] });
  const machine = PROTOCOLS[protocol].create(TIMING);
  const self = cast.selfOf(setup.rank);
  const state = machine.init(self);
  const followed: Rank[] = [];
  for (const event of events) machine.step(self, state, event, collectorOf(followed));
  return followed.map(fromRank);
}

function from(
  node: number,
  message: Message & Readonly<Record<string, unknown>>,
): Event<Message> & { readonly type: 'deliver' } {
  return { type: 'deliver', from: toRank(node), message };
}

/** An announcement counts for the very election that this node stands by for. */
function announcedOf2Phase(): string | null {
  const word = (type: string, election: number) => from(3, { type, leader: toRank(3), election });
  const [late, due] = [1, 2].map((election) =>
    followedBy('bully-2phase', LOWEST_OF_4, [word('PREPARE', 2), word('ANNOUNCE', election)]),
  );
  return complainUnlessSame('the earlier, the present election', [late, due], [[], [3]]);
}

/** A coordinator is installed by the node that halted this one last. */
function installedByGm82(): string | null {
  const halts = [from(2, { type: 'HALT', call: 2 }), from(3, { type: 'HALT', call: 2 })];
  const [first, last] = [2, 3].map((node) => {
    const install = from(node, { type: 'NEW_COORDINATOR', call: 3 });
    const ready = from(node, { type: 'READY', call: 4 });
    return followedBy('bully-gm82', LOWEST_OF_4, [...halts, install, ready]);
  });
  return complainUnlessSame('who halted it first, last', [first, last], [[], [3]]);
}

/** Declared while 4 was down, and late; 4 has returned since, and so has 5, which crashes again. */
function nextOfImproved(): string | null {
  const about = (type: 'suspect' | 'trust', node: number) =>
    ({ type, node: toRank(node) }) as const;
  const declared = from(5, { type: 'NEXT', next: toRank(3), round: 1 });
  const [due, stale] = [[], [about('trust', 4)]].map((returns) => {
    const events = [...returns, about('trust', 5), declared, about('suspect', 5)];
    return followedBy('bully-improved', { rank: 3, nodes: 5 }, events);
  });
  return complainUnlessSame('4 is down, 4 is back', [due, stale], [[3], []]);
}
