/**
 * @module
 * Derivations for the documents about nodes that drop messages.
 */

import { RECEIPT } from '../../../src/election/authentication/numbered-elections.ts';
import type { Message } from '../../../src/election/machine.ts';
import { memberOf } from '../../../src/election/message-members.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import type { Facts } from './fact.ts';
import { adversaryOf, changed, fact, long, measured } from './fact.ts';
import { shareOf, watchedRuns } from './watched.ts';

/** The adversary has the lowest rank. */
const SILENT = 1;

export const SWALLOWING: Facts = {
  'swallowed-probe': [
    fact('One node of a ring', (model) => [adversaryOf(model).identities]),
    fact('one position on the ring', (model) => [adversaryOf(model).identities]),
    fact('In every run the honest nodes agree on no leader', (model) => [measured(model, 100)]),
  ],
  'swallowed-probe-receipts': [
    fact('one position on the ring', (model) => [adversaryOf(model).identities]),
    fact('at most one message for each token that is passed on', (model) => {
      const runs = watchedRuns(model)['cr-join'] ?? [];
      const isCheap = runs.every(({ records }) => receiptsIn(records) <= tokensIn(records));
      return isCheap ? [1] : [];
    }),
    fact('In every run it is accused, its tokens go round without it', (model) => {
      const highest = model.network.honest + 1;
      const runs = watchedRuns(model)['cr-join'] ?? [];
      return [
        shareOf(runs, ({ seen, records }) => {
          return seen.leader === highest && JSON.stringify(records).includes(ACCUSATION);
        }),
      ];
    }),
    fact('means one of two neighbours', () => [2]),
    long(
      fact('leaves no leader in 18 % of 400 runs', (model) => [
        measured(changed(model, 'adversaries.main.behaviours=[tamper-token]'), 400),
        400,
      ]),
    ),
  ],
};

const ACCUSATION = `"type":"no-receipt","node":${SILENT},`;

function receiptsIn(records: readonly TraceRecord[]): number {
  return sentIn(records).filter(({ type }) => type === RECEIPT).length;
}

function tokensIn(records: readonly TraceRecord[]): number {
  return sentIn(records).filter((message) => memberOf(message, 'token') !== undefined).length;
}

function sentIn(records: readonly TraceRecord[]): readonly Message[] {
  return records.flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : [])),
  );
}
