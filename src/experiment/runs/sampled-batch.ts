/**
 * @module
 * Many sampled runs without elections at once, in columns: the same draws as those of sampled-run.ts, without an
 * object for each run. sampled-run.ts is the definition; a test compares both.
 */

import { winProbability } from '../../mining/odds.ts';
import { MovableRandom } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, armsOf, runKindOf } from '../document/threat-model.ts';
import type { Owner } from '../properties/property.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { binomialDrawer } from '../theory/binomial-odds.ts';
import { budgetAttempts, spentOf } from './budget.ts';
import { drawableRegistrant, drawBestDepth } from './drawn-population.ts';
import type { Observations } from './observations.ts';
import { electionRuns } from './sampled-run.ts';

/** The results of runs, by their index in the batch. */
export interface SampledColumns {
  /** 1 for each run with the property. */
  readonly won: Uint8Array;
  /** Identities that the adversaries registered. */
  readonly identities: Float64Array;
}

export interface SampledBatch {
  /** The first run that holds no election. */
  readonly from: number;
  /** The observations that all of these runs share. */
  readonly observations: Observations;
  /** Executes the runs whose streams begin with the first of every eight words. */
  draw(words: Int32Array): SampledColumns;
}

const DIGEST_WORDS = 8;

/**
 * The batch of a model without open responses. Null if its runs are not sampled ones that the largest key decides.
 * `rateMeasured` as in `budgetAttempts`.
 */
export function sampledBatch(model: ThreatModel, rateMeasured: number | null): SampledBatch | null {
  const { top } = PROPERTIES[model.expect.property].judges;
  const isSampled = model.work === 'sampled' && runKindOf(model) === 'ranking';
  if (!isSampled || top === null || armsOf(model).length > 1) return null;
  const wins: Readonly<Record<Owner, number>> = {
    adversary: top('adversary') ? 1 : 0,
    honest: top('honest') ? 1 : 0,
  };
  const probability = winProbability(model.network.identity, { type: 'any' });
  const adversaries = adversariesOf(model).map(([, adversary]) => {
    const { most, one } = drawableRegistrant(model, adversary);
    const trials = budgetAttempts(model, adversary, rateMeasured);
    const registeredMax = one === 'any' ? most : Number.POSITIVE_INFINITY;
    return { draw: binomialDrawer({ trials, probability }), registeredMax, registered: 0 };
  });
  const random = new MovableRandom();
  const { honest } = model.network;
  return {
    from: electionRuns(model, rateMeasured),
    observations: { elections: 0, messages: 0, ...spentOf(model, rateMeasured) },
    draw(words) {
      const count = words.length / DIGEST_WORDS;
      const columns = { won: new Uint8Array(count), identities: new Float64Array(count) };
      for (let index = 0; index < count; index += 1) {
        random.moveTo(words, DIGEST_WORDS * index);
        let identities = 0;
        for (const adversary of adversaries) {
          adversary.registered = Math.min(adversary.draw(random), adversary.registeredMax);
          identities += adversary.registered;
        }
        columns.identities[index] = identities;
        // Without an identity no other draw of the run decides anything.
        const leads = identities > 0 && drawLeads(random, honest, adversaries);
        columns.won[index] = leads ? wins.adversary : wins.honest;
      }
      return columns;
    },
  };
}

/** Whether the largest key is one of an adversary. */
function drawLeads(
  random: MovableRandom,
  honest: number,
  adversaries: readonly { readonly registered: number }[],
): boolean {
  let top = 0;
  for (let node = 0; node < honest; node += 1) top = Math.max(top, random.unit());
  let best = Number.POSITIVE_INFINITY;
  for (const { registered } of adversaries)
    best = Math.min(best, drawBestDepth(random, registered));
  return best < -Math.log(top);
}
