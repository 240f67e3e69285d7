/**
 * @module
 * A leader that trains its detector: its beats come a little later each time, never late enough to be
 * suspected, and when it stops, all others wait for it several times as long as for an honest one. A
 * limit on what one interval may teach ends that, and makes the training visible.
 */

import { parseDetector } from '../../election/detectors/registry.ts';
import { answerTicks } from '../../election/timing.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import type { ScenarioSettings } from './scenario.ts';
import { defineScenario, LATENCY, listed, runNamed, stageRun } from './scenario.ts';

const EVERY_TICKS = answerTicks({ latencyTicksMax: LATENCY.ticksMax });
/** Honest beats before the training begins. */
const HONEST_BEATS = 10;
/** 15 % a beat, seven times the honest interval in the end. */
const GROWTH = 1.15;
const LATE_BEATS = 14;
/** Four periods; a window of honest beats takes two or three. */
const IN_TIME_TICKS = 4 * EVERY_TICKS;
const LATE_FACTOR = 4;
/** For the latest suspicion and the election after it. */
const TAIL_TICKS = 800;

/** Without the three periods that it allows on top, so that only the window counts. */
const DETECTOR = 'fd-phi-akka:pause=0';
const UNTRAINED = 'untrained';
const TRAINED = 'trained';
const CAPPED = 'trained, intervals capped';

type SlowDrip = {
  /** Runs in which the last survivor suspects the leader within `IN_TIME_TICKS` of its stop. */
  readonly inTime: readonly string[];
  /** The runs in which it takes `LATE_FACTOR` times as long as in the first. */
  readonly late: readonly string[];
  /** The runs in which a live node was suspected. */
  readonly alarmed: readonly string[];
};

export const DETECTOR_SLOW_DRIP = defineScenario<SlowDrip>({
  name: 'detector-slow-drip',
  aliases: ['slow-drip'],
  title: 'A leader delays its beats more and more, and its end is noticed late',
  explanation: `Node n pauses between its beats (FD_HEARTBEAT), ${GROWTH} times as long each time, and crashes. Timer fd:deadline of the others grows with mean and deviation of what they have seen; only then do they elect n-1. With cap=on no interval teaches more than latency can explain: the drip itself is suspected, again and again.`,
  source:
    'N. Hayashibara, X. Défago, R. Yared and T. Katayama, The φ accrual failure detector, SRDS 2004: takes intervals as they come; formula of Akka, PhiAccrualFailureDetector',
  nodes: { usual: 5, min: 2, max: 16 },
  stage: (setting) => [
    staged(setting, UNTRAINED, DETECTOR, []),
    staged(setting, TRAINED, DETECTOR, drip(setting.nodes)),
    staged(setting, CAPPED, `${DETECTOR},cap=on`, drip(setting.nodes)),
  ],
  expect: () => ({ inTime: [UNTRAINED, CAPPED], late: [TRAINED], alarmed: [CAPPED] }),
  observe(runs) {
    const honest = noticedAfter(runNamed(runs, UNTRAINED));
    const namesOf = (is: (run: PlayedRun) => boolean) => runs.filter(is).map(({ name }) => name);
    return {
      inTime: namesOf((run) => noticedAfter(run) <= IN_TIME_TICKS),
      late: namesOf((run) => noticedAfter(run) >= LATE_FACTOR * honest),
      alarmed: namesOf((run) => (run.simulation.detection()?.mistakes.count ?? 0) > 0),
    };
  },
  describe: ({ inTime, late, alarmed }) =>
    `the end of the leader is noticed by all within ${IN_TIME_TICKS} ticks by windows ${quoted(inTime)}, at least ${LATE_FACTOR} times as late as untrained by ${quoted(late)}; before it nodes that were up were suspected by ${quoted(alarmed)}`,
  figures: (runs) =>
    Object.fromEntries(runs.map((run) => [`noticedAfterTicks ${run.name}`, figureOf(run)])),
});

/** Pauses of the leader from just after each beat to its next, which is overdue by then. */
function drip(nodes: number): ScheduledFault[] {
  return beatTimes().flatMap((from, index, times): ScheduledFault[] => {
    const to = times[index + 1];
    return to === undefined ? [] : [{ type: 'pause', rank: nodes, from: from + 1, to }];
  });
}

/** When the leader sends its last honest beat and those after it. */
function beatTimes(): number[] {
  const times = [HONEST_BEATS * EVERY_TICKS];
  for (let beat = 1; beat <= LATE_BEATS; beat += 1) {
    times.push((times.at(-1) ?? 0) + Math.round(EVERY_TICKS * GROWTH ** beat));
  }
  return times;
}

function staged(
  setting: ScenarioSettings,
  run: string,
  detector: string,
  training: readonly ScheduledFault[],
): StagedRun {
  const stopsAt = (beatTimes().at(-1) ?? 0) + 1;
  return stageRun(setting, {
    run,
    protocol: 'bully-oneshot',
    detector: parseDetector(detector),
    faults: [...training, { type: 'crash', rank: setting.nodes, at: stopsAt }],
    audit: true,
    untilTicks: stopsAt + TAIL_TICKS,
  });
}

/** Ticks from the leader's end to the last survivor's suspicion; Infinity if one has none. */
function noticedAfter({ simulation }: PlayedRun): number {
  const detection = simulation.detection();
  if (detection === null || detection.missed > 0) return Number.POSITIVE_INFINITY;
  return detection.detections.maxTicks ?? Number.POSITIVE_INFINITY;
}

/** Zero if no node noticed: a figure is a number. */
function figureOf(run: PlayedRun): number {
  const ticks = noticedAfter(run);
  return Number.isFinite(ticks) ? ticks : 0;
}

function quoted(names: readonly string[]): string {
  return listed(names.map((name) => `"${name}"`));
}
