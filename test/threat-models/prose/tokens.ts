/**
 * @module
 * Derivations for the documents about tokens of a ring.
 */

import { HOPS_MULTIPLE_MAX } from '../../../src/election/defences/hop-limit.ts';
import { tokensOf } from '../../../src/election/defences/tokens.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import type { Facts } from './fact.ts';
import { changed, fact, long, mean, measured, seenIn } from './fact.ts';

const RUNS = 100;

export const TOKENS: Facts = {
  'phantom-probe': [
    long(
      fact('In every run the honest nodes agree on no live leader', (model) => [
        measured(model, RUNS),
      ]),
    ),
    long(
      fact('about 10 800 messages in 1 296 ticks instead of about 25', (model) => {
        const honest = changed(model, 'adversaries.main.behaviours=[]');
        return [messages(model), ticksOf(model), messages(honest)];
      }),
    ),
    long(
      fact('Level L1 does not help', (model) => [leaderlessAt(model, 1) === 1 ? 1 : Number.NaN]),
    ),
    fact('Level L2 stops the attack', (model) => [leaderlessAt(model, 2) === 0 ? 2 : Number.NaN]),
  ],
  'phantom-probe-hop-limit': [
    fact('twice as far as any token needs', () => [HOPS_MULTIPLE_MAX]),
    fact('each of the hundred runs', ({ runs }) => [runs]),
    fact('at most two rounds of the ring', ({ network }) => [
      HOPS_MULTIPLE_MAX * (tokensOf(PROTOCOLS['cr-join'])?.laps(network.honest + 1) ?? Number.NaN),
    ]),
    long(fact('about 720 messages in 1 296 ticks', (model) => [messages(model), ticksOf(model)])),
    fact(
      'drops the messages of others instead (swallowed-probe), no leader lasts in any run',
      (model) => [measured(changed(model, 'adversaries.main.behaviours=[swallow]'), RUNS)],
    ),
  ],
};

function messages(model: ThreatModel): number {
  return mean(seenIn(model, RUNS), ({ sent }) => sent);
}

function ticksOf(model: ThreatModel): number {
  return mean(seenIn(model, 1), ({ ticks }) => ticks);
}

function leaderlessAt(model: ThreatModel, level: number): number {
  return measured(changed(model, `network.election.level=L${level}`), RUNS);
}
