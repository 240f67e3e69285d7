/**
 * @module
 * Derivations for the documents about nodes that join late, and about networks without an adversary.
 */

import { TERM_ELECTIONS } from '../../../src/election/defences/holding-off.ts';
import type { Facts } from './fact.ts';
import { changed, fact, long, measured, shares, statement } from './fact.ts';
import { topOdds } from './parameters.ts';

const RUNS = 40;
const BULLY = 'network.election.protocols=[bully-oneshot]';
const KEPT = 'network.election.defences=[incumbency]';
const FROZEN = 'network.election.defences=[frozen-membership]';
/** The highest honest node, which leads. */
const CRASH = 'faults.crash=6@400';

export const NEWCOMERS: Facts = {
  'late-joiner': [
    fact('an identity above all others, 97.6 %', (model) => [topOdds(model)]),
    statement('Leaders that are kept until the next term stop it', (model) =>
      shares(changed(model, KEPT), RUNS).every((share) => share === 0),
    ),
    statement('In Bully, registration that closes before any ID is visible stops it', (model) => {
      return measured(changed(model, BULLY, FROZEN), RUNS) === 0;
    }),
    statement('An adversary that registers in time is stopped by neither', (model) => {
      const inTime = ['adversaries.main.registers=before', 'adversaries.main.behaviours=[]'];
      return [
        ...shares(changed(model, KEPT, ...inTime), RUNS),
        measured(changed(model, BULLY, FROZEN, ...inTime), RUNS),
      ].every((share) => share > 0.9);
    }),
  ],
  'late-joiner-incumbency': [
    fact('the time of 64 elections', () => [TERM_ELECTIONS]),
    fact('In none of the hundred runs', (model) => [
      Math.max(...shares(model, model.runs)),
      model.runs,
    ]),
    fact('the highest ID leads when the leader crashes (faults.crash: 6@400)', (model) => {
      return measured(changed(model, BULLY, CRASH), RUNS) === 1 ? [6, 400] : [];
    }),
    statement('A ring has no leader then', (model) => {
      const ring = ['network.election.protocols=[cr-join]', 'expect.property=no-leader'];
      return measured(changed(model, ...ring, CRASH), RUNS) === 1;
    }),
    statement('It does not stop an adversary that joins before the election', (model) =>
      shares(changed(model, 'adversaries.main.behaviours=[]'), RUNS).every((share) => share > 0.9),
    ),
  ],
  'no-adversary': [
    long(
      fact('Both elections end in every run', (model) => [Math.min(...shares(model, model.runs))]),
    ),
    fact('at least 0.95', ({ expect }) => [expect.probability]),
  ],
};
