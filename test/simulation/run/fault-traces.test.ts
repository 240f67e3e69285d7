/**
 * @module
 * Compares the whole traces of 200 random runs with faults, over all protocols, with the digests in
 * test/golden/fault-traces.json. A faster engine must leave every byte of them as it is. `RECORD=1` rewrites
 * the file; use it only when the commit explains every difference.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { parseDetector } from '../../../src/election/detectors/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { traceDigest } from '../../../src/simulation/engine/trace.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { swarmRun } from '../schedules.ts';

const FILE = new URL('../../golden/fault-traces.json', import.meta.url);
const RUNS = 200;

/** By number of the run, from 1 on. */
const runs = Array.from({ length: RUNS }, (_, index) => ({
  number: index + 1,
  protocol: PROTOCOL_NAMES[index % PROTOCOL_NAMES.length] ?? 'raft',
}));

/** The digest of one run. Every third has detectors of its own on its nodes, with many timers. */
function digestOf(number: number, protocol: ProtocolName): string {
  const options = swarmRun(number, { protocol, restart: number % 2 === 0 });
  const detector = number % 3 === 0 ? { detector: parseDetector('fd-heartbeat') } : {};
  const simulation = createSimulation({ ...options, ...detector, trace: true });
  runElection(simulation);
  return traceDigest(simulation.traceLines());
}

describe('the traces of random runs with faults', () => {
  it('are the recorded ones, byte by byte', () => {
    const digests = runs.map(({ number, protocol }) => {
      return `${number} ${protocol} ${digestOf(number, protocol)}`;
    });
    if (process.env.RECORD === '1') writeFileSync(FILE, `${JSON.stringify(digests, null, 2)}\n`);

    expect(digests).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
  });
});
