/**
 * @module
 * This folder contains goals for which the server runs what the student submits, with parameters of the instance.
 * This file is the goal of an election storm: the highest node crashes and returns, so that the leader changes again and
 * again, and the same crashes do nothing if the nodes have the right defence.
 */

import { z } from 'zod';
import { defencesFault } from '../../../election/defences/defended.ts';
import type { DefenceName } from '../../../election/defences/registry.ts';
import { DEFENCES } from '../../../election/defences/registry.ts';
import type { Seed } from '../../../random.ts';
import { createRandom } from '../../../random.ts';
import type { ScheduledFault } from '../../../simulation/faults/schedule.ts';
import { EMPTY_SCHEDULE } from '../../../simulation/faults/schedule.ts';
import { createSimulation } from '../../../simulation/run/simulation.ts';
import type { SubmissionOf } from '../../submission.ts';
import { defineGoal } from '../goal.ts';

const NODES_MAX = 20;
const TICKS_MAX = 5_000;
/** Length of the time in which a crash may begin, and the part of each period in which this time begins. */
const WINDOW_TICKS = 4;
const SHARE_OF_PERIOD = 4;
/** Ticks between two looks at the nodes. */
const LOOK_TICKS = 5;

type Scenario = SubmissionOf<'scenario'>;

interface Task {
  readonly nodes: number;
  readonly ticks: number;
  readonly crashes: number;
  readonly changesMin: number;
  readonly changesMax: number;
  /** The crash of each period begins in this spell of it. */
  readonly windows: readonly { readonly from: number; readonly to: number }[];
  readonly seed: Seed;
}

export const ELECTION_STORM = defineGoal({
  name: 'election-storm',
  summary:
    'Crash the highest node of Bully again and again so that the leader changes often, and name the defence that stops it.',
  submission: 'scenario',
  needs: [],
  parameters: {
    nodes: z.tuple([z.int().min(3).max(NODES_MAX), z.int().min(3).max(NODES_MAX)]),
    ticks: z.int().min(100).max(TICKS_MAX).describe('Length of the run.'),
    crashes: z.int().min(1).max(64).describe('Largest number of crashes.'),
    changesMin: z.int().min(1).max(1000).describe('Changes of leader that make a storm.'),
    changesMax: z.int().min(0).max(1000).describe('Changes of leader under the defence.'),
  },
  criteria: {
    // Crashes in the given windows with any defence are worth nothing.
    calm: {
      weight: 1,
      meaning:
        'Without a defence the leader changes often, and with it the same crashes change it rarely.',
    },
  },
  task({ nodes: [low, high], ...limits }, { seed }): Task {
    const random = createRandom(seed('storm'));
    const nodes = low + random.below(high - low + 1);
    const period = Math.floor(limits.ticks / (limits.crashes + 1));
    const windows = Array.from({ length: limits.crashes }, (_, index) => {
      const from =
        period * index + WINDOW_TICKS + random.below(Math.floor(period / SHARE_OF_PERIOD));
      return { from, to: from + WINDOW_TICKS };
    });
    return { nodes, ...limits, windows, seed: seed('storm/schedule') };
  },
  given: ({ seed: _seed, ...task }) => ({ protocol: PROTOCOL, ...task }),
  judge(task, scenario) {
    const refused = refusedIn(task, scenario);
    if (refused !== null) return { calm: refused };
    const changes = changesUnder(task, scenario, []);
    const { changesMin } = task;
    if (changes < changesMin) {
      const calm = `the leader changes ${changes} times, and ${changesMin} are required: leave the node down, and up, long enough for an election`;
      return { calm };
    }
    return { calm: missingCalm(task, scenario) };
  },
  isOf: ({ nodes, windows, changesMin }, { crashes }) =>
    // A crash changes the leader twice. With fewer crashes than a storm needs, answers may coincide.
    2 * crashes.length >= changesMin &&
    crashes.every(({ rank, from }) => rank === nodes && isWithin(windows, from)),
});

const PROTOCOL = 'bully-oneshot';
const LEVEL = 'L1';

/** What the student may not choose; null if everything is permitted. */
function refusedIn(
  { nodes, ticks, windows, crashes: most }: Task,
  scenario: Scenario,
): string | null {
  const { crashes, pauses } = scenario;
  if (pauses.length > 0) return 'pauses are not yours to choose here: use crashes';
  if (crashes.length > most) return `at most ${most} crashes are permitted, got ${crashes.length}`;
  if (crashes.some(({ rank }) => rank !== nodes)) {
    return `only node ${nodes}, the highest, may crash`;
  }
  const outside = crashes.find(({ from }) => !isWithin(windows, from));
  if (outside !== undefined) {
    return `no window of your instance has tick ${outside.from}: a crash begins from the first to before the last tick of a window`;
  }
  const sorted = crashes.toSorted((one, other) => one.from - other.from);
  const overlaps = sorted.some(({ from }, index) => from <= (sorted[index - 1]?.to ?? -1));
  if (overlaps) return 'a crash must begin after the node has returned from the one before';
  return crashes.every(({ to }) => to < ticks) ? null : `a crash must end before tick ${ticks}`;
}

const isWithin = (windows: Task['windows'], tick: number) =>
  windows.some(({ from, to }) => from <= tick && tick < to);

function missingCalm(task: Task, scenario: Scenario): string | null {
  const { defences } = scenario;
  const [defence] = defences;
  if (defence === undefined || defences.length > 1) {
    return `name exactly one defence, got ${defences.length}; usurp attack --list describes them`;
  }
  const fault = faultOf(defence);
  if (fault !== null) return fault;
  const changes = changesUnder(task, scenario, defences);
  if (changes <= task.changesMax) return null;
  return `with ${defence} the leader still changes ${changes} times, and at most ${task.changesMax} are allowed`;
}

/** Why the nodes cannot have a defence; null if they can. */
function faultOf(defence: DefenceName): string | null {
  const fault = defencesFault([defence], { protocol: PROTOCOL, level: LEVEL });
  // Without the names of those that fit: that is a hint, which costs points.
  if (fault !== null) return fault;
  return DEFENCES[defence].kind === 'setting' ? `${defence} is a setting, not a defence` : null;
}

/** How often the leader that the lowest node follows changes after it has followed one. */
function changesUnder(
  { nodes, ticks, seed }: Task,
  { crashes }: Scenario,
  defences: readonly string[],
): number {
  const faults = crashes.flatMap(({ rank, from, to }): ScheduledFault[] => [
    { type: 'crash', rank, at: from },
    { type: 'restart', rank, at: to, amnesia: false },
  ]);
  const simulation = createSimulation({
    ...{ protocol: PROTOCOL, nodes, seed, level: LEVEL, defences, untilTicks: ticks },
    schedule: { ...EMPTY_SCHEDULE, faults },
  });
  simulation.start();
  let leader: number | null = null;
  let changes = -1;
  for (let tick = LOOK_TICKS; tick <= ticks; tick += LOOK_TICKS) {
    simulation.advance({ until: tick });
    const followed = simulation.nodes()[0]?.leader ?? null;
    if (followed === null || followed === leader) continue;
    leader = followed;
    changes += 1;
  }
  return Math.max(0, changes);
}
