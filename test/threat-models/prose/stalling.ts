/**
 * @module
 * Derivations for the documents about nodes that stall elections and mislead detectors.
 */

import {
  GAP_GROWTH_MAX,
  GROWTH_DIVISOR,
} from '../../../src/adversary/behaviours/timing/slow-drip.ts';
import { TERM_ELECTIONS } from '../../../src/election/defences/holding-off.ts';
import { ROUNDS_MAX } from '../../../src/election/defences/skip-list.ts';
import type { Fact, Facts, Seen } from './fact.ts';
import { changed, fact, mean, measured, seenIn } from './fact.ts';

/** Runs that are watched: all have an identity except about one in fifty. */
const RUNS = 40;

/** Those in which the adversary has its identity, and leads at first. */
const forged = (seen: readonly Seen[]) => seen.filter(({ usurped_ticks = 0 }) => usurped_ticks > 0);

const DRIP: readonly Fact[] = [
  fact('a sixteenth longer than the one before', () => [1 / GROWTH_DIVISOR]),
  fact('sixteen times the first', () => [GAP_GROWTH_MAX]),
];

export const STALLING: Facts = {
  'answer-and-stall': [
    fact('about 3 600 messages, where an election without it costs about 75', (model) => {
      const honest = changed(model, 'adversaries={}');
      return [mean(seenIn(model, RUNS), sent), mean(seenIn(honest, RUNS), sent)];
    }),
  ],
  'answer-and-stall-skip-list': [
    fact('three times', () => [ROUNDS_MAX]),
    fact('In every run the honest nodes agree', (model) => [1 - measured(model, model.runs)]),
    fact('the three rounds', () => [ROUNDS_MAX]),
    fact('sends 173 messages', (model) => [mean(seenIn(model, RUNS), sent)]),
  ],
  'flapping-leader': [
    fact('the longest interval was 128 ticks of 960', (model) => {
      const seen = forged(seenIn(model, RUNS));
      return [Math.max(...seen.map(agreed)), mean(seen, ({ ticks = 0 }) => ticks / 2)];
    }),
  ],
  'flapping-leader-incumbency': [
    fact('the time of 64 elections', () => [TERM_ELECTIONS]),
    fact('at least 747 of the last 960 ticks', (model) => {
      const seen = forged(seenIn(model, RUNS));
      return [Math.min(...seen.map(agreed)), mean(seen, ({ ticks = 0 }) => ticks / 2)];
    }),
    fact('leaves the others without a leader in 39 of 40 runs', (model) => {
      const stalled = changed(model, 'adversaries.main.behaviours=[answer-and-stall]');
      return [RUNS * measured(stalled, RUNS), RUNS];
    }),
  ],
  'slow-drip': [
    ...DRIP,
    fact('suspects it about 29 times', ({ network, ...model }) => {
      const seen = forged(seenIn({ network, ...model }, RUNS));
      return [mean(seen, ({ mistakes = 0 }) => mistakes / network.honest)];
    }),
  ],
  'slow-drip-accrual': DRIP,
};

function sent(seen: Seen): number {
  return seen.sent;
}

function agreed({ agreed_ticks = Number.NaN }: Seen): number {
  return agreed_ticks;
}
