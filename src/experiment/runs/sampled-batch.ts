/**
 * @module
 * Many sampled runs without elections at once, in columns: the same draws as those of sampled-run.ts, without an
 * object for each run. sampled-run.ts is the definition; a test compares both.
 */

import { shortIdsOf, winProbability } from '../../mining/odds.ts';
import { MovableRandom } from '../../random.ts';
import type { SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf, armsOf, runKindOf } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { binomialDrawer } from '../theory/binomial-odds.ts';
import { effortOf, spentBy } from './budget.ts';
import { drawableRegistrant, drawBestDepth } from './drawn-population.ts';
import type { Observations } from './observations.ts';
import { ownerFor, sidesOf } from './registration.ts';
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
export function sampledBatch(model: ThreatModel, rateMeasured: SearchRates): SampledBatch | null {
  const { top } = PROPERTIES[model.expect.property].judges;
  const isSampled = model.work === 'sampled' && runKindOf(model) === 'ranking';
  if (!isSampled || top === null || armsOf(model).length > 1) return null;
  if (shortIdsOf(model.network.identity) !== null) return null;
  const sides = sidesOf(model);
  const winsOf = (name: string | null) => (sides.some((side) => top(ownerFor(side, name))) ? 1 : 0);
  const honestWins = winsOf(null);
  const probability = winProbability(model.network.identity, { type: 'any' });
  const efforts = adversariesOf(model).map(([, each]) => effortOf(model, each, rateMeasured));
  // These runs differ in their attempts.
  if (efforts.some(({ isFiltered }) => isFiltered)) return null;
  const adversaries = adversariesOf(model).map(([name, adversary], index) => {
    const { most, which } = drawableRegistrant(model, adversary);
    const trials = efforts[index]?.attempts(1) ?? 0;
    const registeredMax = which === 'any' ? most : Number.POSITIVE_INFINITY;
    const draw = binomialDrawer({ trials, probability });
    return { draw, registeredMax, registered: 0, wins: winsOf(name) };
  });
  const random = new MovableRandom();
  const { honest } = model.network;
  return {
    from: electionRuns(model, rateMeasured),
    observations: { elections: 0, messages: 0, ...spentBy(model, rateMeasured)(1) },
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
        const leader = identities > 0 ? drawLeader(random, honest, adversaries) : undefined;
        columns.won[index] = leader?.wins ?? honestWins;
      }
      return columns;
    },
  };
}

/** The adversary with the largest key. Undefined if an honest node has it. */
function drawLeader<A extends { readonly registered: number }>(
  random: MovableRandom,
  honest: number,
  adversaries: readonly A[],
): A | undefined {
  let top = 0;
  for (let node = 0; node < honest; node += 1) top = Math.max(top, random.unit());
  let best = -Math.log(top);
  let leader: A | undefined;
  for (const adversary of adversaries) {
    const depth = drawBestDepth(random, adversary.registered);
    if (depth < best) [best, leader] = [depth, adversary];
  }
  return leader;
}
