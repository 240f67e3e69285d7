/**
 * @module
 * Runs of a threat model. Run r under a base seed has the same outcome in whatever batch or worker it
 * is executed, since each run draws from streams of its own (only budgets in seconds make mined runs
 * depend on the machine). Pure: clocks and measured rates come in as services.
 */

import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import { runKindOf } from '../document/run-kind.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { captureRunner } from './capture-run.ts';
import { epochsRunner } from './epochs-run.ts';
import { executeMinedRun } from './mined-run.ts';
import type { Observations } from './observations.ts';
import type { Runner, Services } from './runner.ts';
import { executeSampledRun, planSampled } from './sampled-run.ts';
import type { RunOutcome, Tally } from './tally.ts';
import { addLedgers, EMPTY_TALLY, mergeTallies, tallyOf } from './tally.ts';
import { watchedRunner } from './watched-run.ts';

/** Runs from..from+count−1. */
export interface RunRange {
  readonly from: number;
  readonly count: number;
}

/** The runner of a model. Its outcomes have everything in their observations that there is to see. */
export function createRunner(model: ThreatModel, services: Services): Runner {
  const execute = runnerOfKind(model, services);
  return (of) => {
    const outcome = execute(of);
    return { ...outcome, observations: { ...countsOf(outcome), ...outcome.observations } };
  };
}

/** Executes one run. */
export function executeRun(
  model: ThreatModel,
  of: { readonly seed: Seed; readonly run: number },
  services: Services,
): RunOutcome {
  return createRunner(model, services)(of);
}

/** Executes a range of runs and adds them up. */
export function executeRuns(
  model: ThreatModel,
  seed: Seed,
  range: RunRange,
  services: Services,
): Tally {
  // A single run is told in full.
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
    case 'ranking':
      return rankingRunner(model, services);
    case 'capture':
      return captureRunner(model, services);
    case 'epochs':
      return epochsRunner(model, services);
    case 'watched':
      return watchedRunner(model, services);
    default:
      return kind satisfies never;
  }
}

/** Runs in which the highest rank decides, and elections name its holder. */
function rankingRunner(model: ThreatModel, services: Services): Runner {
  switch (model.work) {
    case 'mined':
      return ({ seed, run }) => {
        const runSeed = deriveSeed(seed, 'run', run);
        const outcome = executeMinedRun(model, { run, runSeed }, services);
        return { ...outcome, won: isWonByElections(model, outcome) };
      };
    case 'sampled': {
      const plan = planSampled(model, services.rateMeasured);
      return ({ seed, run }) => {
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
  return expect.property === 'adversary-leads'
    ? elections.every((election) => election.winner === 'adversary')
    : elections.every((election) => election.highestLeads);
}

/** What every outcome shows of itself. */
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
