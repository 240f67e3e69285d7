/**
 * @module
 * Checks of the failure detectors: φ against tables, what a window of intervals reports and learns, and in
 * small networks whether all nodes suspect the dead nodes permanently, and no others.
 */

import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { createDetecting } from '../../../src/election/detectors/detecting.ts';
import { createGossipDetector } from '../../../src/election/detectors/fd-gossip.ts';
import { createHeartbeatDetector } from '../../../src/election/detectors/fd-heartbeat.ts';
import type { AccrualRule } from '../../../src/election/detectors/fd-phi.ts';
import {
  hearBeat,
  noArrivals,
  phiAkka,
  phiExponential,
  phiNormal,
  suspicionTicks,
} from '../../../src/election/detectors/fd-phi.ts';
import type { Event, Message } from '../../../src/election/machine.ts';
import { parseSeed } from '../../../src/random.ts';
import type { DeliveredReport } from '../../../src/simulation/detection/detection.ts';
import type { Flight } from '../../election/detectors/detector-network.ts';
import { runDetectors } from '../../election/detectors/detector-network.ts';
import { recorded, SELF } from '../../election/recorded.ts';
import type { Check } from './check.ts';
import { complainUnlessSame, firstComplaint, upTo } from './check.ts';

export const DETECTOR_CHECKS = {
  'phi: three formulas': threeFormulas,
  'accrual: what a window says': whatAWindowSays,
  'accrual: what late beats teach': whatLateBeatsTeach,
  'fd-heartbeat: late beats': lateBeats,
  'fd-heartbeat: a later life': laterLife,
  'fd-heartbeat: mistakes end': mistakesEnd,
  'fd-gossip: the dead stay suspected': gossipOfTheDead,
  'detecting: who asked for a choice': whoAskedForAChoice,
} satisfies Record<string, Check>;

/** Beats every 1000 ± 100 ms, the last of them so long ago; by normal, logistic, exponential arrivals. */
function threeFormulas(): string | null {
  const spread = { mean: 1000, deviation: 100 };
  const table = [
    { elapsed: 900, expected: ['0.0750', '0.0750', '0.3909'] },
    { elapsed: 1200, expected: ['1.6430', '1.6428', '0.5212'] },
    { elapsed: 2000, expected: ['23.1181', '37.5847', '0.8686'] },
  ];
  return firstComplaint(table, ({ elapsed, expected }) => {
    const found = [phiNormal, phiAkka, phiExponential].map((phi) => phi(elapsed, spread));
    const digits = found.map((phi) => phi.toFixed(4));
    return complainUnlessSame(`after ${elapsed} ms`, digits, expected);
  });
}

const RULE: AccrualRule = {
  ...{ formula: 'normal', threshold: 8, windowIntervals: 1000, deviationTicksMin: 1 },
  ...{ pauseTicks: 0, intervalTicksMax: Number.POSITIVE_INFINITY, guessTicks: 1000 },
};

/** The tail of a normal distribution is 10^-8 at 5.612 deviations: of 10.247 around a mean of 1000. */
function whatAWindowSays(): string | null {
  const intervals = [1000, 1010, 990, 1005, 995, 1000, 1020, 980, 1000, 1000];
  const rule = { ...RULE, windowIntervals: intervals.length };
  const ticks = suspicionTicks(rule, heard(rule, [...intervals, ...intervals]));
  return complainUnlessSame('ticks to suspicion', ticks, 1058);
}

/** Three beats in time and one after 97 s: by default, with a ceiling, and by Akka's rule. */
function whatLateBeatsTeach(): string | null {
  const rules: AccrualRule[] = [
    RULE,
    { ...RULE, intervalTicksMax: 1500 },
    { ...RULE, formula: 'akka', deviationTicksMin: 100 },
  ];
  const learnt = rules.map((rule) => heard(rule, [1000, 1000, 97_000]).intervals.slice(4));
  return complainUnlessSame('learnt of the last', learnt, [[97_000], [1500], []]);
}

/** A member that was first heard at 0 and then at these intervals. */
function heard(rule: AccrualRule, intervals: readonly number[]) {
  const arrivals = noArrivals();
  let now = 0;
  hearBeat(rule, arrivals, now);
  for (const interval of intervals) {
    now += interval;
    hearBeat(rule, arrivals, now);
  }
  return arrivals;
}

/** One beat of 3 takes so long that it arrives when 3 is long dead, and suspected. */
function lateBeats(): string | null {
  const isLate = ({ from, at }: Flight) => from === 3 && at === 10;
  const { words } = runDetectors({
    nodes: 3,
    create: () => createHeartbeatDetector({ everyTicks: 10, timeoutTicks: 25 }),
    delay: (flight) => (isLate(flight) ? 300 : 1),
    lives: [{ at: 95, rank: 3, type: 'crash' }],
    until: 600,
  });
  return complainUnlessSame('words', words.map(inWords), ['1 suspects 3', '2 suspects 3']);
}

/** 3 returns with nothing on its disk, its count included. */
function laterLife(): string | null {
  const outcome = runDetectors({
    nodes: 3,
    create: () => createHeartbeatDetector({ everyTicks: 10, timeoutTicks: 25 }),
    delay: () => 1,
    lives: [
      { at: 505, rank: 3, type: 'crash' },
      { at: 605, rank: 3, type: 'return' },
    ],
    until: 650,
  });
  return complainUnlessSame('suspected', outcome.suspected, []);
}

/** Beats come up to 45 ticks apart: a time-out of 10 has to grow three times. */
function mistakesEnd(): string | null {
  const { words } = runDetectors({
    nodes: 2,
    create: () =>
      createHeartbeatDetector({ everyTicks: 10, timeoutTicks: 10, timeoutTicksMax: 640 }),
    delay: (_flight, random) => 1 + random.below(36),
    until: 3000,
  });
  const mistakes = words.filter(({ type }) => type === 'suspect').length;
  const late = words.filter(({ at }) => at > 1500).length;
  return (
    complainUnlessSame('words after tick 1500', late, 0) ??
    (mistakes > 0 ? null : 'there were no mistakes')
  );
}

/** 6 dies; old tables that speak of it go round for a while. */
function gossipOfTheDead(): string | null {
  return firstComplaint(upTo(5), (number) => {
    const { words } = runDetectors({
      nodes: 6,
      create: () =>
        createGossipDetector({
          ...{ everyTicks: 5, failTicks: 100, cleanupTicks: 200, refusesAhead: false },
        }),
      delay: (_flight, random) => (random.below(4) === 0 ? 1 + random.below(80) : 1),
      lives: [{ at: 300, rank: 6, type: 'crash' }],
      until: 900,
      seed: parseSeed(String(number)),
    });
    const expected = upTo(5).map((rank) => `${rank} suspects 6`);
    return complainUnlessSame(`seed ${number}, words`, words.map(inWords).toSorted(), expected);
  });
}

function inWords({ by, about, type }: DeliveredReport): string {
  return `${by} ${type}s ${about}`;
}

/** At its start a protocol asks for one number and then its gossip detector for another. */
function whoAskedForAChoice(): string | null {
  const chosen: number[] = [];
  const inner: AnyMachine = {
    init: () => null,
    step(_self, _state, event, effects) {
      if (event.type === 'start') effects.choose(10);
      if (event.type === 'chosen') chosen.push(event.value);
    },
  };
  const gossip = createGossipDetector({
    ...{ everyTicks: 5, failTicks: 100, cleanupTicks: 200, refusesAhead: false },
  });
  const machine = createDetecting(inner, gossip, () => 0);
  const state = machine.init(SELF);
  const events: readonly Event<Message>[] = [
    { type: 'start' },
    { type: 'chosen', value: 7 },
    { type: 'chosen', value: 1 },
  ];
  recorded((effects) => {
    for (const event of events) machine.step(SELF, state, event, effects);
  });
  return complainUnlessSame('what the protocol gets', chosen, [7]);
}
