/**
 * @module
 * The cost of honest nodes as rows of a table for people.
 */

import type { DefenceCost, ElectionCost } from '../../experiment/cost/election-cost.ts';
import type { HonestCost, JoinCost } from '../../experiment/cost/honest-cost.ts';
import { formatCount, formatSeconds } from '../shell/layout.ts';

/** Rows with a name and a text: to join, to remain, and the defences if there are any. */
export function costRows({ join, elections, defences }: HonestCost): readonly string[][] {
  return [
    ['honest join', joinText(join)],
    ...elections.map((each) => [`honest term of ${each.protocol}`, termText(each)]),
    ...defences.map((each) => [`cost of ${each.defence}`, defenceText(each)]),
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

function termText({ nodes, messages, ticks, messagesPer100Ticks, agreed, runs }: ElectionCost) {
  if (messages === null) return `no leader in ${runs} elections of ${nodes} honest nodes`;
  const later =
    messagesPer100Ticks === null || messagesPer100Ticks === 0
      ? ''
      : `, then ${rounded(messagesPer100Ticks)} in 100 ticks`;
  const some = agreed === runs ? '' : `, in ${agreed} of ${runs} elections`;
  return `${amount(messages, 'message')} and ${amount(ticks, 'tick')} to a leader of ${amount(nodes, 'node')}${later}${some}`;
}

function defenceText({ protocol, messages, ticks, messagesPer100Ticks }: DefenceCost): string {
  if (messages === null) return `unknown with ${protocol}: no leader with it, or without it`;
  const later =
    messagesPer100Ticks === null || messagesPer100Ticks === 0
      ? ''
      : `, then ${signed(messagesPer100Ticks)} in 100 ticks`;
  return `${signed(messages)} messages and ${signed(ticks)} ticks with ${protocol}${later}`;
}

/** A mean with its unit, singular for exactly 1. */
function amount(value: number | null, unit: string): string {
  return `${rounded(value)} ${value === 1 ? unit : `${unit}s`}`;
}

function rounded(value: number | null): string {
  return value === null ? 'unknown' : String(Number(value.toPrecision(4)));
}

function signed(value: number | null): string {
  return value !== null && value >= 0 ? `+${rounded(value)}` : rounded(value);
}
