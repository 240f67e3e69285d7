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
import { theoryOf } from '../../../experiment/verdict/theory.ts';
import { createRandom } from '../../../random.ts';
import type { SubmissionOf } from '../../submission.ts';
import { defineGoal } from '../goal.ts';

type Settings = SubmissionOf<'settings'>['settings'];

const STOCKPILE = 'adversaries.main.stockpile';
const SALT = 'epochs.salt';
const BITS = 'network.identity.c1';
const CHOSEN: readonly string[] = [STOCKPILE, SALT, BITS];

const SALTS = ['none', 'puzzle', 'rank', 'both'] as const;
const BITS_MAX = 40;
/** The largest stockpile over the one whose expected number of identities just suffices. */
const SPARE_FACTOR = 1.15;
/** Odd numbers in which none divides another. The spare keys of the smallest task have room for one batch. */
const BATCH_KEYS_MIN = 4096;
const range = (low: number, high: number) =>
  z.tuple([z.int().min(low).max(high), z.int().min(low).max(high)]);
const EPOCHS = 5;

interface Task {
  readonly honest: number;
  readonly c1: number;
  /** Keys that the adversary can test in the window of an epoch. */
  readonly windowAttempts: number;
  /** A stockpile is a multiple of this, so that it belongs to one student. */
  readonly batchKeys: number;
  readonly stockpileMax: number;
  /** The adversary must lead with this probability without a salt. */
  readonly attack: number;
  /** It may lead with this probability under the chosen salt. */
  readonly defence: number;
  /** Bits that an honest node can afford. */
  readonly bitsMax: number;
}

export const SALTED_STOCKPILE = defineGoal({
  name: 'salted-stockpile',
  summary:
    'Choose a stockpile with which an adversary leads an epoch, and the salt and the difficulty that stop it.',
  submission: 'settings',
  needs: [],
  parameters: {
    honest: range(16, 100).describe('Smallest and largest number of honest nodes.'),
    c1: range(12, 20).describe('Fewest and most bits of the static puzzle.'),
    windowKeys: z.int().min(1).max(64).describe('Keys with c1 bits that a window allows.'),
    attack: z
      .number()
      .min(0.75)
      .max(0.85)
      .describe('Probability to lead that the stockpile must reach.'),
    defence: z.number().gt(0).lt(1).describe('Probability to lead that the salt must reach.'),
    bitsMore: z.int().min(0).max(10).describe('Bits more than c1 that honest nodes can afford.'),
  },
  criteria: {
    attack: { weight: 1, meaning: 'Without a salt the stockpile leads with high probability.' },
    defence: { weight: 2, meaning: 'Under the salt the same adversary leads rarely.' },
  },
  task({ honest: nodes, c1: bits, windowKeys, bitsMore, ...bounds }, { seed }): Task {
    const random = createRandom(seed('stockpile'));
    const draw = ([low, high]: readonly [number, number]) => low + random.below(high - low + 1);
    const [honest, c1] = [draw(nodes), draw(bits)];
    const batchKeys = BATCH_KEYS_MIN + 1 + 2 * random.below(BATCH_KEYS_MIN / 2);
    const needed = (honest * bounds.attack * 2 ** c1) / (1 - bounds.attack);
    const stockpileMax = Math.floor(SPARE_FACTOR * needed);
    const windowAttempts = windowKeys * 2 ** c1;
    const bitsMax = c1 + bitsMore;
    return { honest, c1, windowAttempts, batchKeys, stockpileMax, bitsMax, ...bounds };
  },
  given: (task) => ({
    ...task,
    chosen: [...CHOSEN],
    model: documentOf(task, { stockpile: 0, salt: 'none', bits: task.c1 }),
  }),
  judge(task, { settings }) {
    const refused = refusedIn(task, settings);
    if (refused !== null) return { attack: refused, defence: refused };
    const { [STOCKPILE]: stockpile = 0, [SALT]: salt = 'none', [BITS]: bits = task.c1 } = settings;
    const bare = leadsWith(task, { stockpile, salt: 'none', bits: task.c1 });
    const salted = leadsWith(task, { stockpile, salt, bits });
    return {
      attack: bare >= task.attack ? null : missingAttack(task, bare),
      defence: missingDefence(task, { bare, salted, salt: String(salt) }),
    };
  },
  isOf(task, { settings }) {
    const stockpile = Number(settings[STOCKPILE] ?? 0);
    return refusedIn(task, settings) === null && stockpile * SPARE_FACTOR ** 2 >= task.stockpileMax;
  },
});

/** A member that the student may not choose, or a value that it cannot have; null if there is none. */
function refusedIn(task: Task, settings: Settings): string | null {
  const other = Object.keys(settings).find((path) => !CHOSEN.includes(path));
  if (other !== undefined) {
    return `${other} is not yours to choose: the server uses its own model, with your ${CHOSEN.join(', ')}`;
  }
  const isWhole = (value: unknown, max: number) =>
    value === undefined || z.int().min(0).max(max).safeParse(value).success;
  const { [STOCKPILE]: stockpile, [SALT]: salt, [BITS]: bits } = settings;
  if (!isWhole(stockpile, Number.MAX_SAFE_INTEGER))
    return `${STOCKPILE} must be a whole number of keys`;
  if (!isWhole(bits, BITS_MAX)) return `${BITS} must be a whole number of bits`;
  if (salt !== undefined && !SALTS.some((name) => name === salt)) {
    return `${SALT} must be one of ${SALTS.join(', ')}`;
  }
  if (Number(stockpile ?? 0) > task.stockpileMax) {
    return `a stockpile has at most ${task.stockpileMax} keys`;
  }
  if (Number(stockpile ?? 0) % task.batchKeys !== 0) {
    return `a stockpile is a multiple of ${task.batchKeys} keys`;
  }
  if (Number(bits ?? task.c1) <= task.bitsMax) return null;
  return `honest nodes can afford at most ${task.bitsMax} bits in a window`;
}

interface Choice {
  readonly stockpile: Settings[string];
  readonly salt: Settings[string];
  readonly bits: Settings[string];
}

/** The exact probability that the adversary leads the last epoch. */
function leadsWith(task: Task, choice: Choice): number {
  const model: ThreatModel = threatModelSchema.parse(documentOf(task, choice));
  const { probability, formula } = theoryOf(model, EMPTY_TALLY, null);
  if (probability === null) throw new TypeError(`"model" expected a closed form, got ${formula}`);
  return probability;
}

/** The threat model as a document. */
function documentOf({ honest, windowAttempts, defence }: Task, { stockpile, salt, bits }: Choice) {
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
      ...{ property: 'adversary-leads', comparison: 'at-most' },
      ...{ probability: defence, confidence: 0.95 },
    },
  };
}

function missingAttack({ attack }: Task, bare: number): string {
  return `without a salt this stockpile leads with probability ${bare.toPrecision(3)}, and at least ${attack} is required: compare the expected number of its identities with the honest ones`;
}

function missingDefence(
  { attack, defence }: Task,
  { bare, salted, salt }: { readonly bare: number; readonly salted: number; readonly salt: string },
): string | null {
  if (bare < attack) return 'first choose a stockpile that leads without a salt';
  if (salted <= defence) return null;
  const why =
    salt === 'both'
      ? 'the window alone gives it so many identities: which difficulty can honest nodes still afford?'
      : `with the salt ${salt} a part of its preparation keeps its value`;
  return `it still leads with probability ${salted.toPrecision(3)}, and at most ${defence} is allowed: ${why}`;
}
