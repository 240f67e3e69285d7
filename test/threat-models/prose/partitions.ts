/**
 * @module
 * Derivations for the documents about partitions.
 */

import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import type { Facts } from './fact.ts';
import { changed, fact, long, mean, measured, seenIn, statement } from './fact.ts';

export const PARTITIONS: Facts = {
  'partition-bully': [
    fact('7 nodes, all honest', sizeOf),
    fact('first 300 ticks the three lowest and the four highest', (model) => [
      ...untilOf(model),
      ...halvesOf(model),
    ]),
    fact('In every run each half elects its highest', (model) => [measured(model, 100), 1 / 2]),
    statement('the higher leader has won', (model) => {
      return measured(changed(model, 'expect.property=highest-leads'), 100) === 1;
    }),
    fact('for about 311 ticks', (model) => [
      mean(seenIn(model, 100), ({ splitTicks }) => splitTicks),
    ]),
  ],
  'partition-raft': [
    fact(
      'the three lowest and the four highest cannot reach each other for the first 300 ticks',
      (model) => [...halvesOf(model), ...untilOf(model)],
    ),
    fact('four votes', ({ network }) => [Math.floor(network.honest / 2) + 1]),
    fact('In none of the hundred runs: the three nodes', (model) => [
      measured(model, model.runs),
      model.runs,
      Math.floor(model.network.honest / 2),
    ]),
    long(
      fact('halves@100-300, in 46 % of 1 000 runs', (model) => {
        const later = changed(model, 'faults.partition=halves@100-300');
        return [100, 300, measured(later, 1000), 1000];
      }),
    ),
  ],
};

function sizeOf({ network }: ThreatModel): readonly number[] {
  return [network.honest];
}

/** The nodes in the lower half of the ranks, and in the upper. */
function halvesOf({ network }: ThreatModel): readonly number[] {
  return [Math.floor(network.honest / 2), Math.ceil(network.honest / 2)];
}

/** The tick at which the partition ends. */
function untilOf({ faults }: ThreatModel): readonly number[] {
  return [Number(String(faults?.partition).split('-').at(-1))];
}
