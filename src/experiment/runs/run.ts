/**
 * @module
 * This folder contains the runs of a threat model. Run r under a base seed has the same outcome in every
 * batch and worker, because each run draws from streams of its own (budgets in seconds make mined runs
 * depend on the machine). The code is pure: clocks and measured rates are services.
 */

import type { TextHasher } from '../../mining/kernel/text-kernel.ts';
import { TEXTS_MAX } from '../../mining/kernel/text-kernel.ts';
import { addLedgers } from '../../mining/ledger.ts';
import { NO_KERNELS } from '../../mining/strategy.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed, labelText } from '../../random.ts';
import type { Arm, SearchRates, ThreatModel } from '../document/threat-model.ts';
import { armsOf, runKindOf } from '../document/threat-model.ts';
import { minedIdentities } from '../epochs/mined.ts';
import type { Settled } from '../response/settle.ts';
import { PILOT_MESSAGES_MAX } from '../response/settle.ts';
import { captureJudge } from './capture-run.ts';
import { drawnPopulation } from './drawn-population.ts';
import { electionsJudge } from './elections.ts';
import { epochsRunner } from './epochs-run.ts';
import { savedElection } from './held-election.ts';
import { minedPopulation } from './mined-population.ts';
import type { Observations } from './observations.ts';
import { OBSERVATION_NAMES } from './observations.ts';
import { protocolGroupsOf } from './protocol-groups.ts';
import type { Judge, Runner, Services } from './runner.ts';
import type { SampledBatch } from './sampled-batch.ts';
import { sampledBatch } from './sampled-batch.ts';
import { sampledRunner } from './sampled-run.ts';
import { settledWith } from './settled.ts';
import type { ForgeResult, GroupOutcome, RunOutcome, Tally } from './tally.ts';
import { EMPTY_TALLY, mergeTallies, messagesOf, tallyOf } from './tally.ts';
import { watchedJudge } from './watched-run.ts';

/** Runs from..from+count−1. */
export interface RunRange {
  readonly from: number;
  readonly count: number;
}

/** The model with the best responses of its adversaries for all parts that it leaves open. */
export function settled(model: ThreatModel, rateMeasured: SearchRates): Settled {
  const services = { ...NO_SERVICES, rateMeasured };
  return settledWith(model, rateMeasured, (pilot) => runnerOfKind(pilot, services));
}

/** Pilot runs draw their identities. They measure no time and mine nothing. */
const NO_SERVICES: Omit<Services, 'rateMeasured'> = {
  clocks: { cpuSeconds: () => 0, wallSeconds: () => 0 },
  kernels: NO_KERNELS,
  messagesMax: PILOT_MESSAGES_MAX,
};

/** The result of a run for one group of protocols, with all observations. */
export interface ObservedOutcome {
  readonly won: boolean;
  readonly observations: Observations;
}

/** Executes single runs of a model, for the rows of a sweep. */
export function createObserver(
  model: ThreatModel,
  services: Services,
): (of: Parameters<Runner>[0]) => readonly ObservedOutcome[] {
  const execute = createRunner(model, services);
  return (of) => observedOutcomes(execute(of));
}

function observedOutcomes({ outcomes, forges, observations }: RunOutcome) {
  const shared = { ...spentBy(forges), ...observations };
  return outcomes.map(({ won, elections, observations: own }): ObservedOutcome => {
    const counts = { elections: elections.length, messages: messagesOf(elections) };
    return { won, observations: { ...counts, ...shared, ...own } };
  });
}

/** Executes a range of runs and adds them up. */
export function executeRuns(
  model: ThreatModel,
  seed: Seed,
  range: RunRange,
  services: Services,
): Tally {
  const execute = createRunner(model, services);
  if (range.count === 1) {
    // The report of a single run shows all observations, and its elections can be held again.
    const outcome = execute({ seed, run: range.from });
    const observations = observedOutcomes(outcome).map((each) => each.observations);
    const saved = outcome.outcomes.map(({ elections }) =>
      elections.flatMap(({ held }) => (held === undefined ? [] : [savedElection(held)])),
    );
    return { ...tallyOf(outcome), observations, saved };
  }
  const { texts = null } = services;
  const batch = texts === null ? null : createBatch(model, services);
  const end = range.from + range.count;
  let tally = EMPTY_TALLY;
  for (let run = range.from; run < end; run += 1) {
    if (texts !== null && batch !== null && run >= batch.from) {
      const rest = { from: run, count: end - run };
      return mergeTallies(tally, batchTally(batch, texts, { seed, range: rest }));
    }
    tally = mergeTallies(tally, tallyOf(execute({ seed, run })));
  }
  return tally;
}

/** The batch of a model. Null if its runs are executed one by one. */
export function createBatch(model: ThreatModel, services: Services): SampledBatch | null {
  const closed = settled(model, services.rateMeasured).model;
  return sampledBatch(closed, services.rateMeasured);
}

function batchTally(
  batch: SampledBatch,
  texts: TextHasher,
  { seed, range }: { readonly seed: Seed; readonly range: RunRange },
): Tally {
  let wins = 0;
  for (let done = 0; done < range.count; done += TEXTS_MAX) {
    texts.count(range.from + done, Math.min(TEXTS_MAX, range.count - done));
    texts.hash(labelText(seed, 'run', ''), '');
    for (const won of batch.draw(texts.words()).won) wins += won;
  }
  return { ...EMPTY_TALLY, runs: range.count, wins: [wins] };
}

/** The runner of a model: one for each group of protocols with the same response, under the same seeds. */
export function createRunner(model: ThreatModel, services: Services): Runner {
  const closed = settled(model, services.rateMeasured).model;
  const arms = armsOf(closed);
  const [first, ...others] = arms.map((arm) => runnerOfKind(arm.model, services));
  if (first === undefined) throw new TypeError('"protocols" expected at least one, got none');
  if (others.length === 0) return first;
  const merge = armsMerger(closed, arms);
  return (of) => merge([first, ...others].map((execute) => execute(of)));
}

function runnerOfKind(model: ThreatModel, services: Services): Runner {
  const kind = runKindOf(model);
  switch (kind) {
    case 'epochs':
      return epochsRunner(
        model,
        services.rateMeasured,
        model.work === 'mined' ? minedIdentities(model.network.identity, services) : undefined,
      );
    case 'ranking':
      return model.work === 'sampled'
        ? sampledRunner(model, services.rateMeasured)
        : populatedRunner(model, services, electionsJudge(model));
    case 'capture':
      return populatedRunner(model, services, captureJudge(model));
    case 'watched':
      return populatedRunner(model, services, watchedJudge(model, services.messagesMax));
    default:
      return kind satisfies never;
  }
}

/** Makes the identities of each run, mined or drawn, and judges their owners. */
function populatedRunner(model: ThreatModel, services: Services, judge: Judge): Runner {
  const populate =
    model.work === 'mined'
      ? minedPopulation(model, services)
      : drawnPopulation(model, services.rateMeasured);
  return ({ seed, run }) => {
    const runSeed = deriveSeed(seed, 'run', run);
    const { owners, ...made } = populate(runSeed);
    return { run, ...made, outcomes: judge(owners, runSeed) };
  };
}

/** Makes one outcome of those of all arms, which are in the order of `arms`. */
function armsMerger(
  model: ThreatModel,
  arms: readonly Arm[],
): (outcomes: readonly RunOutcome[]) => RunOutcome {
  const ownGroups = arms.flatMap((arm, index) =>
    protocolGroupsOf(arm.model).map((protocols, group) => ({ protocols, index, group })),
  );
  const parts = protocolGroupsOf(model).map((protocols) =>
    ownGroups.filter((own) => own.protocols.every((name) => protocols.includes(name))),
  );
  return (outcomes) => {
    const [first] = outcomes;
    if (first === undefined) throw new TypeError('"outcomes" expected one for each arm, got none');
    const grouped = parts.map((own) =>
      own.map(({ index, group }) => outcomeOf(outcomes[index] ?? first, group)).reduce(together),
    );
    const forges = outcomes.map((each) => each.forges).reduce(addForges);
    // The honest nodes are the same in all arms.
    return { ...first, outcomes: grouped, forges, observations: {} };
  };
}

/** What the adversaries spent in mined work. */
function spentBy(forges: RunOutcome['forges']): Observations {
  const [first, ...others] = forges.map((forge) => forge.ledger);
  if (first === undefined) return {};
  const spent = others.reduce(addLedgers, first);
  return {
    attempts: spent.attempts,
    hashes: spent.hashes,
    groupOperations: spent.groupOperations,
    cpuS: spent.cpuSeconds,
    wallS: spent.wallSeconds,
  };
}

/** The outcome of one group, with the observations of its own population. */
function outcomeOf({ outcomes, forges, observations }: RunOutcome, group: number): GroupOutcome {
  const outcome = outcomes[group];
  if (outcome === undefined) throw new RangeError(`"group" expected one of a run, got ${group}`);
  const shared = { ...spentBy(forges), ...observations };
  return { ...outcome, observations: { ...shared, ...outcome.observations } };
}

/** Protocols of which the document expects the property together. */
function together(left: GroupOutcome, right: GroupOutcome): GroupOutcome {
  const sums = OBSERVATION_NAMES.flatMap((name) => {
    const [one, other] = [left.observations?.[name], right.observations?.[name]];
    // A mean cannot be added.
    if (name === 'detectionTicks' || (one === undefined && other === undefined)) return [];
    return [[name, (one ?? 0) + (other ?? 0)] as const];
  });
  return {
    won: left.won && right.won,
    elections: [...left.elections, ...right.elections],
    observations: Object.fromEntries(sums),
  };
}

function addForges(left: readonly ForgeResult[], right: readonly ForgeResult[]) {
  return left.map((forge, index) => {
    const other = right[index];
    if (other === undefined) return forge;
    const ledger = addLedgers(forge.ledger, other.ledger);
    return { ...forge, joined: forge.joined || other.joined, ledger };
  });
}
