/**
 * @module
 * Checks of the simulator: which message reaches which node and when, the effects of a crash, a pause, a
 * return and a join, whether every message is accounted for, and whether the engine matches the reference.
 */

import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Json } from '../../../src/election/machine.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import { applyTraced, createWorld } from '../../../src/election/world/world.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { countLinks } from '../../simulation/link-counts.ts';
import { SEED } from '../../simulation/ring/rings.ts';
import { listener, run, scheduleOf, swarmRun, talker } from '../../simulation/schedules.ts';
import type { Check } from './check.ts';
import { complainUnlessSame, firstComplaint, upTo } from './check.ts';

const EVER = { from: 0, to: null };

export const SIMULATOR_CHECKS = {
  'links in order': linksInOrder,
  'ring links in order': ringLinksInOrder,
  'messages take their time': messagesTakeTheirTime,
  'messages are conserved': messagesAreConserved,
  'links are conserved': linksAreConserved,
  'what a crash forgets': whatACrashForgets,
  'what amnesia forgets': whatAmnesiaForgets,
  'what a pause holds back': whatAPauseHoldsBack,
  'what the calm ends': whatTheCalmEnds,
  'nodes that a partition cuts off': nodesCutOffByAPartition,
  'how long a skewed timer takes': howLongASkewedTimerTakes,
  'nodes that learn of a join': nodesThatLearnOfAJoin,
  'nodes that a detector suspects': nodesThatADetectorSuspects,
  'rest is not a wait': restIsNotAWait,
  'two leaders are a breach': twoLeadersAreABreach,
  'the engine does what the reference does': engineIsReference,
} satisfies Record<string, Check>;

/** What node `rank` has heard, a listener. */
function heardBy(rank: number, ...faults: readonly ScheduledFault[]): Json {
  return run(listener(), scheduleOf(...faults)).stateOf(rank);
}

/** Every message in its turn on a network that copies and on one that does nothing. */
function linksInOrder(): string | null {
  const copying = scheduleOf({ type: 'duplication', share: 0.4, ...EVER });
  return firstComplaint([undefined, copying], (schedule) => {
    const simulation = createSimulation(
      {
        ...{ protocol: 'bully-oneshot', nodes: 2, seed: SEED, trace: true, schedule },
        latency: { type: 'uniform', ticksMin: 1, ticksMax: 30 },
      },
      () => talker(50),
    );
    simulation.start([1]);
    simulation.advance({ until: 'idle' });
    const arrived = deliveredOf(simulation).filter((id) => id >= 0);
    return complainUnlessSame(
      'order of arrival',
      arrived,
      arrived.toSorted((a, b) => a - b),
    );
  });
}

/** On a ring the successor's link has a short cut of its own. */
function ringLinksInOrder(): string | null {
  const simulation = createSimulation(
    {
      ...{ protocol: 'cr-join', nodes: 2, seed: SEED, trace: true },
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 30 },
    },
    () => talker(50),
  );
  simulation.start([1]);
  simulation.advance({ until: 'idle' });
  const arrived = deliveredOf(simulation);
  return complainUnlessSame(
    'order of arrival',
    arrived,
    arrived.toSorted((a, b) => a - b),
  );
}

function deliveredOf(simulation: Simulation): number[] {
  return simulation
    .records()
    .flatMap(({ action, dropped }) =>
      action.type === 'deliver' && dropped !== true ? [action.message] : [],
    );
}

/** A latency of 1 tick, of a whole slot of the queue, and of those beside it. */
function messagesTakeTheirTime(): string | null {
  return firstComplaint([1, 31, 32, 33, 63, 64, 65], (ticks) => {
    const simulation = run(talker(1), scheduleOf(), { latency: { type: 'constant', ticks } });
    const arrivals = simulation
      .records()
      .flatMap(({ t, action }) => (action.type === 'deliver' ? [t] : []));
    return complainUnlessSame(`latency ${ticks}`, arrivals, [ticks, ticks]);
  });
}

/** Sent and copied = delivered, dropped and in flight, whatever breaks. */
function messagesAreConserved(): string | null {
  return firstComplaint(upTo(120), (number) => {
    const simulation = createSimulation(swarmRun(number, { protocol: 'bully-oneshot' }));
    simulation.start();
    try {
      simulation.advance({ until: 'idle' });
    } catch (error) {
      // The engine's own account; any other error is no finding.
      if (error instanceof RangeError && /"accounted"/.test(error.message)) {
        return `run ${number}: ${error.message}`;
      }
      throw error;
    }
    return null;
  });
}

function linksAreConserved(): string | null {
  return firstComplaint(upTo(60), (number) => {
    const options = swarmRun(number, {
      protocol: 'bully-oneshot',
      kinds: ['duplication', 'loss'],
    });
    const simulation = createSimulation({ ...options, trace: true });
    simulation.start();
    simulation.advance({ until: 'idle' });
    return firstComplaint(countLinks(simulation.records()), (link) => {
      const { sent, duplicated, delivered, dropped, inFlight } = link;
      const what = `run ${number}, link ${link.from}>${link.to}`;
      return complainUnlessSame(what, delivered + dropped + inFlight, sent + duplicated);
    });
  });
}

const CRASH: ScheduledFault = { type: 'crash', rank: 1, at: 3 };

/** A timer of before a crash does not ring after the return; what was on disk is there. */
function whatACrashForgets(): string | null {
  const heard = heardBy(1, CRASH, { type: 'restart', rank: 1, at: 5, amnesia: false });
  return complainUnlessSame('after the return', heard, ['recover', 'of 1']);
}

function whatAmnesiaForgets(): string | null {
  const heard = heardBy(1, CRASH, { type: 'restart', rank: 1, at: 5, amnesia: true });
  return complainUnlessSame('after the return', heard, ['recover', null]);
}

/** Node 3's HELLO to node 1, sent at 0, waits as node 1's timer of tick 10 does. */
function whatAPauseHoldsBack(): string | null {
  const records = run(
    listener(),
    scheduleOf({ type: 'pause', rank: 1, from: 1, to: 30 }),
  ).records();
  const steps = records.flatMap(({ t, action }) => {
    if (action.type === 'timeout') return action.node === 1 ? [`timeout ${t}`] : [];
    return action.type === 'deliver' && action.message === 2 ? [`deliver ${t}`] : [];
  });
  return complainUnlessSame('steps of node 1', steps, ['deliver 30', 'timeout 30']);
}

/** A pause and a partition that would last longer end when calm comes. */
function whatTheCalmEnds(): string | null {
  const calm = { at: 20, ticks: 100, restart: true };
  const pause: ScheduledFault = { type: 'pause', rank: 2, from: 1, to: 90 };
  const loss: ScheduledFault = { type: 'loss', share: 1, ...EVER };
  const paused = run(listener(), { ...scheduleOf(pause), calm }).records();
  const resumed = paused.find(({ action }) => action.type === 'resume')?.t;
  const lossy = deliveredOf(run(talker(1), { ...scheduleOf(loss), calm }));
  return complainUnlessSame('resumed at, delivered', [resumed, lossy], [20, [2, 3]]);
}

/** Both ways: node 1 and another, each as the one that is cut off and as the one that speaks. */
function nodesCutOffByAPartition(): string | null {
  const cuts = [
    { cut: { kind: 'isolate', rank: 1 }, expected: [] },
    { cut: { kind: 'isolate', rank: 2 }, expected: [3] },
    { cut: { kind: 'halves' }, expected: [] },
    { cut: { kind: 'one-way', from: 1, to: 3 }, expected: [2] },
    { cut: { kind: 'one-way', from: 3, to: 1 }, expected: [2, 3] },
    { cut: { kind: 'links', links: [[3, 1]] }, expected: [2] },
  ] as const;
  return firstComplaint(cuts, ({ cut, expected }) => {
    const simulation = run(talker(1), scheduleOf({ type: 'partition', cut, ...EVER }));
    const reached = deliveredOf(simulation).map((id) => id + 2);
    return complainUnlessSame(
      `the nodes that 1 reaches, ${JSON.stringify(cut)}`,
      reached,
      expected,
    );
  });
}

/** Three times as long, half as long, and as long as it should. */
function howLongASkewedTimerTakes(): string | null {
  const slow: ScheduledFault = { type: 'skew', rank: 1, numerator: 3, denominator: 1 };
  const fast: ScheduledFault = { type: 'skew', rank: 2, numerator: 1, denominator: 2 };
  const records = run(listener(), scheduleOf(slow, fast)).records();
  const rings = records.flatMap(({ t, action }) =>
    action.type === 'timeout' ? [`${action.node} at ${t}`] : [],
  );
  return complainUnlessSame('timers', rings, ['2 at 5', '3 at 10', '1 at 30']);
}

function nodesThatLearnOfAJoin(): string | null {
  const records = run(listener(), scheduleOf({ type: 'join', rank: 3, at: 7 })).records();
  const words = records.flatMap(({ t, action }) =>
    action.type === 'join' ? [`${action.node} of ${action.about} at ${t}`] : [],
  );
  return complainUnlessSame('reported', words, ['1 of 3 at 7', '2 of 3 at 7']);
}

/** One that is back before T is over is not suspected any more, one that stays away is, after T. */
function nodesThatADetectorSuspects(): string | null {
  const back: ScheduledFault = { type: 'restart', rank: 1, at: 5, amnesia: false };
  const words = (...faults: ScheduledFault[]) =>
    run(listener(), scheduleOf(...faults))
      .records()
      .flatMap(({ t, action }) => (action.type === 'suspect' ? [`${action.node} at ${t}`] : []));
  return (
    complainUnlessSame('one that is back', words(CRASH, back), []) ??
    complainUnlessSame('one that stays away', words(CRASH), ['2 at 6', '3 at 6'])
  );
}

/** While a time-out is outstanding, no node is at rest. */
function restIsNotAWait(): string | null {
  const { leader, bound } = simulateElection({
    ...{ protocol: 'bully-oneshot', nodes: 3, crashedBefore: [3], initiators: [2], seed: SEED },
  });
  return complainUnlessSame('leader, bound', [leader, bound], [2, 'idle']);
}

/** Both elect themselves at their start. */
function twoLeadersAreABreach(): string | null {
  const machine: AnyMachine = {
    init: () => null,
    step: (self, _state, _event, effects) => effects.elect(self.rank, 0),
  };
  const simulation = createSimulation({ protocol: 'cr-join', nodes: 2, seed: SEED }, () => machine);
  simulation.start();
  const { properties } = simulation.status().verdict;
  return complainUnlessSame('uniqueness', properties.uniqueness.value, 'false');
}

/** The engine's trace, carried out by the reference semantics: same effects, same end. */
function engineIsReference(): string | null {
  return firstComplaint(upTo(80), (number) => {
    const options = swarmRun(number, { protocol: number % 2 === 0 ? 'ring-lelann' : 'peterson' });
    const simulation = createSimulation({ ...options, trace: true });
    simulation.start();
    simulation.advance({ until: 'idle' });
    const { crashedBefore, absent } = simulation.plan;
    const cast = createCast(simulation.plan);
    let world = createWorld(cast, crashedBefore, absent);
    for (const { seq, action, effects } of simulation.records()) {
      const next = applyTraced(cast, world, action);
      const complaint = complainUnlessSame(`run ${number}, action ${seq}`, next.effects, effects);
      if (complaint !== null) return complaint;
      world = next.world;
    }
    const ends = simulation.nodes().map(({ rank }) => simulation.stateOf(rank));
    const states = world.nodes.map(({ state }) => state);
    return complainUnlessSame(`run ${number}, states`, ends, states);
  });
}
