/**
 * @module
 * The goal of writing a defence in one file: it survives a sweep over elections under an attack, and leaves honest
 * elections as they are.
 */

import { z } from 'zod';
import { BEHAVIOUR_NAMES } from '../../../adversary/behaviours/registry.ts';
import { PROTOCOL_NAMES } from '../../../election/registry.ts';
import type { Seed } from '../../../random.ts';
import { attempted } from '../../machine-fault.ts';
import { defineGoal } from '../goal.ts';
import { described, endOf, trialsOf } from './trials.ts';

/** Messages of an honest election with the defence, over those without it. */
const MESSAGES_FACTOR_MAX = 1.5;

interface Task {
  readonly protocol: (typeof PROTOCOL_NAMES)[number];
  readonly behaviour: (typeof BEHAVIOUR_NAMES)[number];
  readonly seed: Seed;
}

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
  task: ({ protocol, behaviour }, { seed }): Task => ({
    ...{ protocol, behaviour },
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
function lostIn(task: Task, defence: string, isLong: boolean): string | null {
  for (const trial of trialsOf(task.protocol, task.seed, isLong)) {
    const byzantine = [{ rank: trial.nodes, behaviours: [task.behaviour] }];
    const end = endOf(trial, { byzantine, defences: [defence] });
    if (end.isOver && end.leader === end.followed.at(-1)?.rank) continue;
    return `${described(trial, end)}; node ${trial.nodes} is Byzantine, and all others should follow node ${end.followed.at(-1)?.rank}`;
  }
  return null;
}

/** The first honest election that is another one with the defence. */
function changedIn({ protocol, seed }: Task, defence: string): string | null {
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
