/**
 * @module
 * The cost of honest nodes as rows for people.
 */

import type { DefenceCost, ElectionCost, Noticer } from '../experiment/cost/election-cost.ts';
import type { HonestCost, JoinCost } from '../experiment/cost/honest-cost.ts';
import { counted } from '../experiment/document/wording.ts';
import { formatCount, formatSeconds } from './figures.ts';

/** Rows with a name and a text: to join, to remain, and the defences if there are any. */
export function costRows({
  join,
  elections,
  defences,
}: HonestCost): readonly (readonly [string, string])[] {
  return [
    ['honest join', joinText(join)],
    ...elections.flatMap((each): [string, string][] => [
      [`failure of ${each.protocol}`, failureText(each)],
      [`cold start of ${each.protocol}`, coldStartText(each)],
    ]),
    ...defences.map((each): [string, string] => [`cost of ${each.defence}`, defenceText(each)]),
  ];
}

function joinText({ attempts, seconds, rate, repeats }: JoinCost): string {
  const { expected, p50, p95 } = attempts;
  const count = `${formatCount(expected)} ${expected === 1 ? 'attempt' : 'attempts'} expected, 50 % within ${formatCount(p50)}, 95 % within ${formatCount(p95)}`;
  const every = repeats === 'once' ? '' : ', in every epoch';
  if (seconds === null || rate === null) return `${count}${every}; no rate is stated or measured`;
  const time = `50 % in ${formatSeconds(seconds.p50)}, 95 % in ${formatSeconds(seconds.p95)}`;
  return `${count}${every}; ${time} CPU at ${formatCount(rate.candidatesPerSecond)}/s (${rate.source})`;
}

/** When the count begins, by what reports the crash of the leader. */
const BEGINS: Readonly<Record<Noticer, string>> = {
  detector: 'from the crash of the leader',
  'time-outs': 'from the crash of the leader',
  'one node': 'from the notice of a crash of the leader',
};

/** The failure that is measured: its first event, the nodes that begin, and the latency. */
function failureWhen(cost: ElectionCost): string {
  const { initiators, latency, noticedBy } = cost;
  return `${BEGINS[noticedBy]} of ${nodesText(cost)} (${initiators}; latency ${latency})`;
}

/** The simulated nodes, which are fewer than those of a large network. */
function nodesText({ nodes, honest }: ElectionCost): string {
  const less = nodes < honest ? ` instead of ${honest}` : '';
  return `${nodes} honest nodes${less}`;
}

/** The cost of a failure of the leader, in words. */
export function failureText(cost: ElectionCost): string {
  const { messages, messagesPer100Ticks, runs } = cost;
  const when = failureWhen(cost);
  if (messages === null) return `no next leader in ${counted(runs, 'run')} ${when}`;
  const later =
    messagesPer100Ticks === null || messagesPer100Ticks === 0
      ? ''
      : `, then ${rounded(messagesPer100Ticks)} in 100 ticks`;
  return `${meansText(cost)} until all live nodes agree, ${when}${later}${runsText(cost, runs)}`;
}

/** The cost of a cold start, in words. */
export function coldStartText(cost: ElectionCost): string {
  const { latency, runs, coldStart } = cost;
  const { messages, messagesToRest } = coldStart;
  const when = `all ${nodesText(cost)} start at tick 0 (latency ${latency})`;
  if (messages === null) return `no leader in ${counted(runs, 'run')} in which ${when}`;
  const rest = messagesToRest === null ? '' : `, ${rounded(messagesToRest)} messages until rest`;
  return `${meansText(coldStart)} until all agree if ${when}${rest}${runsText(coldStart, runs)}`;
}

function defenceText({ protocol, messages, ticks, messagesPer100Ticks }: DefenceCost): string {
  if (messages === null) return `unknown with ${protocol}: no next leader with it, or without it`;
  const later =
    messagesPer100Ticks === null || messagesPer100Ticks === 0
      ? ''
      : `, then ${signed(messagesPer100Ticks)} in 100 ticks`;
  return `${signed(messages)} messages and ${signed(ticks)} ticks with ${protocol}${later}`;
}

type Means = Pick<ElectionCost, 'messages' | 'ticks' | 'intervals' | 'agreed'>;

/** Each mean with its unit, singular for exactly 1, and with its interval if runs differ. */
function meansText(means: Means): string {
  const amounts = (['messages', 'ticks'] as const).map((unit) => {
    const [value, [low, high] = [0, 0]] = [means[unit], means.intervals[unit] ?? undefined];
    const range = low < high ? ` (${rounded(low)} to ${rounded(high)})` : '';
    return `${rounded(value)} ${value === 1 ? unit.slice(0, -1) : unit}${range}`;
  });
  return amounts.join(' and ');
}

/** The runs that the means are over. */
function runsText({ agreed, intervals }: Means, runs: number): string {
  if (runs === 1) return '; one run';
  const level = Object.values(intervals).some((ends) => ends !== null && ends[0] < ends[1]);
  const of = agreed === runs ? '' : `${agreed} of `;
  return `; means of ${of}${runs} runs${level ? ', 95 % intervals' : ''}`;
}

function rounded(value: number | null): string {
  return value === null ? 'unknown' : String(Number(value.toPrecision(4)));
}

function signed(value: number | null): string {
  return value !== null && value >= 0 ? `+${rounded(value)}` : rounded(value);
}
