/**
 * @module
 * The report of the runs of a threat model: the verdict, the results of the protocols, the response of each adversary,
 * and what was spent.
 */

import { responseText } from '../../experiment/response/report.ts';
import type { PlanOdds } from '../../experiment/verdict/plan-odds.ts';
import type { GroupResult, RunReport } from '../../experiment/verdict/report.ts';
import { shortPercent } from '../../experiment/verdict/verdict.ts';
import { formatPercent, formatSeconds, spendText, workBlocks } from '../figures.ts';
import { costRows } from '../honest-cost.ts';
import type { Block, Report } from '../report.ts';
import { sentenceBlock } from '../report.ts';

type Row = readonly [name: string, text: string];

/** The report as blocks. */
export function runBlocks(answer: RunReport): Report {
  const { verdict, results, elections, ledger, honestCost, workByEpoch } = answer;
  const [first, ...others] = results;
  if (first === undefined) throw new TypeError('"results" expected at least one, got none');
  const isOne = others.length === 0;
  const rows: Row[] = [
    ['verdict', `${verdict.value}: ${verdict.reason}`],
    ...(isOne ? singleRows(first) : []),
    ...theoryRows(results),
    ...answer.response.flatMap((each) => responseRows(each, answer.response.length)),
    ...answer.response.flatMap(({ plans = [] }) => planRows(plans)),
    ['elections', `${elections.held} held, ${elections.messages} messages`],
    ...Object.entries(ledger?.adversaries ?? {}).map(([name, spent]): Row => {
      const { attempts, hashes, cpuSeconds } = spent;
      return [name, `${attempts} attempts, ${hashes} hashes, ${formatSeconds(cpuSeconds)} CPU`];
    }),
    ...results.flatMap(({ protocols, observations }): Row[] => {
      const name = isOne ? 'seen' : `seen with ${protocols.join(', ')}`;
      return observations === undefined ? [] : [[name, seenText(observations)]];
    }),
    ...costRows(honestCost),
    ...(answer.spendRates === undefined
      ? []
      : [['spend rates', spendText(answer.spendRates)] as const]),
  ];
  return [
    sentenceBlock(verdict.sentence, verdict.value),
    ...(isOne ? [] : [protocolTable(results)]),
    { type: 'facts', rows },
    ...(workByEpoch === undefined ? [] : workBlocks(workByEpoch)),
  ];
}

/** What each plan for keys reaches, if they differ. */
function planRows(plans: readonly PlanOdds[]): readonly Row[] {
  const texts = plans.map(({ plan, probability, interval }) => {
    const [low, high] = interval ?? [];
    const range =
      low === undefined || high === undefined
        ? ''
        : ` (95 % interval ${formatPercent(low)} to ${formatPercent(high)})`;
    return `${plan} ${formatPercent(probability)}${range}`;
  });
  const isOne = new Set(plans.map(({ probability }) => probability)).size === 1;
  return isOne || plans.length === 0 ? [] : [['plans', texts.join(', ')]];
}

/** The response of an adversary, and how it was found. */
function responseRows(each: RunReport['response'][number], count: number): readonly Row[] {
  const { adversary, protocols, found, reason, notSearched } = each;
  const to = protocols.length === 0 ? '' : ` to ${protocols.join(', ')}`;
  const head = count === 1 ? 'response' : `response of ${adversary}${to}`;
  const how = found === 'fixed' || found === 'argued' ? reason : `${HOW_FOUND[found]}. ${reason}`;
  const without = notSearched.length === 0 ? '' : ` Not searched: ${notSearched.join('; ')}.`;
  return [
    [head, responseText(each)],
    ['', `${how}${without}`],
  ];
}

const HOW_FOUND = { exhaustive: 'Exhaustive', 'best-found': 'Best found' } as const;

/** The only result. Several protocols share it. */
function singleRows({ protocols, measured }: GroupResult): readonly Row[] {
  return [
    ['measured', measuredText(measured)],
    ['interval', intervalText(measured)],
    ...(protocols.length < 2
      ? []
      : [['protocols', `${protocols.join(', ')} share the outcome`] as const]),
  ];
}

/** A row for each protocol. */
function protocolTable(results: readonly GroupResult[]): Block {
  const [level] = results.flatMap(({ verdict }) => verdict.confidence ?? []);
  const interval = level === undefined ? 'interval' : `${shortPercent(level)} % interval`;
  return {
    type: 'table',
    title: 'Results by protocol',
    columns: ['protocol', 'verdict', 'measured', interval].map((name) => ({ name })),
    rows: results.map(({ protocols, verdict, measured }) => [
      ...[protocols.join(', '), verdict.value, measuredText(measured), intervalText(measured)],
    ]),
  };
}

function measuredText({ wins, runs, frequency }: GroupResult['measured']): string {
  return `${wins} of ${runs} runs, ${formatPercent(frequency)}`;
}

function intervalText({ interval }: GroupResult['measured']): string {
  if (interval === null) return 'none, as every run is the same';
  const [low, high] = interval;
  return `${formatPercent(low)} to ${formatPercent(high)}`;
}

/** The closed form, once if all protocols have the same. */
function theoryRows(results: readonly GroupResult[]): readonly Row[] {
  const texts = results.map(({ theory }) => theoryText(theory));
  const [common = '', ...others] = new Set(texts);
  if (others.length === 0) return [['theory', common]];
  return results.map(({ protocols, theory }): Row => {
    return [`theory for ${protocols.join(', ')}`, theoryText(theory)];
  });
}

function seenText(observations: NonNullable<GroupResult['observations']>): string {
  return Object.entries(observations)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(6))}`)
    .join(', ');
}

function theoryText({ probability, formula }: GroupResult['theory']): string {
  return probability === null ? formula : `${formatPercent(probability)} = ${formula}`;
}
