/**
 * @module
 * Runs of a threat model. Run r under a base seed has the same outcome in whatever batch or worker it
 * is executed, since each run draws from streams of its own (only budgets in seconds make mined runs
 * depend on the machine). Pure: clocks and measured rates come in as services.
 */

import type { Clocks } from '../mining/search.ts';
import type { KernelSource } from '../mining/strategy.ts';
import type { Seed } from '../random.ts';
import { deriveSeed } from '../random.ts';
import { executeMinedRun } from './mined-run.ts';
import { executeSampledRun, planSampled } from './sampled-run.ts';
import type { RunOutcome, Tally } from './tally.ts';
import { EMPTY_TALLY, mergeTallies, tallyOf } from './tally.ts';
import type { ThreatModel } from './threat-model.ts';

/** What runs need of the world. */
export interface Services {
  readonly clocks: Clocks;
  readonly kernels: KernelSource;
  /** Candidates per second of this machine; needed if `needsMeasuredRate(model)`. */
  readonly rateMeasured: number | null;
}

/** Runs from..from+count−1. */
export interface RunRange {
  readonly from: number;
  readonly count: number;
}

type Executor = (run: number) => RunOutcome;

/** Executes one run. */
export function executeRun(
  model: ThreatModel,
  { seed, run }: { readonly seed: Seed; readonly run: number },
  services: Services,
): RunOutcome {
  return executor(model, seed, services)(run);
}

/** Executes a range of runs and adds them up. */
export function executeRuns(
  model: ThreatModel,
  seed: Seed,
  range: RunRange,
  services: Services,
): Tally {
  const execute = executor(model, seed, services);
  let tally = EMPTY_TALLY;
  for (let run = range.from; run < range.from + range.count; run += 1) {
    tally = mergeTallies(tally, tallyOf(execute(run)));
  }
  return tally;
}

function executor(model: ThreatModel, seed: Seed, services: Services): Executor {
  switch (model.work) {
    case 'mined':
      return (run) => {
        const runSeed = deriveSeed(seed, 'run', run);
        const outcome = executeMinedRun(model, { run, runSeed }, services);
        return { ...outcome, won: isWonByElections(model, outcome) };
      };
    case 'sampled': {
      const plan = planSampled(model, services.rateMeasured);
      return (run) => {
        const { adversaryIsTop, ...outcome } = executeSampledRun(model, plan, { run, seed });
        const isDrawn = model.expect.property === 'adversary-leads';
        return { ...outcome, won: isDrawn ? adversaryIsTop : isWonByElections(model, outcome) };
      };
    }
    default:
      return model.work satisfies never;
  }
}

function isWonByElections(
  { expect }: ThreatModel,
  { elections }: Omit<RunOutcome, 'won'>,
): boolean {
  switch (expect.property) {
    case 'adversary-leads':
      return elections.every((election) => election.winner === 'adversary');
    case 'highest-leads':
      return elections.every((election) => election.highestLeads);
    default:
      return expect.property satisfies never;
  }
}
