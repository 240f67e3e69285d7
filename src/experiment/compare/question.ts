/**
 * @module
 * This folder compares defences: their effect on the probability of a threat model's property, beside the cost
 * for honest nodes and the nodes that they exclude. A comparison is a sweep whose cells are listed (outline.ts)
 * and arranged as rows (comparison.ts). This file is the question. Its unit is the budget of the document,
 * which is taken as the work of one honest node before it must have joined.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { HARD_RATE } from '../design/request.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, mayForge } from '../document/threat-model.ts';
import type { Setting } from '../reading/settings.ts';
import { applySettings } from '../reading/settings.ts';
import { budgetAttempts, isTimed, keyRateOf } from '../runs/budget.ts';
import type { ComparedDefence } from './names.ts';

/** What a question has by default. Without a model: one protocol of each family, where only work decides. */
export const COMPARISON_DEFAULTS: {
  readonly model: string;
  readonly protocols: readonly ProtocolName[];
  readonly advantages: readonly number[];
  readonly hardRate: number;
} = {
  model: 'cpu-advantage',
  protocols: ['bully-oneshot', 'cr-join', 'raft'],
  advantages: [1, 10, 100, 1000],
  hardRate: HARD_RATE,
};

/** Largest advantage. */
export const ADVANTAGE_MAX = 1e9;

/** A question with every default filled in. */
export interface CompareQuestion {
  /** Settings of the document for all cells. */
  readonly settings: readonly Setting[];
  readonly protocols: readonly ProtocolName[];
  /** Sets of defences in the order of the rows. An empty set is the document without further defences. */
  readonly sets: readonly (readonly ComparedDefence[])[];
  /** Budgets of the adversary, as multiples of the work of one honest node. */
  readonly advantages: readonly number[];
  /** The part of an advantage that is the number of machines. By default it is the whole advantage. */
  readonly machines: number | null;
  /** Candidates per second of an honest node under a memory-hard function. */
  readonly hardRate: number;
}

/** The work of one honest node, and the adversary that has a multiple of it. */
export interface Reference {
  /** The document with the settings of the question. */
  readonly model: ThreatModel;
  readonly adversary: string;
  readonly budget: Adversary['budget'];
  /** Candidates that an honest node tests before it must have joined. */
  readonly attempts: number;
  /** The same in seconds. Null if the document states no seconds. */
  readonly seconds: number | null;
  /** Keys that it makes in a second if it hashes no puzzle. Null if the document states no seconds. */
  readonly keyRate: number | null;
}

/** Throws LabError `arguments` for a document that has no such adversary. */
export function referenceOf(
  document: ThreatModel,
  { settings }: Pick<CompareQuestion, 'settings'>,
): Reference {
  const model = applySettings(document, settings);
  const [first, ...others] = adversariesOf(model).filter(([, adversary]) => mayForge(adversary));
  if (first === undefined || others.length > 0) {
    const count = first === undefined ? 'none' : String(1 + others.length);
    throw refusal(
      `the document must have one adversary with a budget, because its budget is the unit of an advantage; it has ${count}`,
    );
  }
  if (model.work !== 'sampled') {
    throw refusal('the document must have work: sampled; add --set work=sampled');
  }
  if (model.epochs !== undefined) {
    throw refusal('the document must have no epochs, because defences add them');
  }
  const [name, adversary] = first;
  if (isTimed(adversary.budget) && typeof adversary.rate !== 'number') {
    throw refusal(
      `the adversary needs a stated rate, such as --set adversaries.${name}.rate=8e6, which is also that of an honest node`,
    );
  }
  const { budget } = adversary;
  const attempts = budgetAttempts(model, adversary, null);
  const bounds = [budget.cpuSeconds, budget.wallSeconds].filter((bound) => bound !== undefined);
  const seconds = bounds.length === 0 ? null : Math.min(...bounds);
  const keyRate = seconds === null ? null : keyRateOf(model, adversary);
  return { model, adversary: name, budget, attempts, seconds, keyRate };
}

function refusal(detail: string): LabError {
  return new LabError('arguments', `compare: ${detail}`);
}
