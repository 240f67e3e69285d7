/**
 * @module
 * Goals about leaders that a fault disturbs. The server holds the election of the instance with the fault, and reads who
 * led in which term.
 */

import { z } from 'zod';

import { holderTicks } from '../../../election/lease-interval.ts';
import { firstInteger } from '../../../experiment/theory/bisection.ts';
import type { Seed } from '../../../random.ts';
import { createRandom, deriveSeed } from '../../../random.ts';
import type { ScheduledFault } from '../../../simulation/faults/schedule.ts';
import { EMPTY_SCHEDULE } from '../../../simulation/faults/schedule.ts';
import type { ElectionOptions } from '../../../simulation/run/simulate.ts';
import type { Simulation } from '../../../simulation/run/simulation.ts';
import { createSimulation } from '../../../simulation/run/simulation.ts';
import { defineGoal, drawnIn, range, settingsOf } from '../goal.ts';

/** The node that starts alone, or asks the store first, and so becomes the leader. */
const LEADER = 1;
/** In this time a node also asks at the end of a cut. */
const CUT_TICKS_MAX = 200;
/** Longer than two time-outs with their elections. */
const AFTER_TICKS = 150;
/** About every third schedule will do. */
const SCHEDULES_MAX = 100;
const FLAGS = {
  none: {},
  preVote: { rules: 'etcd', preVote: 'on' },
  checkQuorum: { checkQuorum: 'on' },
  both: { rules: 'etcd', preVote: 'on', checkQuorum: 'on' },
} as const;
const FROM = range(100, 10_000).describe('First and last tick at which the cut may begin.');
const tick = z.int().min(0);

type Drawn<Name extends string> = Readonly<Record<Name, number>> & { readonly seed: Seed };
/**
 * `node` is cut off from `from` on. A cut may end at `toMax` at the latest. The seed takes some elections, and is made when it
 * is needed.
 */
type CutTask = Drawn<'nodes' | 'node' | 'from' | 'toMax'>;
/** Timers of the leader take `slowPercent` hundredths of their ticks. It is cut off from `from` on, for ever. */
type ClockTask = Drawn<'nodes' | 'leaseTicks' | 'slowPercent' | 'from'>;

/**
 * The goal of a disruptive node (D. Ongaro, Consensus: Bridging Theory and Practice, 2014, sections 6.2 and 9.6): a node of
 * Raft that was cut off deposes a leader that is well. Pre-vote alone does not prevent it if the node asks just after it
 * has returned: a voter then grants the pre-vote although it follows a leader.
 */
export const DEPOSED_LEADER = defineGoal({
  name: 'deposed-leader',
  summary:
    'Cut a node of Raft off so that it deposes the leader, also with a pre-vote, and choose the flags that prevent it.',
  submission: 'settings',
  answer: settingsOf({
    plainTo: tick.describe('Tick at which the shortest cut ends that deposes the leader.'),
    preVoteTo: tick.describe('Tick at which a cut ends that deposes it although preVote is on.'),
    flags: z.enum(['none', 'preVote', 'checkQuorum', 'both']).describe('Flags that prevent both.'),
  }),
  needs: [],
  parameters: { nodes: range(4, 9).describe('Fewest and most nodes.'), from: FROM },
  criteria: {
    plain: { weight: 1, meaning: 'The shortest cut deposes the leader.' },
    preVote: { weight: 2, meaning: 'A cut deposes the leader although preVote is on.' },
    flags: { weight: 1, meaning: 'With the flags the leader survives both cuts.' },
  },
  task(bounds, { seed }): CutTask {
    const random = createRandom(seed('cut'));
    const { nodes, from } = drawnIn(random, bounds);
    const node = LEADER + 1 + random.below(nodes - LEADER);
    const cut = { nodes, node, from, toMax: from + CUT_TICKS_MAX };
    let made: Seed | undefined;
    return {
      ...cut,
      get seed() {
        made ??= solvableSeed(cut, seed('cut/schedule'));
        return made;
      },
    };
  },
  given: (task) => ({ protocol: 'raft', initiators: [LEADER], ...task }),
  judge(task, { settings: { plainTo, preVoteTo, flags } }) {
    const plain = missingPlain(task, plainTo);
    const preVote = isDeposed(task, preVoteTo, 'preVote')
      ? null
      : `with preVote the leader survives a cut until tick ${preVoteTo}: see when the node asks, and who grants it a pre-vote`;
    const isKept = [plainTo, preVoteTo].every((to) => !isDeposed(task, to, flags));
    const kept = isKept ? null : `with the flags ${flags} the leader does not survive both cuts`;
    return { plain, preVote, flags: plain ?? preVote ?? kept };
  },
  isOf: (task, { settings: { plainTo, preVoteTo } }) =>
    missingPlain(task, plainTo) === null && isDeposed(task, preVoteTo, 'preVote'),
});

/** Whether a cut that ends at this tick deposes the leader. */
function isDeposed(task: CutTask, to: number, flags: keyof typeof FLAGS): boolean {
  if (to <= task.from || to > task.toMax) return false;
  const simulation = startedCut(task, to, flags);
  simulation.advance({ until: to + AFTER_TICKS });
  return simulation.audit()?.trail().at(-1)?.epoch !== 1;
}

/** The election with a cut that ends at this tick. */
function startedCut(task: CutTask, to: number, flags: keyof typeof FLAGS): Simulation {
  const { nodes, seed, node, from } = task;
  const cut = { kind: 'isolate', rank: node } as const;
  const raft = { protocol: 'raft', initiators: [LEADER], flags: FLAGS[flags] } as const;
  return started({ ...raft, nodes, seed }, [{ type: 'partition', cut, from, to }]);
}

/** The first seed of a schedule in which the task has a solution. */
function solvableSeed(cut: Omit<CutTask, 'seed'>, seed: Seed): Seed {
  for (let draw = 0; draw < SCHEDULES_MAX; draw += 1) {
    const drawn = deriveSeed(seed, 'draw', draw);
    if (isSolvable({ ...cut, seed: drawn })) return drawn;
  }
  throw new TypeError(`"nodes" and "from" expected a schedule with a solution, got none`);
}

/**
 * Whether several cuts depose the leader in spite of pre-vote, and none of them ends at the first time-out: such an end
 * would follow from the shortest cut without flags.
 */
function isSolvable(task: CutTask): boolean {
  const [first, ...later] = preVoteTicks(task);
  const endsAt = (asks: number) =>
    [asks - 1, asks].filter((to) => isDeposed(task, to, 'preVote')).length;
  if (first === undefined || endsAt(first) > 0) return false;
  let ends = 0;
  for (const asks of later) if (ends < 2) ends += endsAt(asks);
  return ends >= 2;
}

/** The ticks at which the node asks for a pre-vote while it is cut off. A cut that ends elsewhere deposes no leader. */
function preVoteTicks(task: CutTask): readonly number[] {
  const { from, toMax } = task;
  const simulation = startedCut(task, toMax, 'preVote');
  const askedBy = (until: number) => {
    simulation.advance({ until });
    return simulation.progress().messages.PRE_VOTE ?? 0;
  };
  const counts = Array.from({ length: CUT_TICKS_MAX + 1 }, (_, index) => askedBy(from + index));
  return counts.flatMap((count, index) =>
    count > (counts[index - 1] ?? count) ? [from + index] : [],
  );
}

function missingPlain(task: CutTask, to: number): string | null {
  if (!isDeposed(task, to, 'none')) {
    return `without flags the leader survives a cut until tick ${to}: the node must receive nothing for a whole time-out`;
  }
  return isDeposed(task, to - 1, 'none') ? 'without flags a shorter cut deposes it, too' : null;
}

/** An election with faults, which its initiators have started. */
function started(options: ElectionOptions, faults: readonly ScheduledFault[]): Simulation {
  const schedule = { ...EMPTY_SCHEDULE, faults };
  const simulation = createSimulation({ ...options, schedule, audit: true });
  simulation.start(options.initiators);
  return simulation;
}

const MILLION = 1_000_000;
/** The largest drift that is accepted, over the smallest that is enough. */
const TOLERANCE = 0.01;

/**
 * The goal of a slow clock (C. Gray and D. Cheriton, Leases, SOSP 1989): a holder whose clock is slow leads on when its lease
 * is over at the store.
 */
export const SLOW_CLOCK = defineGoal({
  name: 'slow-clock',
  summary:
    'State for how long two nodes lead by one lease if the clock of its holder is slow, and the smallest drift to allow for.',
  submission: 'settings',
  answer: settingsOf({
    overlapTicks: tick.describe('Ticks in which two nodes lead if drift is ignored.'),
    driftPpm: z.int().min(0).max(MILLION).describe('The smallest safe drift, in millionths.'),
  }),
  needs: [],
  parameters: {
    nodes: range(3, 9).describe('Fewest and most nodes.'),
    leaseTicks: range(1000, 10_000).describe('Shortest and longest lease.'),
    slowPercent: range(105, 200).describe('How long timers take at least and at most, in percent.'),
    from: FROM,
  },
  criteria: {
    overlap: { weight: 1, meaning: 'Two nodes lead for as many ticks as stated.' },
    drift: { weight: 1, meaning: 'With this drift two nodes never lead, and with less they may.' },
  },
  task: (bounds, { seed }): ClockTask => ({
    ...drawnIn(createRandom(seed('clock')), bounds),
    seed: seed('clock/schedule'),
  }),
  given: (task) => ({ protocol: 'lease-local', holder: LEADER, ...task }),
  judge: (task, { settings }) => ({
    overlap: missingOverlap(task, settings.overlapTicks),
    drift: missingDrift(task, settings.driftPpm),
  }),
  isOf: (task, { settings: { overlapTicks, driftPpm } }) =>
    missingDrift(task, driftPpm) === null && missingOverlap(task, overlapTicks) === null,
});

function missingOverlap(task: ClockTask, stated: number): string | null {
  const { nodes, seed, leaseTicks, slowPercent, from } = task;
  const flags = { leaseTicks: String(leaseTicks), drift: 'ignored' };
  const cut = { kind: 'isolate', rank: LEADER } as const;
  const faults = [
    { type: 'skew', rank: LEADER, numerator: slowPercent, denominator: 100 },
    { type: 'partition', cut, from, to: null },
  ] as const;
  // By then the holder has given up, although its clock is slow.
  const until = from + 3 * leaseTicks;
  const simulation = started({ protocol: 'lease-local', nodes, seed, flags }, faults);
  simulation.advance({ until });
  if (simulation.audit()?.finish(until).ticksSplit === stated) return null;
  return Math.abs(stated - (leaseTicks * (slowPercent - 100)) / 100) <= 1
    ? 'this is the longest possible time: another node takes the lease only when it asks again'
    : `two nodes do not lead for ${stated} ticks: find the ticks at which the next one begins and the holder ends`;
}

function missingDrift({ leaseTicks, slowPercent }: ClockTask, stated: number): string | null {
  const isSafe = (driftPpm: number) =>
    holderTicks({ leaseTicks, driftPpm }) * slowPercent <= 100 * leaseTicks;
  const smallest = firstInteger(isSafe, { from: 0, to: MILLION - 1 });
  if (stated >= smallest && stated <= smallest * (1 + TOLERANCE)) return null;
  // Without the direction, which would let answers halve the range.
  return 'with this drift the holder may still count longer than the store, or a smaller one is safe: the protocol takes it off for the clocks of both sides';
}
