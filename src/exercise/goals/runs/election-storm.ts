/**
 * @module
 * This folder contains goals for which the server runs what the student submits, with parameters of the instance.
 * This file is the goal of an election storm: the highest node crashes and returns, so that the leader changes again and
 * again, and the same crashes do little if the nodes have the right defence. Few defences fit, so that their names could be
 * guessed: the student also states how often the leader changes with two of them, which an election shows.
 */

import { z } from 'zod';
import { defencesFault } from '../../../election/defences/defended.ts';
import type { DefenceName } from '../../../election/defences/registry.ts';
import { DEFENCES } from '../../../election/defences/registry.ts';
import type { Seed } from '../../../random.ts';
import { createRandom } from '../../../random.ts';
import { createSimulation } from '../../../simulation/run/simulation.ts';
import type { SubmissionOf } from '../../submission.ts';
import { defineGoal, drawn, range } from '../goal.ts';

const NODES_MAX = 20;
const TICKS_MAX = 5_000;
/** Length of the time in which a crash may begin, and the part of each period in which this time begins. */
const WINDOW_TICKS = 4;
const SHARE_OF_PERIOD = 4;

type Scenario = SubmissionOf<'scenario'>;

interface Task {
  readonly nodes: number;
  readonly ticks: number;
  readonly crashes: number;
  readonly changesMin: number;
  readonly changesMax: number;
  /** The crash of each period begins in this part of it. */
  readonly windows: readonly { readonly from: number; readonly to: number }[];
  readonly seed: Seed;
}

export const ELECTION_STORM = defineGoal({
  name: 'election-storm',
  summary:
    'Crash the highest node of Bully again and again so that the leader changes often, and state how often it changes with the two best defences.',
  submission: 'scenario',
  needs: [],
  parameters: {
    nodes: range(3, NODES_MAX),
    ticks: z.int().min(100).max(TICKS_MAX).describe('Length of the run.'),
    crashes: z.int().min(1).max(64).describe('Largest number of crashes.'),
    changesMin: z.int().min(1).max(1000).describe('Changes of leader that make a storm.'),
    changesMax: z.int().min(0).max(1000).describe('Changes of leader under the best defence.'),
  },
  criteria: {
    // Crashes in the given windows with any defence are worth nothing.
    calm: {
      weight: 1,
      meaning:
        'Without a defence the leader changes often, and with the two best defences as often as stated.',
    },
  },
  task({ nodes: bounds, ...limits }, { seed }): Task {
    const random = createRandom(seed('storm'));
    const nodes = drawn(random, bounds);
    const period = Math.floor(limits.ticks / (limits.crashes + 1));
    const windows = Array.from({ length: limits.crashes }, (_, index) => {
      const from =
        period * index + WINDOW_TICKS + random.below(Math.floor(period / SHARE_OF_PERIOD));
      return { from, to: from + WINDOW_TICKS };
    });
    return { nodes, ...limits, windows, seed: seed('storm/schedule') };
  },
  given: (task) => ({ protocol: PROTOCOL, ...task }),
  judge(task, scenario) {
    const refused = refusedIn(task, scenario);
    if (refused !== null) return { calm: refused };
    const changes = changesUnder(task, scenario, []);
    const { changesMin } = task;
    if (changes < changesMin) {
      const calm = `the leader changes ${changes} times, and ${changesMin} are required: leave the node down, and up, long enough for an election`;
      return { calm };
    }
    return { calm: missingCalm(task, scenario, changes) };
  },
  isOf: ({ nodes, windows, changesMin }, { crashes }) =>
    // A crash changes the leader twice. With fewer crashes than a storm needs, answers may coincide.
    2 * crashes.length >= changesMin &&
    crashes.every(({ rank, from }) => rank === nodes && isWithin(windows, from)),
});

const PROTOCOL = 'bully-oneshot';

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

/** `bare` is how often the leader changes without a defence. */
function missingCalm(task: Task, scenario: Scenario, bare: number): string | null {
  const { defences, changes } = scenario;
  if (new Set(defences).size !== 2 || defences.length !== 2) {
    return `name two different defences, the best first, got ${defences.length}; usurp attack --list describes them`;
  }
  const fault = defences.map(faultOf).find((each) => each !== null);
  if (fault !== undefined) return fault;
  const [best = 0, second = 0] = defences.map((defence) => changesUnder(task, scenario, [defence]));
  const isRight = best <= task.changesMax && best <= second && second < bare;
  if (isRight && best === changes[0] && second === changes[1]) return null;
  // The text does not say which part is wrong. Otherwise the names could be found one after the other.
  return 'these are not the two defences with which the leader changes least, the best first, or the leader does not change as often as stated with each: hold an election with your crashes and each defence';
}

/** Why the nodes cannot have a defence; null if they can. */
function faultOf(defence: DefenceName): string | null {
  const fault = defencesFault([defence], { protocol: PROTOCOL, level: null });
  // Without the names of those that fit: that is a hint, which costs points.
  if (fault !== null) return fault;
  return DEFENCES[defence].kind === 'setting' ? `${defence} is a setting, not a defence` : null;
}

/**
 * How often another node is the leader of all than before, seen before each crash and each return and at the end. It is the
 * same in an election over HTTP with the same seed, crashes and returns.
 */
function changesUnder(
  { nodes, ticks, seed }: Task,
  { crashes }: Scenario,
  defences: readonly string[],
): number {
  const simulation = createSimulation({ protocol: PROTOCOL, nodes, seed, defences });
  simulation.start();
  const leaders: number[] = [];
  const look = (until: number) => {
    simulation.advance({ until });
    const { agreed, leader } = simulation.status();
    if (agreed && leader !== null) leaders.push(leader);
  };
  for (const { rank, from, to } of crashes.toSorted((one, other) => one.from - other.from)) {
    look(from);
    simulation.crash(rank);
    look(to);
    simulation.recover(rank);
  }
  look(ticks);
  return leaders.filter((leader, index) => index > 0 && leader !== leaders[index - 1]).length;
}
