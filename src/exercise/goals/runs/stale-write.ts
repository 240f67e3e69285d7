/**
 * @module
 * The goal of a zombie leader (Kleppmann, How to do distributed locking, 2016): a pause of the leader after which it writes
 * although it was replaced, and a resource that refuses this write. The server holds the election of the instance again,
 * with the pause and with leaders that write.
 */

import { z } from 'zod';

import type { ResourceKind } from '../../../election/lease/stores/resource.ts';
import { createRandom } from '../../../random.ts';
import { EMPTY_SCHEDULE } from '../../../simulation/faults/schedule.ts';
import type { ElectionOptions } from '../../../simulation/run/simulate.ts';
import { createSimulation } from '../../../simulation/run/simulation.ts';
import type { SubmissionOf } from '../../submission.ts';
import { noElection } from '../conduct.ts';
import { defineGoal } from '../goal.ts';

/** Ticks of the run after the end of the pause. */
const AFTER_TICKS = 300;
/** A node leads by this tick. */
const SETTLED_TICKS = 100;
/** Ticks of a pause in which a lease of 50 ticks does not expire, also if it began just before a renewal. */
const SHORT_TICKS = [10, 24] as const;
/** After so many ticks another node has taken the row and written. */
const EXPIRED_TICKS = 100;

type Scenario = SubmissionOf<'scenario'>;
type Pause = Scenario['pauses'][number];

interface Task {
  readonly election: string;
  readonly pauseTicksMax: number;
  /** The tick at which the pause begins. */
  readonly from: number;
  /** The ticks at which it may end. Only one is late enough and not too late. */
  readonly resumes: readonly number[];
}

export const STALE_WRITE = defineGoal({
  name: 'stale-write',
  summary:
    'Pause the leader so that it writes after it was replaced, and choose a resource that refuses the write.',
  submission: 'scenario',
  needs: ['elections'],
  parameters: {
    election: z.string().describe('Name of the election in the set-up.'),
    pauseTicksMax: z.int().min(EXPIRED_TICKS).max(10_000).describe('Longest pause in ticks.'),
    beforeTick: z
      .int()
      .min(SETTLED_TICKS + 1)
      .max(10_000)
      .describe('The pause begins before this tick.'),
  },
  criteria: {
    stale: { weight: 1, meaning: 'A resource that checks nothing accepts a write of the zombie.' },
    fenced: { weight: 1, meaning: 'The chosen resource refuses every write of the zombie.' },
  },
  task({ beforeTick, ...parameters }, { seed }): Task {
    const random = createRandom(seed('pause'));
    const between = (low: number, end: number) => low + random.below(end - low);
    const { pauseTicksMax } = parameters;
    const from = between(SETTLED_TICKS, beforeTick);
    const pauses = [
      between(...SHORT_TICKS),
      between(EXPIRED_TICKS, pauseTicksMax + 1),
      between(pauseTicksMax + 1, 2 * pauseTicksMax),
    ];
    return { ...parameters, from, resumes: pauses.map((ticks) => from + ticks) };
  },
  given: ({ election: _election, ...task }) => task,
  judge(task, scenario, { elections }) {
    const election = elections[task.election];
    const missing =
      election === undefined
        ? noElection(task.election)
        : refusedIn(task, scenario, election.options.nodes);
    const [pause] = scenario.pauses;
    if (election === undefined || missing !== null || pause === undefined) {
      return { stale: missing, fenced: missing };
    }
    if (staleWritesUnder(election.options, pause, 'unfenced') === 0) {
      const text = missingStale(election.options, pause);
      return { stale: text, fenced: text };
    }
    const { resource } = scenario;
    const accepted = staleWritesUnder(election.options, pause, resource);
    if (accepted === 0) return { stale: null, fenced: null };
    const fenced = `the resource ${resource} accepts ${accepted} writes of the old leader: it must compare the epoch of a write with the highest that it has seen`;
    return { stale: null, fenced };
  },
  isOf: (task, { pauses: [pause] }) => pause?.from === task.from && task.resumes.includes(pause.to),
});

/** What the student may not choose; null if everything is permitted. */
function refusedIn(task: Task, { pauses, crashes, defences }: Scenario, nodes: number) {
  if (crashes.length > 0 || defences.length > 0) {
    return 'crashes and defences are not yours to choose here: use one pause and a resource';
  }
  const [pause] = pauses;
  if (pause === undefined || pauses.length > 1) {
    return `exactly one pause is needed, got ${pauses.length}`;
  }
  const { rank, from, to } = pause;
  if (rank > nodes) return `there is no node ${rank}: the ranks are 1 to ${nodes}`;
  if (from !== task.from) return `the pause must begin at tick ${task.from}`;
  if (!task.resumes.includes(to)) {
    return `the pause must end at one of the ticks ${task.resumes.join(', ')}`;
  }
  if (to - from <= task.pauseTicksMax) return null;
  return `the pause has ${to - from} ticks, and at most ${task.pauseTicksMax} are permitted`;
}

/** Why no stale write was accepted. */
function missingStale(options: ElectionOptions, { rank, from, to }: Pause): string {
  const simulation = createSimulation(options);
  simulation.start(options.initiators);
  simulation.advance({ until: from });
  if (simulation.nodes()[rank - 1]?.leader !== rank) {
    return `node ${rank} does not lead at tick ${from}: only a leader writes`;
  }
  return `no write of node ${rank} is stale after a pause of ${to - from} ticks: its lease must expire, and another node must lead before it resumes`;
}

/** Accepted writes of leaders that another node has replaced. */
function staleWritesUnder(
  options: ElectionOptions,
  { rank, from, to }: Pause,
  resource: ResourceKind,
): number {
  const simulation = createSimulation({
    ...options,
    workload: { resource, everyTicks: null },
    schedule: { ...EMPTY_SCHEDULE, faults: [{ type: 'pause', rank, from, to }] },
    untilTicks: to + AFTER_TICKS,
  });
  simulation.start(options.initiators);
  simulation.advance({ until: to + AFTER_TICKS });
  return simulation.resource()?.staleWrites ?? 0;
}
