/**
 * @module
 * Every defence that a plan of epochs can switch on, once where it keeps the adversary from what it mostly
 * has without it, and once where it does not. The table is complete: a form of the salt or a switch of
 * plans that is not in it does not compile.
 */

import { describe, expect, it } from 'vitest';
import type { EpochOutcome, EpochPlan } from '../../../src/experiment/epochs/epochs.ts';
import type { Salt } from '../../../src/experiment/theory/epoch-conduct.ts';
import { countRuns, epochsWon, leads, planWith, STILL_THERE } from './samples.ts';

type Switch = Exclude<
  keyof EpochPlan,
  'epochs' | 'honest' | 'adversary' | 'conduct' | 'difficultyBits' | 'salt'
>;
type EpochDefence = `salt of ${Exclude<Salt, 'none'>}` | Switch;

interface Row {
  readonly why: string;
  readonly plan: EpochPlan;
  readonly wins?: (outcomes: readonly EpochOutcome[]) => boolean;
}

interface Case {
  readonly on: Partial<EpochPlan>;
  readonly helps: Row;
  readonly doesNot: Row;
}

const RUNS = 200;
const NODES = 16;

/** Sixteen honest nodes, a puzzle of 8 bits, an adversary with this number of keys before and in the epoch. */
function against(
  { stockKeys, testsPerWindow }: { readonly stockKeys: number; readonly testsPerWindow: number },
  changes: Partial<EpochPlan> = {},
): EpochPlan {
  const adversary = { stockKeys, testsPerWindow, revealChoices: 0 };
  return planWith({ honest: NODES, forged: 0 }, { difficultyBits: 8, adversary, ...changes });
}

const PREPARED = { stockKeys: 2 ** 14, testsPerWindow: 16 };
const RICH = { stockKeys: 0, testsPerWindow: 2 ** 14 };
/** A claim an epoch. */
const STEADY = { stockKeys: 0, testsPerWindow: 256 };
const MASSES = { stockKeys: 0, testsPerWindow: 2 ** 12 };
const JOINING: Partial<EpochPlan> = { epochs: 12, lifetimeEpochs: 1, difficultyBits: 4 };

const CASES: Readonly<Record<EpochDefence, Case>> = {
  'salt of puzzle': {
    on: { salt: 'puzzle' },
    helps: { why: 'what was mined before has to be mined again', plan: against(PREPARED) },
    doesNot: {
      why: 'the best of the stock are tested first, and there is time for them',
      plan: against({ ...PREPARED, testsPerWindow: 2048 }),
    },
  },
  'salt of rank': {
    on: { salt: 'rank' },
    helps: {
      why: 'no node has the top rank in every epoch',
      plan: planWith({ honest: 9, forged: 9 }, { epochs: 5 }),
      wins: (outcomes) => epochsWon(outcomes) === outcomes.length,
    },
    doesNot: { why: 'many identities lead as often as they are many', plan: against(RICH) },
  },
  'salt of both': {
    on: { salt: 'both' },
    helps: { why: 'neither stock nor aim is worth anything', plan: against(PREPARED) },
    doesNot: { why: 'what is found within the window counts', plan: against(RICH) },
  },
  lifetimeEpochs: {
    on: { lifetimeEpochs: 1 },
    helps: {
      why: 'claims of old epochs do not add up',
      plan: against(STEADY, { epochs: 40, salt: 'both' }),
    },
    doesNot: {
      why: 'without a salt they are renewed for nothing',
      plan: against(STEADY, { epochs: 40 }),
    },
  },
  retargeting: {
    on: { retargeting: { targetJoins: 12, stepBitsMax: 2 } },
    helps: {
      why: 'masses of joins are made dear, and honest nodes can pay',
      plan: against(MASSES, { ...JOINING, salt: 'both' }),
    },
    doesNot: {
      why: 'honest nodes that cannot pay are priced out by the same bits',
      plan: against(MASSES, {
        ...{ ...JOINING, salt: 'both' },
        honest: { ...STILL_THERE, nodes: NODES, testsPerWindow: 64 },
      }),
    },
  },
};

describe.each(Object.entries(CASES))('of epochs, %s', (_, { on, helps, doesNot }) => {
  it(`turns success into failure: ${helps.why}`, () => {
    expect(shareOf(helps, {})).toBeGreaterThan(0.4);
    expect(shareOf(helps, on)).toBeLessThan(0.15);
  });

  it(`does not help: ${doesNot.why}`, () => {
    expect(shareOf(doesNot, {})).toBeGreaterThan(0.4);
    expect(shareOf(doesNot, on)).toBeGreaterThan(0.4);
  });
});

function shareOf({ plan, wins = leads }: Row, on: Partial<EpochPlan>): number {
  return countRuns({ ...plan, ...on }, { runs: RUNS, seed: '71' }, wins) / RUNS;
}
