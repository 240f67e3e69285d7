/**
 * @module
 * Runs of a threat model per second of one thread. A sampled run is held against drawing its random
 * numbers alone, the least that any implementation would do; a mined one is mostly key generation.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SAMPLED_ELECTION_RUNS } from '../src/experiment/document/limits.ts';
import type { ThreatModel } from '../src/experiment/document/threat-model.ts';
import { parseThreatModel } from '../src/experiment/reading/document.ts';
import { applySettings, readSetting } from '../src/experiment/reading/settings.ts';
import { executeRuns } from '../src/experiment/runs/run.ts';
import type { PlainVerifier } from '../src/identity/keys/scheme.ts';
import { createRandom, parseSeed } from '../src/random.ts';
import { plainVerifier } from '../src/runtime/openssl/plain-verifier.ts';
import { threadClocks } from '../src/runtime/threads/clocks.ts';
import { kernelSource } from '../src/runtime/threads/kernels.ts';

import type { Subject, Suite, Yardstick } from './measure.ts';
import { yardstickOf } from './measure.ts';

const SEED = parseSeed('1');
const DOCUMENT = fileURLToPath(new URL('../threat-models/top-id.yaml', import.meta.url));
const HONEST = 16;
const SAMPLED_RUNS_PER_CALL = 2 ** 17;
const MINED_RUNS_PER_CALL = 4;

export function experimentSuite(): Suite {
  return {
    subjects: [
      runsOf('top-id sampled, 16 honest, 64 attempts at 4 bits, no election held', {
        model: topId('work=sampled', `network.honest=${HONEST}`),
        runsPerCall: SAMPLED_RUNS_PER_CALL,
        yardstick: drawsAlone(),
      }),
      runsOf('top-id mined, 16 honest, 64 attempts at 4 bits, elections held', {
        model: topId('work=mined', `network.honest=${HONEST}`),
        runsPerCall: MINED_RUNS_PER_CALL,
        yardstick: minedByNoble(),
      }),
    ],
    rounds: 5,
    sliceMs: 600,
    notes: [],
  };
}

function topId(...settings: readonly string[]): ThreatModel {
  return applySettings(
    parseThreatModel(readFileSync(DOCUMENT, 'utf8'), DOCUMENT),
    settings.map(readSetting),
  );
}

function runsOf(
  name: string,
  task: {
    readonly model: ThreatModel;
    readonly runsPerCall: number;
    readonly plain?: PlainVerifier | null;
    readonly yardstick: Yardstick | null;
  },
): Subject {
  const { model, runsPerCall: count, plain = plainVerifier, yardstick } = task;
  const services = {
    clocks: threadClocks,
    kernels: kernelSource(),
    plain,
    rateMeasured: null,
  };
  let from = SAMPLED_ELECTION_RUNS;
  const call = () => {
    executeRuns(model, SEED, { from, count }, services);
    from += count;
  };
  return { name, unit: 'runs', unitsPerCall: count, clock: 'cpu', call, yardstick };
}

/** Signatures of mined claims are verified by noble alone. */
function minedByNoble(): Yardstick {
  const model = topId('work=mined', `network.honest=${HONEST}`);
  const task = { model, runsPerCall: MINED_RUNS_PER_CALL, plain: null, yardstick: null };
  return yardstickOf(runsOf('the same with noble alone', task));
}

/** A stream a run and its uniform draws: one for K, one for each node, one for the best of K. */
function drawsAlone(): Yardstick {
  let run = 0;
  const call = () => {
    let top = 0;
    for (const end = run + SAMPLED_RUNS_PER_CALL; run < end; run += 1) {
      const random = createRandom(SEED, 'run', run);
      for (let draw = 0; draw < HONEST + 2; draw += 1) top = Math.max(top, random.unit());
    }
    return top;
  };
  const name = 'its random numbers alone';
  return yardstickOf({
    name,
    unit: 'runs',
    unitsPerCall: SAMPLED_RUNS_PER_CALL,
    clock: 'cpu',
    call,
  });
}
