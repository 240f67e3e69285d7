/**
 * @module
 * Runs without mining in which the highest rank decides. The number K of valid identities of an adversary
 * is drawn from its exact law Bin(attempts, 2^-c1), where a budget in hashes or seconds pays for more attempts if fewer
 * IDs are above the honest ones. The honest rank keys are uniform, and the adversary's
 * best is the maximum of the uniform keys that it registers. Salted rank keys have the same law. The owner of
 * the largest key leads. The closed form is never evaluated. The first runs also hold their elections, which
 * must have the same winner.
 */

import { PROTOCOLS } from '../../election/registry.ts';
import { shortIdsOf, winProbability } from '../../mining/odds.ts';
import type { Random } from '../../random.ts';
import { createRandom, deriveSeed } from '../../random.ts';
import { MESSAGES_LIMIT } from '../../simulation/plan/plan.ts';
import { SAMPLED_ELECTION_MESSAGES_MAX, SAMPLED_ELECTION_RUNS } from '../document/limits.ts';
import type { SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';
import { drawFewFound } from '../theory/filtered-odds.ts';
import { budgetAttempts, effortOf, spentBy } from './budget.ts';
import type { DrawnMember } from './drawn-population.ts';
import {
  drawableRegistrant,
  drawBestDepth,
  drawDepthAbove,
  drawnPopulation,
} from './drawn-population.ts';
import { electionHolder, resultsJudge } from './elections.ts';
import type { Owners } from './registration.ts';
import { ownerFor, sidesOf } from './registration.ts';
import type { Runner } from './runner.ts';
import type { ElectionResult } from './tally.ts';

/** The runner of a model. `rateMeasured` as in `budgetAttempts`. */
export function sampledRunner(model: ThreatModel, rateMeasured: SearchRates): Runner {
  if (shortIdsOf(model.network.identity) !== null) return tiedRunner(model, rateMeasured);
  const adversaries = adversariesOf(model).map(([name, adversary]) => ({
    name,
    effort: effortOf(model, adversary, rateMeasured),
    registrant: drawableRegistrant(model, adversary),
  }));
  const validProbability = winProbability(model.network.identity, { type: 'any' });
  const spentAt = spentBy(model, rateMeasured);
  const isFiltered = adversaries.some(({ effort }) => effort.isFiltered);
  const confirmed = electionRuns(model, rateMeasured);
  const hold = electionHolder(model, lastsUntil(model));
  const judge = ownerJudge(model);
  return ({ seed, run }) => {
    const random = createRandom(seed, 'run', run);
    const drawFound = (share: number) =>
      adversaries.map(({ effort, registrant: { most, which } }) => {
        if (effort.few !== null)
          return drawFewFound(random, effort.few, { share, validProbability });
        const found = drawBinomial(random, effort.attempts(share), validProbability);
        // The best of all that are found is the best of the registered ones too.
        return which === 'any' ? Math.min(found, most) : found;
      });
    const unfiltered = isFiltered ? null : drawFound(1);
    const holdsElections = run < confirmed;
    const honest = drawHonest(random, model.network.honest, holdsElections);
    const share = 1 - honest.top;
    const identities = unfiltered ?? drawFound(share);
    const depths = identities.map((count, index) =>
      adversaries[index]?.effort.few
        ? drawDepthAbove(random, count, share)
        : drawBestDepth(random, count),
    );
    const registered = (bests: readonly number[], counts: readonly number[]) =>
      bests.flatMap((best, index) => {
        const isOne = adversaries[index]?.registrant.which !== 'any';
        const others = isOne ? 0 : Math.max(0, (counts[index] ?? 0) - 1);
        const worse = worseThan(best, others, createRandom(seed, 'run', run, 'others', index));
        return [best, ...worse].map((depth) => ({
          depth,
          owner: adversaries[index]?.name ?? null,
        }));
      });
    const best = Math.min(depthOf(honest.top), ...depths);
    const owner = adversaries[depths.indexOf(best)]?.name ?? null;
    const elections = holdsElections
      ? hold(ownersOf(honest.keys, registered(depths, identities)), deriveSeed(seed, 'run', run))
      : [];
    const outcomes = judge(owner, elections);
    const found = identities.reduce((sum, count) => sum + count, 0);
    const observations = { ...spentAt(share), identities: found };
    return { run, outcomes, forges: [], honestLedger: null, observations };
  };
}

/** Runs with short IDs, which keys can share. All nodes are drawn. */
function tiedRunner(model: ThreatModel, rateMeasured: SearchRates): Runner {
  const populate = drawnPopulation(model, rateMeasured);
  const confirmed = electionRuns(model, rateMeasured);
  const hold = electionHolder(model, lastsUntil(model));
  const judge = ownerJudge(model);
  return ({ seed, run }) => {
    const runSeed = deriveSeed(seed, 'run', run);
    const { owners, ...made } = populate(runSeed);
    const elections = run < confirmed ? hold(owners, runSeed) : [];
    return { run, ...made, outcomes: judge(owners.at(-1) ?? null, elections) };
  };
}

/** Judges by the owner of the highest rank, which elections must confirm, or by elections alone. */
function ownerJudge(model: ThreatModel) {
  const { top } = PROPERTIES[model.expect.property].judges;
  const judge = resultsJudge(model);
  const sides = sidesOf(model);
  return (owner: string | null, elections: readonly ElectionResult[]) => {
    if (top === null) return judge(elections);
    assertWinner(elections, owner);
    return [{ won: sides.some((side) => top(ownerFor(side, owner))), elections }];
  };
}

/** Elections that only confirm the drawn owner need not rest. */
function lastsUntil({ expect }: ThreatModel): 'idle' | 'decided' {
  return PROPERTIES[expect.property].judges.top === null ? 'idle' : 'decided';
}

/**
 * The number of runs that hold their elections: all if the property is judged by elections alone, else
 * as many as the document says, else the first 200. It is lower if the messages would exceed their limit, and 0 if
 * one election would exceed the limit of a simulation.
 */
export function electionRuns(model: ThreatModel, rateMeasured: SearchRates): number {
  if (PROPERTIES[model.expect.property].judges.top === null) return Number.POSITIVE_INFINITY;
  const nodes = model.network.honest + registeredAtMost(model, rateMeasured);
  const messages = model.network.election.protocols.map((name) =>
    PROTOCOLS[name].messagesAbout(nodes),
  );
  if (messages.some((count) => count > MESSAGES_LIMIT)) return 0;
  const messagesPerRun = messages.reduce((sum, count) => sum + count, 0);
  const affordable = Math.floor(SAMPLED_ELECTION_MESSAGES_MAX / messagesPerRun);
  return Math.min(model.confirmRuns ?? SAMPLED_ELECTION_RUNS, affordable);
}

/** Identities that adversaries register together, up to five standard deviations above the mean. */
function registeredAtMost(model: ThreatModel, rateMeasured: SearchRates): number {
  const validProbability = winProbability(model.network.identity, { type: 'any' });
  return adversariesOf(model).reduce((sum, [, adversary]) => {
    const { most, which } = drawableRegistrant(model, adversary);
    if (which !== 'any' || most <= 1) return sum + 1;
    const mean = budgetAttempts(model, adversary, rateMeasured) * validProbability;
    return sum + Math.min(most, Math.ceil(mean + 5 * Math.sqrt(mean) + 5));
  }, 0);
}

/** The depths of the other identities of an adversary: above its best one they are exponential. */
function worseThan(best: number, count: number, random: Random): readonly number[] {
  return Array.from({ length: count }, () => best + drawBestDepth(random, 1));
}

/** Uniform rank keys in [0, 1). Only the top one is kept unless elections need all of them. */
function drawHonest(random: Random, count: number, keep: boolean) {
  const keys: number[] = [];
  let top = 0;
  for (let index = 0; index < count; index += 1) {
    const key = random.unit();
    top = Math.max(top, key);
    if (keep) keys.push(key);
  }
  return { top, keys };
}

function depthOf(key: number): number {
  return -Math.log(key);
}

/** The owners by rank: the deepest key has rank 1. */
function ownersOf(honest: readonly number[], forged: readonly DrawnMember[]): Owners {
  const members = [
    ...honest.map((key): DrawnMember => ({ depth: depthOf(key), owner: null })),
    ...forged.filter(({ depth }) => depth < Number.POSITIVE_INFINITY),
  ];
  return members.toSorted((left, right) => right.depth - left.depth).map(({ owner }) => owner);
}

/** An election with another winner than the owner of the largest key is a bug. */
function assertWinner(elections: readonly ElectionResult[], expected: string | null): void {
  const owner = expected === null ? 'honest' : 'adversary';
  for (const { protocol, winner, adversary } of elections) {
    if (winner !== owner || adversary !== expected) {
      throw new TypeError(`"winner" expected ${owner} in ${protocol}, got ${winner}`);
    }
  }
}
