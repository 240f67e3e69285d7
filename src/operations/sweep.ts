/**
 * @module
 * What a person states of a sweep. It is no operation of the registry, because its answer is files: rows that are written
 * while they are computed, resumed, and shared among machines. Its flags, the members of a request and the replay
 * command follow from the members.
 */

import { z } from 'zod';
import { REMOTE_CELLS_MAX, SWEEP_CELLS_MAX } from '../experiment/document/limits.ts';
import { SEED_RULES } from '../experiment/sweep/grid.ts';
import type { InputOf } from './member.ts';
import { amount, choice, member, SEED } from './member.ts';
import { CELL_RUNS, threatModel } from './model.ts';

const NO_TEXTS: string[] = [];

/** The verb of sweeps with its members. */
export const SWEEP_VERB = {
  name: 'sweep',
  members: {
    threatModel: threatModel({ example: 'top-id', required: true }),
    set: member(
      { schema: z.array(z.string()), entry: { as: 'texts', separator: '\n' } },
      {
        label: 'Axes and settings',
        meaning: 'Axis (several values) or setting (one value) of the threat model',
        example: 'network.honest=8,16,32',
        initial: NO_TEXTS,
      },
    ),
    runs: CELL_RUNS,
    seed: SEED,
    seeds: choice(SEED_RULES, {
      label: 'Seeds of the cells',
      meaning: 'Whether all cells use the same seeds, or each its own',
      example: 'independent',
      initial: SEED_RULES[0],
    }),
    sample: amount({
      kind: 'count',
      bounds: { min: 1, max: SWEEP_CELLS_MAX },
      remoteMax: REMOTE_CELLS_MAX,
      slider: [0, 5],
      label: 'Sample',
      meaning: 'Number of cells that the seed draws from the grid',
      example: '100',
      otherwise: 'all cells',
    }),
  },
} as const;

/** A sweep as it is entered. */
export type SweepInput = InputOf<typeof SWEEP_VERB.members>;
