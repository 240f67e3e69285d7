/**
 * @module
 * Runs of a threat model per second of one thread. A sampled run is held against drawing its random
 * numbers alone, one run after the other, and a row of a sweep against a vectorised script of numpy; a mined run is
 * mostly key generation.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SAMPLED_ELECTION_RUNS } from '../src/experiment/document/limits.ts';
import type { ThreatModel } from '../src/experiment/document/threat-model.ts';
import { parseThreatModel } from '../src/experiment/reading/document.ts';
import { applySettings, readSetting } from '../src/experiment/reading/settings.ts';
import { executeRuns } from '../src/experiment/runs/run.ts';
import { executePacked } from '../src/experiment/sweep/chunk.ts';
import { outlineSweep, planCells } from '../src/experiment/sweep/plan.ts';
import type { PlainVerifier } from '../src/identity/keys/scheme.ts';
import { createRandom, parseSeed } from '../src/random.ts';
import { plainVerifier } from '../src/runtime/openssl/plain-verifier.ts';
import { threadClocks } from '../src/runtime/threads/clocks.ts';
import { kernelSource, textHasher } from '../src/runtime/threads/kernels.ts';

import type { Subject, Suite, Yardstick } from './measure.ts';
import { yardstickOf } from './measure.ts';
import { NUMPY_ANCHOR, numpyRows } from './numpy.ts';

const SEED = parseSeed('1');
const DOCUMENT = fileURLToPath(new URL('../threat-models/top-id.yaml', import.meta.url));
const HONEST = 16;
const ROW_HONEST = 8;
const CHUNK_ROWS = 8192;
const CHUNKS_PER_CALL = 32;
const SAMPLED_RUNS_PER_CALL = 2 ** 19;
const MINED_RUNS_PER_CALL = 4;

export function experimentSuite(): Suite {
  const numpy = numpyRows({ honest: ROW_HONEST, attempts: 64, bits: 4 });
  return {
    subjects: [
      rowsOf(numpy),
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
    notes: [
      'rows, to reach: 0.1 of numpy',
      ...(numpy === null ? [`numpy is not installed; ${NUMPY_ANCHOR}`] : []),
    ],
  };
}

/** Rows of a sweep as its threads compute them, packed for the journal. */
function rowsOf(yardstick: Yardstick | null): Subject {
  const sets = ['work=sampled', `network.honest=${ROW_HONEST}`];
  const outline = outlineSweep(topId(), { sets, document: null, runs: 1, seed: SEED });
  const cells = planCells(topId(), outline, { seed: SEED, rateMeasured: null });
  const spec = { cells, seed: SEED, seedRule: 'paired' } as const;
  const services = {
    clocks: threadClocks,
    kernels: kernelSource(),
    texts: textHasher(),
    rateMeasured: null,
  };
  let from = 0;
  const call = () => {
    for (let chunk = 0; chunk < CHUNKS_PER_CALL; chunk += 1) {
      executePacked(spec, { cell: 0, from, count: CHUNK_ROWS }, services);
      from += CHUNK_ROWS;
    }
  };
  const name = `row of a sweep, top-id sampled, ${ROW_HONEST} honest, 64 attempts at 4 bits, packed`;
  const unitsPerCall = CHUNKS_PER_CALL * CHUNK_ROWS;
  return { name, unit: 'rows', unitsPerCall, clock: 'cpu', call, yardstick };
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
    texts: textHasher(),
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
