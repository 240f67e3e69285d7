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
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import type { Fact, Facts, Seen } from './fact.ts';
import { changed, fact, long, mean, measured, seenIn, statement } from './fact.ts';

/** Runs that are watched: all have an identity except about one in fifty. */
const RUNS = 40;

/** Those in which the adversary has its identity, and leads at first. */
const forged = (seen: readonly Seen[]) => seen.filter(({ usurpedTicks = 0 }) => usurpedTicks > 0);

const DRIP: readonly Fact[] = [
  fact('a sixteenth longer than the one before', () => [1 / GROWTH_DIVISOR]),
  fact('sixteen times the first', () => [GAP_GROWTH_MAX]),
];

const STALLED =
  'with the behaviour answer-and-stall, the same node leaves the others without a leader in 39 of 40 runs';

export const STALLING: Facts = {
  'answer-and-stall': [
    long(
      statement('If it has its identity, the nodes never agree on a leader', (model) =>
        // Without it an election sends far fewer messages.
        seenIn(model, RUNS).every((seen) => agreed(seen) === 0 || seen.sent < 200),
      ),
    ),
    long(
      fact('In 1 296 ticks they send about 3 600 messages, where', (model) => [
        ...ticksAndSent(seenIn(model, RUNS)),
      ]),
    ),
    fact('an election without it sends about 75', (model) => [
      mean(seenIn(changed(model, 'adversaries={}'), RUNS), sent),
    ]),
  ],
  'answer-and-stall-skip-list': [
    fact('three times', () => [ROUNDS_MAX]),
    fact('In every run the honest nodes agree', (model) => [1 - measured(model, model.runs)]),
    fact('the three rounds', () => [ROUNDS_MAX]),
    fact('sends 173 messages', (model) => [mean(seenIn(model, RUNS), sent)]),
    statement('if it follows the protocol, it leads by its rank', (model) => {
      const settings = ['expect.property=adversary-leads', 'adversaries.main.behaviours=[]'];
      return measured(changed(model, ...settings), RUNS) > 0.9;
    }),
  ],
  'flapping-leader': [
    long(
      fact('the longest interval was 128 ticks of 960', (model) => {
        const seen = forged(seenIn(model, RUNS));
        return [Math.max(...seen.map(agreed)), mean(seen, ({ ticks = 0 }) => ticks / 2)];
      }),
    ),
  ],
  'flapping-leader-incumbency': [
    fact('the time of 64 elections', () => [TERM_ELECTIONS]),
    long(
      fact('at least 747 of the last 960 ticks', (model) => {
        const seen = forged(seenIn(model, RUNS));
        return [Math.min(...seen.map(agreed)), mean(seen, ({ ticks = 0 }) => ticks / 2)];
      }),
    ),
    long(fact(STALLED, stalledRuns)),
  ],
  'slow-drip': [
    ...DRIP,
    long(
      statement('there is no live leader', (model) =>
        forged(seenIn(model, RUNS)).every((seen) => agreed(seen) === 0),
      ),
    ),
    long(
      fact('suspects it about 29 times', ({ network, ...model }) => {
        const seen = forged(seenIn({ network, ...model }, RUNS));
        return [mean(seen, ({ mistakes = 0 }) => mistakes / network.honest)];
      }),
    ),
  ],
  'slow-drip-accrual': [
    ...DRIP,
    long(
      statement('Each node suspects it once', (model) =>
        forged(seenIn(model, RUNS)).every(({ mistakes }) => mistakes === model.network.honest),
      ),
    ),
    long(
      statement('then the honest nodes agree on an honest leader', (model) =>
        seenIn(model, RUNS).every(({ won }) => !won),
      ),
    ),
    long(fact(STALLED, stalledRuns)),
  ],
};

/** Runs without a leader if the node answers and stalls instead, of 40. */
function stalledRuns(model: ThreatModel): readonly number[] {
  const stalled = changed(model, 'adversaries.main.behaviours=[answer-and-stall]');
  return [RUNS * measured(stalled, RUNS), RUNS];
}

function ticksAndSent(seen: readonly Seen[]): readonly number[] {
  return [mean(seen, ({ ticks }) => ticks), mean(seen, sent)];
}

function sent(seen: Seen): number {
  return seen.sent;
}

function agreed({ agreedTicks = Number.NaN }: Seen): number {
  return agreedTicks;
}
