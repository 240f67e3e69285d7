/**
 * @module
 * The rows of a comparison and the cells of its sweep. Rows whose defences act alike share their cells. Runs
 * that are too large have no cell, and a closed form instead.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { winProbability } from '../../mining/odds.ts';
import { realBits } from '../../mining/policy-cost.ts';
import { COMPARISON_AXES } from '../charts/data.ts';
import { BUDGET_SECONDS_MAX, WATCHED_NODES_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { runKindOf } from '../document/threat-model.ts';
import type { Setting } from '../reading/settings.ts';
import { applySettings, settingOf } from '../reading/settings.ts';
import { budgetAttempts } from '../runs/budget.ts';
import { registrantOf } from '../runs/registration.ts';
import { EMPTY_TALLY } from '../runs/tally.ts';
import type { Axis } from '../sweep/grid.ts';
import type { ListedCell, SweepOutline } from '../sweep/plan.ts';
import { topProbability } from '../theory/closed-forms.ts';
import { theoryOf } from '../verdict/theory.ts';
import { actingDefences, defenceSettings, isMemoryHard } from './defences.ts';
import type { CompareQuestion, Reference } from './question.ts';
import { referenceOf } from './question.ts';
import type { DefenceSet } from './sets.ts';
import { setName } from './sets.ts';

/** One point of a row. */
export interface PlannedPoint {
  readonly advantage: number;
  /** Attempts and expected identities of the adversary. */
  readonly attempts: number;
  readonly identities: number;
  /** Index of its cell in the sweep. Null if its runs are too large. */
  readonly cell: number | null;
  /** The closed form, if the cell does not have it: see `equalShare`. Otherwise null. */
  readonly theory: number | null;
}

export interface PlannedRow {
  readonly protocol: ProtocolName;
  readonly defences: DefenceSet;
  /** The defences that can change the outcome. */
  readonly acting: DefenceSet;
  /** At advantage 1, with all defences. */
  readonly model: ThreatModel;
  readonly points: readonly PlannedPoint[];
}

/** Defences that a protocol or the document refuses. */
export interface RefusedRow {
  readonly protocol: ProtocolName;
  readonly defences: DefenceSet;
  readonly reason: string;
}

export interface ComparisonPlan {
  readonly reference: Reference;
  readonly question: CompareQuestion;
  readonly rows: readonly PlannedRow[];
  readonly refused: readonly RefusedRow[];
  readonly outline: SweepOutline;
}

/** Plans all rows. Throws LabError `arguments` for a document that cannot be compared, or if all are refused. */
export function planComparison(
  document: ThreatModel,
  question: CompareQuestion,
  runs: number,
): ComparisonPlan {
  const reference = referenceOf(document, question);
  const cells = new Map<string, ListedCell>();
  const rows: PlannedRow[] = [];
  const refused: RefusedRow[] = [];
  for (const protocol of question.protocols) {
    for (const defences of question.sets) {
      // The reason is that of the member alone.
      if (defences.length > 1 && isRefusedAlone(refused, protocol, defences)) continue;
      try {
        rows.push(planRow({ reference, question, cells }, protocol, defences));
      } catch (error) {
        if (!(error instanceof LabError)) throw error;
        refused.push({ protocol, defences, reason: plainReason(error.message) });
      }
    }
  }
  const [first] = refused;
  if (rows.length === 0) {
    throw new LabError('arguments', `compare: all rows are refused; the first: ${first?.reason}`);
  }
  const listed = [...cells.values()];
  // Rows without runs are values too, so that charts show their closed forms.
  const values = [
    [...new Set(rows.map(({ protocol }) => `[${protocol}]`))],
    [...new Set(rows.map(({ acting }) => setName(acting)))],
    question.advantages,
  ];
  const axes = Object.values(COMPARISON_AXES).map((path, index): Axis => {
    return { path, values: values[index] ?? [] };
  });
  const size = { sample: null, gridCells: listed.length, cells: listed.length };
  return {
    reference,
    question,
    rows,
    refused,
    outline: { axes, listed, settings: question.settings, runs, ...size },
  };
}

function isRefusedAlone(
  refused: readonly RefusedRow[],
  protocol: ProtocolName,
  defences: DefenceSet,
): boolean {
  return refused.some(
    ({ protocol: own, defences: [first, ...others] }) =>
      own === protocol && others.length === 0 && first !== undefined && defences.includes(first),
  );
}

/** The reason of a refusal without its place, which is not in the user's document. */
function plainReason(message: string): string {
  const [line = ''] = message.split('\n');
  return line
    .replace(/^setting .*?: (?=[a-z]+\.[a-z]+|there is|must|do not)/, '')
    .replace(/^network\.election\.defences do not fit: /, '')
    .replace(/; (those that fit are|none fits).*$/, '');
}

interface Planning {
  readonly reference: Reference;
  readonly question: CompareQuestion;
  readonly cells: Map<string, ListedCell>;
}

function planRow(
  { reference, question, cells }: Planning,
  protocol: ProtocolName,
  defences: DefenceSet,
): PlannedRow {
  const { model } = reference;
  const whole = [
    settingOf(COMPARISON_AXES.protocol, `[${protocol}]`),
    ...defenceSettings(reference, question, { protocol, defences }),
    ...watchedSettings(reference, protocol),
  ];
  const stated = applySettings(model, whole);
  const acting = actingDefences(model, defences);
  const settings = [
    settingOf(COMPARISON_AXES.protocol, `[${protocol}]`),
    ...defenceSettings(reference, question, { protocol, defences: acting }),
    ...watchedSettings(reference, protocol),
  ];
  const points = question.advantages.map((advantage): PlannedPoint => {
    const own = [...settings, ...budgetSettings(reference, question, { advantage, defences })];
    const at = applySettings(model, own);
    const law = lawOf(at, reference.adversary);
    const isLarge = isTooLarge(at, law.identities);
    const theory =
      isLarge && at.epochs !== undefined ? epochsTheory(at) : equalShare(at, protocol, law);
    if (isLarge) return { advantage, ...law, cell: null, theory };
    const values = [`[${protocol}]`, setName(acting), advantage];
    const key = values.join(' ');
    if (!cells.has(key)) cells.set(key, { values, settings: own });
    return { advantage, ...law, cell: [...cells.keys()].indexOf(key), theory };
  });
  return { protocol, defences, acting, model: stated, points };
}

/** Attempts of the adversary and the identities that they find on average. */
function lawOf(model: ThreatModel, name: string) {
  const adversary = model.adversaries[name];
  if (adversary === undefined) throw new RangeError(`"name" expected an adversary, got ${name}`);
  const attempts = budgetAttempts(model, adversary, null);
  const identities = attempts * winProbability(model.network.identity, { type: 'any' });
  return { attempts, identities };
}

/** The budget at an advantage. A memory-hard function leaves the number of machines. */
function budgetSettings(
  { adversary, budget, keyRate }: Reference,
  { machines, hardRate }: Pick<CompareQuestion, 'machines' | 'hardRate'>,
  at: { readonly advantage: number; readonly defences: DefenceSet },
): readonly Setting[] {
  const { advantage, defences } = at;
  const isHard = isMemoryHard(defences);
  const factor = isHard ? Math.min(machines ?? advantage, advantage) : advantage;
  // The function takes the speed of a machine away from evaluations, not from keys.
  const keys = ((keyRate ?? 0) * advantage) / factor;
  const isFiltered = isHard && !defences.includes('memory-hard-id') && keys > hardRate;
  const own = isFiltered ? [settingOf(`adversaries.${adversary}.keyRate`, keys)] : [];
  const bounds = Object.entries(budget).flatMap(([member, bound]) => {
    if (bound === undefined) return [];
    const isCount = member === 'attempts' || member === 'hashes';
    const value = isCount ? Math.round(bound * factor) : bound * factor;
    if (!isCount && value > BUDGET_SECONDS_MAX) {
      const detail = `an advantage of ${advantage} is a budget of ${value} s; at most ${BUDGET_SECONDS_MAX} s are possible`;
      throw new LabError('arguments', detail);
    }
    return [settingOf(`adversaries.${adversary}.budget.${member}`, value)];
  });
  return [...own, ...bounds];
}

/** Ticks in which a protocol without ranks elects its first leader, with time to spare. */
const WATCHED_TICKS = 400;

/**
 * If ranks have no meaning, the election itself must be watched, for the time of its first leader. Each identity
 * is one more candidate then, so that an adversary which follows the protocol registers all of them.
 */
function watchedSettings({ model, adversary }: Reference, protocol: ProtocolName) {
  const { elects, isRanked } = PROTOCOLS[protocol];
  if (elects !== 'any') return [];
  const own = model.adversaries[adversary];
  return [
    ...(model.network.election.ticks === undefined
      ? [settingOf('network.election.ticks', WATCHED_TICKS)]
      : []),
    ...(isRanked || own?.goal !== undefined
      ? []
      : [settingOf(`adversaries.${adversary}.goal`, 'all')]),
  ];
}

/** Standard deviations above the mean that a run must be able to have. */
const SPREAD = 5;

/** Identities from which the closed form stands for the runs of epochs, which sort all of them. */
const CLAIMS_MAX = 10_000;

function isTooLarge(model: ThreatModel, identities: number): boolean {
  if (model.epochs !== undefined) return identities > CLAIMS_MAX;
  const registersAll = Object.values(model.adversaries).some(({ goal }) => goal === 'all');
  if (runKindOf(model) !== 'watched' || !registersAll || isRefused(model)) return false;
  return model.network.honest + identities + SPREAD * Math.sqrt(identities) > WATCHED_NODES_MAX;
}

/** Whether all identities of adversaries are refused. An open time of registration is before it closes. */
function isRefused(model: ThreatModel): boolean {
  return Object.values(model.adversaries).every(
    (each) => each.registers === 'after' && registrantOf(model, each)?.most === 0,
  );
}

function epochsTheory(model: ThreatModel): number | null {
  return theoryOf(model, EMPTY_TALLY, null).probability;
}

/**
 * P(the adversary leads) where ranks have no meaning and all nodes follow the protocol: every identity is elected
 * with the same probability, so that it is E[K/(n+K)], the share of its identities. It is 0 if all are refused.
 */
function equalShare(
  model: ThreatModel,
  protocol: ProtocolName,
  { attempts }: { readonly attempts: number },
): number | null {
  const { elects, isRanked } = PROTOCOLS[protocol];
  const { adversaries, expect, network } = model;
  const isSymmetric =
    elects === 'any' &&
    !isRanked &&
    expect.property === 'adversary-leads' &&
    actingDefences(model, ['signatures']).length === 0 &&
    Object.values(adversaries).every(({ goal, identities }) => goal === 'all' && identities === 0);
  if (!isSymmetric) return null;
  if (isRefused(model)) return 0;
  const { c1 } = realBits(network.identity);
  return topProbability({ honest: network.honest, attempts, difficultyBits: c1 });
}
