/**
 * @module
 * Models without open responses: the choices of `../response`, with pilot runs of this folder. Pilot runs draw
 * their identities, so that they need no clock and no kernel.
 */

import { LabError } from '../../errors.ts';
import { winProbability } from '../../mining/odds.ts';
import { requiredBits } from '../../mining/policy-cost.ts';
import type { Adversary, SearchRates, ThreatModel } from '../document/threat-model.ts';
import type { Settled, Trials } from '../response/settle.ts';
import { settle } from '../response/settle.ts';
import { budgetAttempts, isTimed } from './budget.ts';
import type { Runner } from './runner.ts';
import { messagesOf } from './tally.ts';

/** Makes a runner of drawn runs for a model without open responses. */
export type DrawnRunner = (model: ThreatModel) => Runner;

/** What was settled, by model and by measured rate. A search takes up to some seconds. */
const SETTLED = new WeakMap<ThreatModel, Map<SearchRates, Settled>>();

/** The model with complete responses. `rateMeasured` as in `budgetAttempts`. */
export function settledWith(
  model: ThreatModel,
  rateMeasured: SearchRates,
  runnerOf: DrawnRunner,
): Settled {
  const known = SETTLED.get(model)?.get(rateMeasured);
  if (known !== undefined) return known;
  const settled = settle(model, trialsBy(rateMeasured, runnerOf));
  rememberSettled(model, rateMeasured, settled);
  return settled;
}

/** Keeps what another thread has settled, so that it is not searched again. */
export function rememberSettled(
  model: ThreatModel,
  rateMeasured: SearchRates,
  settled: Settled,
): void {
  const before = SETTLED.get(model) ?? new Map<SearchRates, Settled>();
  SETTLED.set(model, before.set(rateMeasured, settled));
}

/** The model with complete responses if no pilot run is needed for them, which is remembered. Else null. */
export function settledWithoutSearch(
  model: ThreatModel,
  rateMeasured: SearchRates,
): Settled | null {
  const known = SETTLED.get(model)?.get(rateMeasured);
  if (known !== undefined) return known;
  const { identities } = trialsBy(rateMeasured, () => {
    throw new TypeError('"runner" expected none, as no pilot run is played');
  });
  try {
    const settled = settle(model, { identities, play: stopAtPilot });
    rememberSettled(model, rateMeasured, settled);
    return settled;
  } catch (error) {
    if (error === PILOT_NEEDED) return null;
    throw error;
  }
}

/** Thrown at the first pilot run, so that nothing more is prepared for a search that happens elsewhere. */
const PILOT_NEEDED = new Error('a pilot run is needed');

function stopAtPilot(): never {
  throw PILOT_NEEDED;
}

function trialsBy(rateMeasured: SearchRates, runnerOf: DrawnRunner): Trials {
  let last: { readonly model: ThreatModel; readonly runner: Runner } | null = null;
  return {
    identities(model, adversary) {
      if (!isDrawable(model, adversary, rateMeasured)) return null;
      const valid = winProbability(model.network.identity, { type: 'any' });
      return budgetAttempts(model, adversary, rateMeasured) * valid;
    },
    play(model, seed, { from, count }) {
      try {
        if (last?.model !== model) last = { model, runner: runnerOf(model) };
        const { runner } = last;
        const runs = Array.from({ length: count }, (_, index) =>
          runner({ seed, run: from + index }),
        );
        return {
          wins: runs.filter(({ outcomes }) => outcomes[0]?.won === true).length,
          messages: messagesOf(runs.flatMap(({ outcomes }) => outcomes[0]?.elections ?? [])),
        };
      } catch (error) {
        if (error instanceof LabError) return null;
        throw error;
      }
    },
  };
}

/** Whether sampled work can draw the identities of an adversary. */
function isDrawable(model: ThreatModel, adversary: Adversary, rateMeasured: SearchRates): boolean {
  const { strategy, budget, rate } = adversary;
  if (strategy === 'stockpile') return false;
  const isPaced = isTimed(budget);
  const paysSolutions = isPaced || budget.hashes !== undefined;
  if (paysSolutions && requiredBits(model.network.identity).c2 > 0) return false;
  return !isPaced || typeof rate === 'number' || (rate !== undefined && rateMeasured !== null);
}
