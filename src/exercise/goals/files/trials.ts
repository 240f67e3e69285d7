/**
 * @module
 * The elections of a student's instance in which submitted behaviours and defences are tried: each with another number of
 * nodes, another latency and another seed. Half of them go on with the crash of the second-highest node.
 */

import { z } from 'zod';

import { BEHAVIOUR_NAMES } from '../../../adversary/behaviours/registry.ts';
import { DEFENCE_NAMES } from '../../../election/defences/registry.ts';
import { PROTOCOL_NAMES } from '../../../election/registry.ts';
import type { Seed } from '../../../random.ts';
import { createRandom, deriveSeed } from '../../../random.ts';
import type { SimulationOptions } from '../../../simulation/plan/plan.ts';
import { createSimulation } from '../../../simulation/run/simulation.ts';
import { attempted } from '../../machine-fault.ts';
import { defineGoal } from '../goal.ts';

const TRIALS = 12;
/** Far more events than an election among so few nodes has. A trial that has more fails. */
const EVENTS_MAX = 20_000;
const NODES_MIN = 4;
const NODES_BELOW = 4;
const LATENCY_BELOW = 6;
/** After every election of so few nodes. */
const CRASH_AT = 600;
/** A trial that is not at rest then fails. */
const REST_BY = 2000;

export type Trial = Pick<
  SimulationOptions,
  'protocol' | 'nodes' | 'seed' | 'latency' | 'level' | 'faults' | 'untilTicks'
>;

/** The trials of an instance; with `isLong`, a node crashes after the election. */
export function trialsOf(
  protocol: SimulationOptions['protocol'],
  seed: Seed,
  isLong: boolean,
): readonly Trial[] {
  return Array.from({ length: TRIALS }, (_, index) => {
    const random = createRandom(seed, 'trial', index);
    const nodes = NODES_MIN + random.below(NODES_BELOW);
    return {
      protocol,
      nodes,
      level: 'L1',
      untilTicks: REST_BY,
      seed: deriveSeed(seed, 'trial', index),
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 1 + random.below(LATENCY_BELOW) },
      faults: isLong ? [{ type: 'crash', rank: nodes - 1, at: CRASH_AT }] : [],
    };
  });
}

/** How a trial ends. */
export interface TrialEnd {
  readonly isOver: boolean;
  /** The live nodes below `nodes`, or all of them, and what each follows. */
  readonly followed: readonly { readonly rank: number; readonly leader: number | null }[];
  /** The live node that all of these follow; null if there is none. */
  readonly leader: number | null;
  readonly messages: number;
}

/** Holds the election of a trial. The highest node is left out of the end if it is Byzantine. */
export function endOf(
  trial: Trial,
  others: Pick<SimulationOptions, 'byzantine' | 'defences'>,
): TrialEnd {
  const simulation = createSimulation({ ...trial, ...others });
  simulation.start();
  const bound = simulation.advance({ until: 'idle', events: EVENTS_MAX });
  const byzantine = new Set(others.byzantine?.map(({ rank }) => rank));
  const live = simulation.nodes().filter(({ up }) => up);
  const followed = live
    .filter(({ rank }) => !byzantine.has(rank))
    .map(({ rank, leader }) => ({ rank, leader }));
  const [first] = followed;
  const isAgreed = followed.every(({ leader }) => leader === first?.leader);
  const leader = live.find(({ rank }) => rank === first?.leader)?.rank ?? null;
  return {
    isOver: bound === 'idle',
    followed,
    leader: isAgreed ? leader : null,
    messages: simulation.status().messages.total ?? 0,
  };
}

/** A trial in words, with what its nodes follow at the end. */
export function described({ nodes, faults = [] }: Trial, { followed, isOver }: TrialEnd): string {
  const after = faults.length === 0 ? '' : `, where node ${nodes - 1} crashes at ${CRASH_AT},`;
  const ends = followed.map(({ rank, leader }) => `${rank} follows ${leader ?? 'none'}`).join(', ');
  return `in an election of ${nodes} nodes${after} ${isOver ? '' : `which is not at rest by tick ${REST_BY}, `}${ends}`;
}

interface Task {
  readonly protocol: (typeof PROTOCOL_NAMES)[number];
  readonly defence: (typeof DEFENCE_NAMES)[number];
  readonly seed: Seed;
}

/**
 * The goal of writing a behaviour in one file that beats a given defence: although honest nodes run the defence,
 * they do not agree on a leader.
 */
export const BEHAVIOUR_FILE = defineGoal({
  name: 'behaviour-file',
  summary:
    'Submit a file with a behaviour of the highest node which a defence of the others does not stop: they do not agree on a live leader.',
  submission: 'behaviour',
  needs: ['definition'],
  parameters: {
    protocol: z.enum(PROTOCOL_NAMES).describe('The protocol of honest nodes.'),
    defence: z.enum(DEFENCE_NAMES).describe('The defence of honest nodes.'),
  },
  criteria: {
    beats: { weight: 2, meaning: 'In no election the honest nodes agree on a live leader.' },
    again: { weight: 1, meaning: 'Nor do they after their highest node has crashed.' },
  },
  task: ({ protocol, defence }, { seed }): Task => ({ protocol, defence, seed: seed('behaviour') }),
  given: ({ protocol, defence }) => ({ protocol, defence, level: 'L1' }),
  judge: (task, _submission, { definition = '' }) => ({
    beats: attempted(() => stoppedIn(task, definition, false)),
    again: attempted(() => stoppedIn(task, definition, true)),
  }),
  isOf: () => false,
});

/** The first election in which the defence stops the behaviour. */
function stoppedIn(task: Task, behaviour: string, isLong: boolean): string | null {
  for (const trial of trialsOf(task.protocol, task.seed, isLong)) {
    const byzantine = [{ rank: trial.nodes, behaviours: [behaviour] }];
    const end = endOf(trial, { byzantine, defences: [task.defence] });
    if (end.isOver && end.leader === null) continue;
    return `${described(trial, end)}; ${end.isOver ? 'they agree on a live leader' : 'an election must come to rest: its nodes send nothing more, and no timer but periodic ones is set'}`;
  }
  return null;
}

/** Messages of an honest election with the defence, over those without it. */
const MESSAGES_FACTOR_MAX = 1.5;

interface DefenceFileTask {
  readonly protocol: (typeof PROTOCOL_NAMES)[number];
  readonly behaviour: (typeof BEHAVIOUR_NAMES)[number];
  readonly seed: Seed;
}

/**
 * The goal of writing a defence in one file: it survives a sweep over elections under an attack, and leaves honest
 * elections as they are.
 */
export const DEFENCE_FILE = defineGoal({
  name: 'defence-file',
  summary:
    'Submit a file with a defence that survives a sweep over elections whose highest node has a behaviour, and that leaves honest elections alone.',
  submission: 'defence',
  needs: ['definition'],
  parameters: {
    protocol: z.enum(PROTOCOL_NAMES).describe('The protocol of honest nodes.'),
    behaviour: z.enum(BEHAVIOUR_NAMES).describe('The behaviour of the highest node.'),
  },
  criteria: {
    harmless: {
      weight: 1,
      meaning: 'Honest elections have the same leader, and at most half as many messages more.',
    },
    survives: { weight: 2, meaning: 'Under attack all honest nodes follow the highest of them.' },
    again: { weight: 1, meaning: 'They do so also after that node has crashed.' },
  },
  task: ({ protocol, behaviour }, { seed }): DefenceFileTask => ({
    protocol,
    behaviour,
    seed: seed('defence'),
  }),
  given: ({ protocol, behaviour }) => ({ protocol, behaviour, level: 'L1' }),
  judge(task, _submission, { definition = '' }) {
    // A defence that gives up on honest nodes, too, survives some sweeps by chance.
    const harmless = attempted(() => changedIn(task, definition));
    if (harmless !== null) return { harmless, survives: harmless, again: harmless };
    const survives = attempted(() => lostIn(task, definition, false));
    const again = attempted(() => lostIn(task, definition, true));
    const isUseful = survives === null || again === null;
    return {
      survives,
      again,
      harmless: isUseful ? null : 'it changes nothing under attack either',
    };
  },
  isOf: () => false,
});

/** The first election that the adversary stops. */
function lostIn(task: DefenceFileTask, defence: string, isLong: boolean): string | null {
  for (const trial of trialsOf(task.protocol, task.seed, isLong)) {
    const byzantine = [{ rank: trial.nodes, behaviours: [task.behaviour] }];
    const end = endOf(trial, { byzantine, defences: [defence] });
    if (end.isOver && end.leader === end.followed.at(-1)?.rank) continue;
    return `${described(trial, end)}; node ${trial.nodes} is Byzantine, and all others should follow node ${end.followed.at(-1)?.rank}`;
  }
  return null;
}

/** The first honest election that is another one with the defence. */
function changedIn({ protocol, seed }: DefenceFileTask, defence: string): string | null {
  const trials = [true, false].flatMap((isLong) => trialsOf(protocol, seed, isLong));
  for (const trial of trials) {
    const before = endOf(trial, {});
    const after = endOf(trial, { defences: [defence] });
    if (!after.isOver || after.leader !== before.leader) {
      return `${described(trial, after)}, although all are honest; without your defence all follow node ${before.leader}`;
    }
    if (after.messages > MESSAGES_FACTOR_MAX * before.messages) {
      return `an honest election of ${trial.nodes} nodes has ${after.messages} messages with your defence, and ${before.messages} without`;
    }
  }
  return null;
}
