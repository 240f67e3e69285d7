/**
 * @module
 * Derivations for the documents about nodes that join late, and about networks without an adversary.
 */

import { TERM_ELECTIONS } from '../../../src/election/defences/holding-off.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import type { Facts } from './fact.ts';
import { changed, fact, measured, shares } from './fact.ts';
import { topOdds } from './parameters.ts';

export const NEWCOMERS: Facts = {
  'late-joiner': [fact('an identity above all others, 97.6 %', (model) => [topOdds(model)])],
  'late-joiner-incumbency': [
    fact('the time of 64 elections', () => [TERM_ELECTIONS]),
    fact('In none of the hundred runs', (model) => [
      Math.max(...shares(model, model.runs)),
      model.runs,
    ]),
    fact('the highest ID leads when the leader crashes (faults.crash: 6@400)', (model) => [
      ...(leadsAfterCrash(model, 'bully-oneshot') && !leadsAfterCrash(model, 'cr-join')
        ? [6, 400]
        : []),
    ]),
  ],
  'no-adversary': [
    fact('Both elections end in every run', (model) => [Math.min(...shares(model, model.runs))]),
    fact('at least 0.95', ({ expect }) => [expect.probability]),
  ],
};

function leadsAfterCrash(model: ThreatModel, protocol: string): boolean {
  const settings = [`network.election.protocols=[${protocol}]`, 'faults.crash=6@400'];
  return measured(changed(model, ...settings), 20) === 1;
}
