/**
 * @module
 * The goal of an adversary that makes keys before an epoch, and of a salt that makes them worthless. The student sets
 * members of the threat model of the instance. The server computes the exact probability that the adversary leads
 * (src/experiment/verdict/theory.ts), by the other members of its own model.
 */

import { z } from 'zod';
import type { ThreatModel } from '../../../experiment/document/threat-model.ts';
import { threatModelSchema } from '../../../experiment/document/threat-model.ts';
import { EMPTY_TALLY } from '../../../experiment/runs/tally.ts';
import { firstInteger } from '../../../experiment/theory/bisection.ts';
import { theoryOf } from '../../../experiment/verdict/theory.ts';
import { createRandom } from '../../../random.ts';
import { defineGoal, drawn, range, settingsOf } from '../goal.ts';

const STOCKPILE = 'adversaries.main.stockpile';
const SALT = 'epochs.salt';
const BITS = 'network.identity.c1';

const SALTS = ['none', 'puzzle', 'rank', 'both'] as const;
const BITS_MAX = 40;
/** The largest stockpile over the one whose expected number of identities just suffices. */
const SPARE_FACTOR = 2;
/** The most batches that are accepted over the fewest. */
const TOLERANCE = 0.02;
/** Odd numbers in which none divides another. */
const BATCH_KEYS_MIN = 4096;
const EPOCHS = 5;

interface Drawn {
  readonly honest: number;
  readonly c1: number;
  /** Keys that the adversary can test in the window of an epoch. */
  readonly windowAttempts: number;
  /** A stockpile is a multiple of this, so that it belongs to one student. */
  readonly batchKeys: number;
  readonly stockpileMax: number;
  /** The adversary must lead with this probability without a salt. */
  readonly attack: number;
  /** The adversary may lead with this probability under the chosen salt. */
  readonly defence: number;
}

interface Task extends Drawn {
  /** The fewest batches that reach `attack`, and the fewest bits that reach `defence` under both salts. */
  readonly fewest: () => { readonly batches: number; readonly bits: number };
}

const KEYS_RULE = 'must be a whole number of keys';
const BITS_RULE = 'must be a whole number of bits';

export const SALTED_STOCKPILE = defineGoal({
  name: 'salted-stockpile',
  summary:
    'Choose a stockpile with which an adversary leads an epoch, and the salt and the difficulty that stop it.',
  submission: 'settings',
  answer: settingsOf({
    [STOCKPILE]: z
      .int(KEYS_RULE)
      .min(0, KEYS_RULE)
      .default(0)
      .describe('Keys that the adversary makes before the epoch.'),
    [SALT]: z.enum(SALTS).default('none').describe('What the salt of the epoch changes.'),
    [BITS]: z
      .int(BITS_RULE)
      .min(0, BITS_RULE)
      .max(BITS_MAX, BITS_RULE)
      .default(0)
      .describe('Bits of the static puzzle.'),
  }),
  needs: [],
  parameters: {
    honest: range(16, 100).describe('Smallest and largest number of honest nodes.'),
    c1: range(12, 20).describe('Fewest and most bits of the static puzzle.'),
    windowKeys: range(1, 12).describe('Fewest and most keys with c1 bits that a window allows.'),
    attack: z
      .number()
      .min(0.75)
      .max(0.85)
      .describe('Probability to lead that the stockpile must reach.'),
    defence: z.number().gt(0).lt(1).describe('Probability to lead that the salt must reach.'),
  },
  criteria: {
    attack: {
      weight: 1,
      meaning: 'Without a salt the stockpile leads often enough, and hardly a smaller one does.',
    },
    defence: {
      weight: 2,
      meaning: 'Under the salt the same adversary leads rarely, and fewer bits would not suffice.',
    },
  },
  task({ honest: nodes, c1: bits, windowKeys, ...bounds }, { seed }): Task {
    const random = createRandom(seed('stockpile'));
    const [honest, c1] = [drawn(random, nodes), drawn(random, bits)];
    const windowAttempts = drawn(random, windowKeys) * 2 ** c1;
    const batchKeys = BATCH_KEYS_MIN + 1 + 2 * random.below(BATCH_KEYS_MIN / 2);
    const needed = (honest * bounds.attack * 2 ** c1) / (1 - bounds.attack);
    const stockpileMax = Math.floor(SPARE_FACTOR * needed);
    const model = { honest, c1, windowAttempts, batchKeys, stockpileMax, ...bounds };
    return { ...model, fewest: () => fewestIn(model) };
  },
  given: ({ fewest: _fewest, ...task }) => ({
    ...task,
    chosen: [STOCKPILE, SALT, BITS],
    model: documentOf(task, { stockpile: 0, salt: 'none', bits: task.c1 }),
  }),
  judge(task, { settings: { [STOCKPILE]: stockpile, [SALT]: salt, [BITS]: bits } }) {
    const attack = missingAttack(task, stockpile);
    // The largest values win nothing: a defence is judged against the stockpile that was asked for.
    if (attack !== null) return { attack, defence: 'first choose the right stockpile' };
    return { attack, defence: missingDefence(task, { stockpile, salt, bits }) };
  },
  isOf: (task, { settings }) => missingAttack(task, settings[STOCKPILE]) === null,
});

interface Choice {
  readonly stockpile: number;
  readonly salt: (typeof SALTS)[number];
  readonly bits: number;
}

/** The exact probability that the adversary leads the last epoch. */
function leadsWith(task: Drawn, choice: Choice): number {
  const model: ThreatModel = threatModelSchema.parse(documentOf(task, choice));
  const { probability, formula } = theoryOf(model, EMPTY_TALLY, null);
  if (probability === null) throw new TypeError(`"model" expected a closed form, got ${formula}`);
  return probability;
}

/** The threat model as a document. */
function documentOf({ honest, windowAttempts, defence }: Drawn, { stockpile, salt, bits }: Choice) {
  return {
    id: 'stockpile',
    title: 'Keys in stock before an epoch',
    assumes: `${honest} honest nodes register in each of ${EPOCHS} epochs with one identity each.`,
    can: 'The adversary makes keys before the first epoch, and tests more in each window.',
    cannot: 'It cannot know a salt before the window of its epoch opens.',
    wants: 'The highest rank of the last epoch.',
    outcome: 'The question of the exercise.',
    work: 'sampled',
    runs: 1000,
    network: { honest, identity: { c1: bits } },
    epochs: { count: EPOCHS, salt, lifetime: 1 },
    // A threat model has a stockpile of at least one key, or none.
    adversaries: {
      main: { ...(stockpile !== 0 && { stockpile }), budget: { attempts: windowAttempts } },
    },
    expect: {
      property: 'adversary-leads',
      comparison: 'at-most',
      probability: defence,
      confidence: 0.95,
    },
  };
}

/** The smallest choices that suffice. Both probabilities are monotone. */
function fewestIn(task: Drawn): ReturnType<Task['fewest']> {
  const { batchKeys, stockpileMax, c1, attack, defence } = task;
  const leads = (count: number) =>
    leadsWith(task, { stockpile: count * batchKeys, salt: 'none', bits: c1 }) >= attack;
  const batches = firstInteger(leads, { from: 0, to: Math.floor(stockpileMax / batchKeys) });
  const stockpile = batches * batchKeys;
  const isHeld = (count: number) =>
    leadsWith(task, { stockpile, salt: 'both', bits: count }) <= defence;
  const bits = firstInteger(isHeld, { from: 0, to: BITS_MAX });
  return { batches, bits };
}

function missingAttack(task: Task, stockpile: number): string | null {
  const { attack, c1, batchKeys, stockpileMax, fewest } = task;
  if (stockpile > stockpileMax) return `a stockpile has at most ${stockpileMax} keys`;
  if (stockpile % batchKeys !== 0) return `a stockpile is a multiple of ${batchKeys} keys`;
  const bare = leadsWith(task, { stockpile, salt: 'none', bits: c1 });
  if (bare < attack) {
    return `without a salt this stockpile leads with probability ${bare.toPrecision(3)}, and at least ${attack} is required: compare the expected number of its identities with the honest ones`;
  }
  const batches = stockpile / batchKeys;
  if (batches <= fewest().batches * (1 + TOLERANCE)) return null;
  return `without a salt ${batches} batches lead with probability ${bare.toPrecision(3)}, and fewer suffice for ${attack}: compute the fewest`;
}

function missingDefence(task: Task, { stockpile, salt, bits }: Choice): string | null {
  const { defence, fewest } = task;
  const salted = leadsWith(task, { stockpile, salt, bits });
  if (salted > defence) {
    const why =
      salt === 'both'
        ? 'the window alone gives it so many identities: more bits are needed'
        : `with the salt ${salt} a part of its preparation keeps its value`;
    return `it still leads with probability ${salted.toPrecision(3)}, and at most ${defence} is allowed: ${why}`;
  }
  if (bits <= fewest().bits) return null;
  return `honest nodes join too slowly: each bit doubles their work, and fewer bits suffice for ${defence}`;
}
