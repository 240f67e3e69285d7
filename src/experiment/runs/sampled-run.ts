/**
 * @module
 * One run without mining. The number K of valid identities that an adversary's attempts yield is
 * drawn from its exact law Bin(attempts, 2^-c1), the honest rank keys are drawn uniform, and the
 * adversary's best as the maximum of K uniform keys; whoever is larger leads. The closed form is never
 * evaluated. For the first runs the elections are held all the same and must name the same winner.
 */

import { PROTOCOLS } from '../../election/registry.ts';
import { winProbability } from '../../mining/odds.ts';
import { strategyOf } from '../../mining/strategies.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom, deriveSeed } from '../../random.ts';
import { MESSAGES_LIMIT } from '../../simulation/plan/plan.ts';
import { SAMPLED_ELECTION_MESSAGES_MAX, SAMPLED_ELECTION_RUNS } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';
import { budgetAttempts } from './budget.ts';
import { holdElections } from './elections.ts';
import type { Observations } from './observations.ts';
import type { ElectionResult, RunOutcome } from './tally.ts';

/** What is drawn in every run of a model, worked out once. */
export interface SampledPlan {
  readonly honest: number;
  /** The attempts of each adversary, by name. */
  readonly attempts: readonly number[];
  /** The probability that an attempt meets the puzzle. */
  readonly validProbability: number;
  /** How many runs, from run 0, hold their elections. */
  readonly electionRuns: number;
  /** What the attempts cost, the same in every run. */
  readonly spent: Observations;
}

/** The plan of a model; `rateMeasured` as in `budgetAttempts`. */
export function planSampled(model: ThreatModel, rateMeasured: number | null): SampledPlan {
  const adversaries = adversariesOf(model).map(([, adversary]) => adversary);
  return {
    honest: model.network.honest,
    attempts: adversaries.map((adversary) => budgetAttempts(model, adversary, rateMeasured)),
    validProbability: winProbability(model.network.identity, { type: 'any' }),
    electionRuns: electionRuns(model),
    spent: spentOf(model, rateMeasured),
  };
}

/** Attempts, and what they cost by the strategies' own account. */
export function spentOf(model: ThreatModel, rateMeasured: number | null): Observations {
  const { scheme, ...policy } = model.network.identity;
  const spent = { attempts: 0, hashes: 0, group_operations: 0 };
  for (const [, adversary] of adversariesOf(model)) {
    const attempts = budgetAttempts(model, adversary, rateMeasured);
    const cost = strategyOf(adversary.strategy).cost(policy, scheme);
    spent.attempts += attempts;
    spent.hashes += Math.ceil(attempts * cost.hashes);
    spent.group_operations += Math.ceil(attempts * cost.groupOperations);
  }
  return spent;
}

/**
 * How many sampled runs hold their elections: all where the expected property is about elections, else
 * as many as the document says, else the first 200, or fewer where the messages of the listed protocols
 * would exceed the limit on them; none where one of them would exceed what a simulation takes.
 */
export function electionRuns(model: ThreatModel): number {
  if (model.expect.property === 'highest-leads') return Number.POSITIVE_INFINITY;
  if (model.confirmRuns !== undefined) return model.confirmRuns;
  const nodes = model.network.honest + adversariesOf(model).length;
  const messages = model.network.election.protocols.map((name) =>
    PROTOCOLS[name].messagesAbout(nodes),
  );
  if (messages.some((count) => count > MESSAGES_LIMIT)) return 0;
  const messagesPerRun = messages.reduce((sum, count) => sum + count, 0);
  const affordable = Math.floor(SAMPLED_ELECTION_MESSAGES_MAX / messagesPerRun);
  return Math.min(SAMPLED_ELECTION_RUNS, affordable);
}

/** Executes run `run` under the base seed. */
export function executeSampledRun(
  model: ThreatModel,
  plan: SampledPlan,
  { run, seed }: { readonly run: number; readonly seed: Seed },
): Omit<RunOutcome, 'won'> & { readonly adversaryIsTop: boolean } {
  const random = createRandom(seed, 'run', run);
  const identities = plan.attempts.map((attempts) =>
    drawBinomial(random, attempts, plan.validProbability),
  );
  const holdsElections = run < plan.electionRuns;
  const honest = drawHonest(random, plan.honest, holdsElections);
  const depths = identities.map((count) => drawBestDepth(random, count));
  const bestDepth = Math.min(Number.POSITIVE_INFINITY, ...depths);
  const adversaryIsTop = bestDepth < depthOf(honest.top);
  const elections = holdsElections
    ? confirm(model, { honest: honest.keys, depths, adversaryIsTop }, deriveSeed(seed, 'run', run))
    : [];
  const observations = { ...plan.spent, identities: identities.reduce(sum, 0) };
  return { run, elections, forges: [], honestLedger: null, observations, adversaryIsTop };
}

function sum(left: number, right: number): number {
  return left + right;
}

/** Uniform rank keys in [0, 1); all are kept only where they are needed, the top one always. */
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

/**
 * The depth −ln(key) of the best of `count` uniform keys, which is exponential with mean 1/count;
 * infinite where there is none. Depths tell keys next to 1 apart, which doubles no longer can when
 * `count` is large.
 */
export function drawBestDepth(random: Random, count: number): number {
  return count === 0 ? Number.POSITIVE_INFINITY : -Math.log1p(-random.unit()) / count;
}

function depthOf(key: number): number {
  return -Math.log(key);
}

/** Holds the elections among the drawn keys; a winner other than the largest key's owner is a bug. */
function confirm(
  model: ThreatModel,
  drawn: {
    readonly honest: readonly number[];
    readonly depths: readonly number[];
    readonly adversaryIsTop: boolean;
  },
  runSeed: Seed,
): readonly ElectionResult[] {
  const members = [
    ...drawn.honest.map((key) => ({ depth: depthOf(key), role: 'honest' as const })),
    ...drawn.depths
      .filter((depth) => depth < Number.POSITIVE_INFINITY)
      .map((depth) => ({ depth, role: 'adversary' as const })),
  ];
  // Deepest first: rank 1 is the lowest key.
  const population = members
    .toSorted((left, right) => right.depth - left.depth)
    .map((member) => member.role);
  const elections = holdElections(model, population, runSeed);
  if (model.expect.property === 'highest-leads') return elections;
  const expected = drawn.adversaryIsTop ? 'adversary' : 'honest';
  for (const { protocol, winner } of elections) {
    if (winner !== expected) {
      throw new TypeError(`"winner" expected ${expected} in ${protocol}, got ${winner}`);
    }
  }
  return elections;
}
