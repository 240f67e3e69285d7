/**
 * @module
 * The operation `compare`: defences, protocols and advantages of the adversary in one table, with the probability of
 * the property, the cost for honest nodes, and the nodes that are excluded.
 */

import { PROTOCOL_NAMES } from '../election/registry.ts';
import type { RowCost } from '../experiment/compare/comparison.ts';
import { finishedRows, rowCosts } from '../experiment/compare/comparison.ts';
import { planComparison } from '../experiment/compare/outline.ts';
import type { CompareQuestion } from '../experiment/compare/question.ts';
import { ADVANTAGE_MAX, COMPARISON_DEFAULTS, referenceOf } from '../experiment/compare/question.ts';
import { allSets, NO_DEFENCE, readSets } from '../experiment/compare/sets.ts';
import {
  bareForms,
  COMPARED_COLUMNS,
  comparedLines,
  comparisonExtras,
} from '../experiment/compare/tables.ts';
import { RATE_MAX, REMOTE_CELLS_MAX, REMOTE_ROWS_MAX } from '../experiment/document/limits.ts';
import { readSetting } from '../experiment/reading/settings.ts';
import {
  compareBlocks,
  compareOutput,
  comparePage,
  comparePicture,
  sentenceOf,
} from './compare-report.ts';
import { assertMachines, MACHINES } from './design.ts';
import type { InputOf } from './member.ts';
import { amount, amounts, choices, SEED, texts, toggle } from './member.ts';
import { CELL_RUNS, SET, threatModel } from './model.ts';
import { defineOperation, inMember, memberFault, replayOf } from './operation.ts';

const FACTOR = { kind: 'number', bounds: { above: 0, max: ADVANTAGE_MAX } } as const;

const MEMBERS = {
  threatModel: threatModel({
    example: 'late-joiner',
    initial: COMPARISON_DEFAULTS.model,
  }),
  defences: texts(
    { most: 200, separator: ',', read: readSets },
    {
      label: 'Defences',
      meaning: 'Sets of defences, such as none,beacon-rank,beacon-rank+proof-of-work',
      example: 'none,beacon-rank,beacon-rank+proof-of-work',
      otherwise: `${NO_DEFENCE} and each alone`,
    },
  ),
  pairs: toggle({
    label: 'Every pair of defences as well',
    meaning: 'Compare every pair of defences as well',
    example: '',
    initial: false,
  }),
  protocols: choices(PROTOCOL_NAMES, {
    label: 'Protocols',
    meaning: 'Protocols of the elections',
    example: 'cr-join,raft',
    otherwise: `those of the model; of ${COMPARISON_DEFAULTS.model}, ${COMPARISON_DEFAULTS.protocols.join(', ')}`,
  }),
  advantage: amounts({
    ...FACTOR,
    most: 64,
    slider: [-1, 6],
    label: 'Advantages of the adversary',
    meaning: 'Budgets of the adversary, as multiples of the budget in the model',
    example: '1,10,1e3',
    initial: [...COMPARISON_DEFAULTS.advantages],
  }),
  machines: MACHINES,
  hardRate: amount({
    kind: 'number',
    bounds: { above: 0, max: RATE_MAX },
    slider: [0, 6],
    label: 'Memory-hard rate',
    meaning: 'Candidates per second of an honest node under the memory-hard function',
    example: '20',
    isFurther: true,
    initial: COMPARISON_DEFAULTS.hardRate,
  }),
  set: SET,
  runs: CELL_RUNS,
  seed: SEED,
};

const VERB = { name: 'compare', members: MEMBERS } as const;

type CompareInput = InputOf<typeof MEMBERS>;

export const COMPARE = defineOperation({
  ...VERB,
  collection: 'defence-comparisons',
  title: 'Defences',
  summary: 'compare defences: the attack, the cost for honest nodes, and who is excluded',
  description: `The table shows how often the property of a threat model occurs with each set of defences, what honest nodes pay, and which of them are excluded.
An advantage of 1 is the budget in the model: the work of one honest node before it must have joined. The same command with the same --out continues an interrupted comparison.`,
  output: compareOutput,
  answersWhileTyping: false,
  measuresTime: false,
  check(input, isRemote) {
    const { defences, pairs } = input;
    if (defences !== undefined && pairs) {
      throw memberFault('schema', 'pairs', 'has no meaning beside defences, which names all sets');
    }
    assertMachines(input);
    const question = inMember('defences', () => questionOf(input));
    const { model } = inMember('threatModel', () => referenceOf(input.threatModel.model, question));
    if (isRemote) assertSize(question, input.runs ?? model.runs);
  },
  atOnce: () => null,
  async run(input, { threads, signal, onProgress, machine, seedFor }) {
    const { name, model } = input.threatModel;
    const question = questionOf(input);
    const plan = planComparison(model, question, input.runs ?? model.runs);
    const total = plan.rows.length;
    const { runs } = plan.outline;
    const seed = seedFor(input.seed);
    const replay = replayOf(VERB, { ...input, protocols: [...question.protocols], runs, seed });
    const costs: RowCost[] = [];
    for (const cost of rowCosts(plan)) {
      costs.push(cost);
      onProgress({ now: 'rows with their honest costs', done: costs.length, total });
      await machine.pause();
      if (signal.aborted) break;
    }
    const { refused } = plan;
    const shown = sentenceOf(plan);
    const rowsShown = plan.rows.flatMap((row, index) => {
      const cost = costs[index];
      return cost === undefined ? [] : [{ ...row, ...cost }];
    });
    const closedForms = bareForms(plan);
    const comparison = comparisonExtras({
      ...shown,
      ...question,
      rows: rowsShown,
      refused,
      closedForms,
    });
    const asked = { name, model, outline: plan.outline, seed, replay, comparison };
    const cells =
      costs.length < total ? [] : await machine.sweep(asked, { threads, signal, onProgress });
    const rows = finishedRows(plan, costs, cells);
    if (rows.length === 0) return null;
    const { reference } = plan;
    const { property, confidence, probability } = reference.model.expect;
    return {
      threatModel: name,
      title: model.title,
      seed,
      codeVersion: machine.codeVersion(),
      complete: rows.length === total,
      runs,
      property,
      confidence,
      machines: question.machines,
      hardRate: question.hardRate,
      honest: reference.model.network.honest,
      reference: { attempts: reference.attempts, seconds: reference.seconds },
      advantages: question.advantages,
      rows,
      refused,
      bound: probability,
      ...shown,
      replay,
    };
  },
  outcomeOf: () => 'holds',
  outcomes: { holds: 'the table is complete', violated: null, unknown: null },
  report: compareBlocks,
  picture: comparePicture,
  table: ({ rows }) => ({ columns: COMPARED_COLUMNS, rows: comparedLines(rows) }),
  has: { picture: true, table: true, files: true, page: comparePage },
  examples: [
    {
      threatModel: 'late-joiner',
      defences: 'none,frozen-membership',
      protocols: 'bully-oneshot',
      advantage: '1,2',
      runs: '5',
      seed: '1',
    },
    {},
    { defences: 'none,proof-of-work,memory-hard', advantage: '1,10,100', machines: '1' },
    { threatModel: 'late-joiner', pairs: true, advantage: '1,2', runs: '40' },
  ],
});

function questionOf(input: CompareInput): CompareQuestion {
  const { name, model } = input.threatModel;
  const usual =
    name === COMPARISON_DEFAULTS.model
      ? COMPARISON_DEFAULTS.protocols
      : model.network.election.protocols;
  return {
    settings: input.set.map(readSetting),
    protocols: input.protocols ?? usual,
    sets: input.defences === undefined ? allSets(input.pairs) : readSets(input.defences.join(',')),
    advantages: input.advantage,
    machines: input.machines ?? null,
    hardRate: input.hardRate,
  };
}

/** Throws LabError `job.size` above the limits of a remote request. */
function assertSize({ protocols, sets, advantages }: CompareQuestion, runs: number): void {
  const cells = protocols.length * sets.length * advantages.length;
  if (cells > REMOTE_CELLS_MAX) {
    const detail = `at most ${REMOTE_CELLS_MAX} cells in one request; ${protocols.length} protocols, ${sets.length} sets and ${advantages.length} advantages have ${cells}`;
    throw memberFault('job.size', 'advantage', detail);
  }
  if (cells * runs > REMOTE_ROWS_MAX) {
    const detail = `at most ${REMOTE_ROWS_MAX} runs in one request; ${cells} cells of ${runs} runs have ${cells * runs}`;
    throw memberFault('job.size', 'runs', detail);
  }
}
