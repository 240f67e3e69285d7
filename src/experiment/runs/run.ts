/**
 * @module
 * This folder contains the runs of a threat model. Run r under a base seed has the same outcome in every
 * batch and worker, because each run draws from streams of its own (budgets in seconds make mined runs
 * depend on the machine). The code is pure: clocks and measured rates are services.
 */

import { addLedgers } from '../../mining/ledger.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { runKindOf } from '../document/threat-model.ts';
import { captureJudge } from './capture-run.ts';
import { drawnPopulation } from './drawn-population.ts';
import { electionsJudge } from './elections.ts';
import { epochsRunner } from './epochs-run.ts';
import { minedPopulation } from './mined-population.ts';
import type { Observations } from './observations.ts';
import type { Judge, Runner, Services } from './runner.ts';
import { sampledRunner } from './sampled-run.ts';
import type { RunOutcome, Tally } from './tally.ts';
import { EMPTY_TALLY, mergeTallies, tallyOf } from './tally.ts';
import { watchedJudge } from './watched-run.ts';

/** Runs from..from+count−1. */
export interface RunRange {
  readonly from: number;
  readonly count: number;
}

/** The runner of a model. Its outcomes have all observations. */
export function createRunner(model: ThreatModel, services: Services): Runner {
  const execute = runnerOfKind(model, services);
  return (of) => {
    const outcome = execute(of);
    return { ...outcome, observations: { ...countsOf(outcome), ...outcome.observations } };
  };
}

/** Executes a range of runs and adds them up. */
export function executeRuns(
  model: ThreatModel,
  seed: Seed,
  range: RunRange,
  services: Services,
): Tally {
  // The report of a single run shows all observations.
  const execute = range.count === 1 ? createRunner(model, services) : runnerOfKind(model, services);
  let tally = EMPTY_TALLY;
  for (let run = range.from; run < range.from + range.count; run += 1) {
    tally = mergeTallies(tally, tallyOf(execute({ seed, run })));
  }
  return tally;
}

function runnerOfKind(model: ThreatModel, services: Services): Runner {
  const kind = runKindOf(model);
  switch (kind) {
    case 'epochs':
      return epochsRunner(model, services);
    case 'ranking':
      return model.work === 'sampled'
        ? sampledRunner(model, services.rateMeasured)
        : populatedRunner(model, services, electionsJudge(model));
    case 'capture':
      return populatedRunner(model, services, captureJudge(model));
    case 'watched':
      return populatedRunner(model, services, watchedJudge(model));
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
    const { owners, observations, ...spent } = populate(runSeed);
    const judged = judge(owners, runSeed);
    return { run, ...spent, ...judged, observations: { ...observations, ...judged.observations } };
  };
}

/** The counts that every kind of run has. */
function countsOf({ elections, forges }: RunOutcome): Observations {
  const counts = {
    elections: elections.length,
    messages: elections.reduce((sum, election) => sum + election.messages, 0),
  };
  const [first, ...others] = forges.map((forge) => forge.ledger);
  if (first === undefined) return counts;
  const spent = others.reduce(addLedgers, first);
  return {
    ...counts,
    attempts: spent.attempts,
    hashes: spent.hashes,
    group_operations: spent.groupOperations,
    cpu_s: spent.cpuSeconds,
    wall_s: spent.wallSeconds,
  };
}
