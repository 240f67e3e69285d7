/**
 * @module
 * What an experiment answers: the verdict first, for each protocol the measured frequency with its
 * interval, the closed form beside it, what was spent, and the command that replays it.
 */

import { z } from 'zod';
import { ledgerSchema } from '../../mining/ledger.ts';
import type { Seed } from '../../random.ts';
import { SAVED_RUN_FORMAT } from '../../simulation/report/saved-run.ts';
import { honestCost, honestCostSchema } from '../cost/honest-cost.ts';
import type { SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, modelFor } from '../document/threat-model.ts';
import { shellWord } from '../reading/shell-word.ts';
import {
  newcomersRemark,
  responseReport,
  responseSchema,
  searchedSettings,
  unsearchedRemark,
} from '../response/report.ts';
import { isTimed, pinnedBudget, rateOf } from '../runs/budget.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import { protocolGroupsOf } from '../runs/protocol-groups.ts';
import { settled } from '../runs/run.ts';
import type { Tally } from '../runs/tally.ts';
import { forgeTally } from '../runs/tally.ts';
import { constantGroups } from '../runs/variation.ts';
import { planOdds, planOddsSchema } from './plan-odds.ts';
import { measuredGroups } from './stopping.ts';
import { theoryOf } from './theory.ts';
import type { DocumentVerdict, Judged } from './verdict.ts';
import {
  budgetText,
  documentVerdict,
  groupVerdict,
  measuredSchema,
  sharedAmong,
  shortPercent,
  verdictSchema,
} from './verdict.ts';
import { spendRates, spendRatesSchema, workRowSchema, workRows } from './work-rows.ts';

/** How the runs were asked for, so that they can be asked for again. */
export interface ReportRequest {
  /** What stood after `usurp run`: a document's id or file. */
  readonly id: string;
  readonly seed: Seed;
  /** Runs asked for, with several looks their maximum; the tally has fewer if it was cut short. */
  readonly runs: number;
  /** The `path=value` settings, already applied to the model. */
  readonly settings: readonly string[];
  /** The measured rate of this machine, as in `Services`. */
  readonly rateMeasured: SearchRates;
  /** Looks at the runs, of `--until-decided`. They make each interval wider. 1 by default. */
  readonly looks?: number | undefined;
}

/** The answer of a tally of at least one run; throws RangeError for an empty one. */
export function report(open: ThreatModel, tally: Tally, request: ReportRequest): RunReport {
  const { rateMeasured, looks = 1 } = request;
  const { model: whole, responses } = settled(open, rateMeasured);
  const model = sharedAmong(whole, looks);
  const protocolGroups = protocolGroupsOf(model);
  const wins = protocolGroups.map((_, group) => tally.wins[group] ?? 0);
  const counts = { runs: tally.runs, wins, constant: tally.runs > 0 ? constantGroups(model) : [] };
  const measured = measuredGroups(model, counts);
  const groups = measured.map((each, group): Judged => {
    return { protocols: protocolGroups[group] ?? [], measured: each };
  });
  const results = groups.map((each, group): GroupResult => {
    const arm = modelFor(model, each.protocols);
    const verdict = groupVerdict(arm, each, groups, rateMeasured);
    const theory = theoryOf(arm, tally, rateMeasured);
    const observations = tally.runs === 1 ? tally.observations?.[group] : undefined;
    return { ...each, verdict, theory, ...(observations === undefined ? {} : { observations }) };
  });
  const verdict = documentVerdict(model, groups, rateMeasured);
  const isShared = verdict.confidence !== null && verdict.confidence !== model.expect.confidence;
  const intervals = isShared ? measured.filter(({ interval }) => interval !== null).length : 1;
  const remarks = [
    newcomersRemark(model),
    unsearchedRemark(verdict.value, model, responses),
    verdict.confidence === null ? null : levelRemark(open, { looks, intervals }),
  ];
  return {
    threatModel: model.id,
    title: model.title,
    verdict: remarks.reduce(withRemark, verdict),
    results,
    budgets: adversariesOf(model).map(
      ([name, adversary]) => `${name}: ${budgetText(model, adversary, rateMeasured)}`,
    ),
    response: responses.map((each) => ({
      ...responseReport(model, each),
      ...(each.plan === undefined ? {} : { plans: planOdds(model, each.adversary, rateMeasured) }),
    })),
    elections: tally.elections,
    ledger: ledgerOf(tally),
    ...workOf(open, tally, rateMeasured),
    honestCost: honestCost(model, rateMeasured),
    replay: replayCommand(model, tally, request, searchedSettings(model, responses)),
  };
}

function withRemark(verdict: DocumentVerdict, remark: string | null): DocumentVerdict {
  return remark === null ? verdict : { ...verdict, sentence: `${verdict.sentence} ${remark}` };
}

/** Why the level of the sentence is not that of the document. Null if it is. */
function levelRemark(model: ThreatModel, shared: Shared): string | null {
  const { looks, intervals } = shared;
  const parts = [
    ...(looks > 1 ? [`${looks} planned looks`] : []),
    ...(intervals > 1 ? [`${intervals} protocols`] : []),
  ];
  if (parts.length === 0) return null;
  return `The level is that of one of ${parts.join(' at ')}, which together have ${shortPercent(model.expect.confidence)} %.`;
}

/** What shares the confidence of a document. */
interface Shared {
  readonly looks: number;
  /** Intervals of groups of protocols that share it. */
  readonly intervals: number;
}

function ledgerOf({ honestLedger, forges }: Tally): RunReport['ledger'] {
  if (honestLedger === null) return null;
  const adversaries = Object.entries(forges).map(([name, { ledger }]) => [name, ledger] as const);
  return { honest: honestLedger, adversaries: Object.fromEntries(adversaries) };
}

function workOf(model: ThreatModel, { epochs, runs }: Tally, rateMeasured: SearchRates) {
  if (epochs === undefined) return {};
  const rows = workRows(model, epochs, { runs, rateMeasured });
  return { workByEpoch: rows, spendRates: spendRates(model, rows) };
}

/**
 * The command that gives the same report again. A response that was searched is fixed, so that the replay
 * searches nothing. A measured rate is replayed as a number. Seconds that
 * were really mined bought different attempts in different runs; they are replayed as the most of any
 * run, which is exact for a single run, and an adversary at least as strong for several.
 */
function replayCommand(
  model: ThreatModel,
  tally: Tally,
  request: ReportRequest,
  responses: readonly string[],
): string {
  const settings = [
    ...request.settings,
    ...responses,
    ...pinnedSettings(model, tally, request.rateMeasured),
  ];
  const words = [
    ['usurp', 'run', request.id],
    ...((request.looks ?? 1) > 1 ? [['--until-decided'], ['--max-runs']] : [['--runs']]),
    [String(request.runs)],
    ['--seed', request.seed],
    ...settings.map((setting) => ['--set', setting]),
  ].flat();
  return words.map(shellWord).join(' ');
}

/** Settings that put a number where the machine decided. */
function pinnedSettings(
  model: ThreatModel,
  tally: Tally,
  rateMeasured: SearchRates,
): readonly string[] {
  return adversariesOf(model).flatMap(([name, adversary]) => {
    if (!isTimed(adversary.budget)) return [];
    if (model.work === 'sampled') {
      if (typeof adversary.rate !== 'string') return [];
      return [`adversaries.${name}.rate=${rateOf(model, adversary, rateMeasured)}`];
    }
    return pinnedBudget(name, adversary.budget, forgeTally(tally, name)?.attemptsMax ?? 0);
  });
}

/** A saved election in a request or in an output. Its other members are checked when it is held again. */
export const savedSchema = z
  .looseObject({
    format: z.literal(SAVED_RUN_FORMAT, `must be ${SAVED_RUN_FORMAT}`),
  })
  .meta({
    id: 'SavedElection',
    description:
      'A saved run in place of all other members but `run`: a file of `usurp elect --save`, or `saved` of an election in the result of a single run. Its seed and its ranks are in it.',
  });

const protocolsSchema = z
  .array(z.string())
  .readonly()
  .describe('Empty if no election was held. Several protocols can share their outcomes.');

const resultSchema = z.object({
  protocols: protocolsSchema,
  verdict: verdictSchema,
  measured: measuredSchema,
  theory: z.object({ probability: z.number().nullable(), formula: z.string() }),
  observations: z
    .partialRecord(z.enum(OBSERVATION_NAMES), z.number())
    .optional()
    .describe('Further observations of a single run.'),
  elections: z
    .array(
      z.object({
        protocol: z.string(),
        until: z
          .union([z.int(), z.literal('idle')])
          .describe('The tick to which the run advanced it, or `idle`.'),
        saved: savedSchema.describe('What holds it again, as `saved` of POST /v1/elections.'),
      }),
    )
    .readonly()
    .optional()
    .describe('The elections of a single run.'),
});

/** The report of the runs of a threat model. */
export const runOutput = z
  .object({
    threatModel: z.string(),
    title: z.string(),
    verdict: verdictSchema
      .extend({ protocols: protocolsSchema })
      .describe(
        'The worst of the results, and the protocols that decide it. With k protocols that have an interval, false takes one at 1 − α/k.',
      ),
    results: z.array(resultSchema).readonly().describe('One for each protocol.'),
    budgets: z.array(z.string()).readonly().describe('The budget of each adversary.'),
    response: z
      .array(
        responseSchema.extend({
          plans: z
            .array(planOddsSchema)
            .readonly()
            .optional()
            .describe('What each plan reaches, with epochs.'),
        }),
      )
      .readonly()
      .describe('How each adversary responds.'),
    elections: z.object({ held: z.int(), messages: z.int() }),
    ledger: z
      .object({ honest: ledgerSchema, adversaries: z.record(z.string(), ledgerSchema) })
      .nullable()
      .describe('What was spent; null if the work is sampled.'),
    workByEpoch: z
      .array(workRowSchema)
      .readonly()
      .optional()
      .describe(
        'Mean work of a run in each epoch, and in all epochs up to it: of all honest nodes together, and of the adversary. Only with epochs.',
      ),
    spendRates: spendRatesSchema.optional(),
    honestCost: honestCostSchema,
    replay: z.string().describe('Command that computes the same report.'),
  })
  .meta({ id: 'RunReport' });

export type RunReport = z.output<typeof runOutput>;

/** The answer for a group of protocols. Runs without elections have one group without a protocol. */
export type GroupResult = RunReport['results'][number];
