/**
 * @module
 * One thread of an experiment: executes ranges of runs and reports their tallies, or searches the responses of the
 * adversaries. It mines on its own thread, so its clocks are the clocks of its adversaries.
 */

import type { SearchRates, ThreatModel } from '../../experiment/document/threat-model.ts';
import type { Settled } from '../../experiment/response/settle.ts';
import { executeRuns, settled } from '../../experiment/runs/run.ts';
import type { Tally } from '../../experiment/runs/tally.ts';
import type { Seed } from '../../random.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';
import { threadClocks } from './clocks.ts';
import { kernelSource, textHasher } from './kernels.ts';
import type { Range } from './range-pool.ts';
import { serveRanges } from './range-pool.ts';

export interface ExperimentSpec {
  readonly model: ThreatModel;
  readonly seed: Seed;
  readonly rateMeasured: SearchRates;
}

export interface SettlingOrder {
  readonly type: 'settling';
}

export interface RunsReport {
  readonly tally: Tally;
  readonly wallSeconds: number;
}

serveRanges(({ model, seed, rateMeasured }: ExperimentSpec) => {
  const services = {
    clocks: threadClocks,
    kernels: kernelSource(),
    plain: plainVerifier,
    texts: textHasher(),
    rateMeasured,
  };
  return (range: Range | SettlingOrder): RunsReport | Settled => {
    if ('type' in range) return settled(model, rateMeasured);
    const start = threadClocks.wallSeconds();
    const tally = executeRuns(model, seed, range, services);
    return { tally, wallSeconds: threadClocks.wallSeconds() - start };
  };
});
