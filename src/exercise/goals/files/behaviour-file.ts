/**
 * @module
 * The goal of writing a behaviour in one file that beats a given defence: although honest nodes run the defence, they do
 * not agree on a leader.
 */

import { z } from 'zod';
import { DEFENCE_NAMES } from '../../../election/defences/registry.ts';
import { PROTOCOL_NAMES } from '../../../election/registry.ts';
import type { Seed } from '../../../random.ts';
import { attempted } from '../../machine-fault.ts';
import { defineGoal } from '../goal.ts';
import { described, endOf, trialsOf } from './trials.ts';

interface Task {
  readonly protocol: (typeof PROTOCOL_NAMES)[number];
  readonly defence: (typeof DEFENCE_NAMES)[number];
  readonly seed: Seed;
}

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
