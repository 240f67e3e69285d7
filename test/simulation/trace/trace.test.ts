/**
 * @module
 * The same options and seed give the same trace, byte for byte, in another process too.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import { LabError } from '../../../src/errors.ts';
import { parseSeed } from '../../../src/random.ts';
import { Engine } from '../../../src/simulation/engine/engine.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import { TRACE_RECORDS_LIMIT } from '../../../src/simulation/engine/trace.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const SIMULATE = fileURLToPath(new URL('../../../src/simulation/run/simulate.ts', import.meta.url));
const SIMULATION = fileURLToPath(
  new URL('../../../src/simulation/run/simulation.ts', import.meta.url),
);

function optionsOf(protocol: SimulationOptions['protocol'], seed: string): SimulationOptions {
  return {
    protocol,
    nodes: 20,
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 30 },
    faults: [
      { type: 'crash', rank: 20, at: 40 },
      { type: 'recover', rank: 20, at: 400 },
    ],
    seed: parseSeed(seed),
    trace: true,
  };
}

function digestHere(options: SimulationOptions): string {
  const simulation = createSimulation(options);
  runElection(simulation);
  const hash = createHash('sha256');
  for (const line of simulation.traceLines()) hash.update(line);
  return hash.digest('hex');
}

/** The digest of each by one other process. */
function digestsElsewhere(all: readonly SimulationOptions[]): unknown {
  const program = `
    import { createHash } from 'node:crypto';
    import { createSimulation } from ${JSON.stringify(SIMULATION)};
    import { runElection } from ${JSON.stringify(SIMULATE)};
    const digests = ${JSON.stringify(all)}.map((options) => {
      const simulation = createSimulation(options);
      runElection(simulation);
      const hash = createHash('sha256');
      for (const line of simulation.traceLines()) hash.update(line);
      return hash.digest('hex');
    });
    process.stdout.write(JSON.stringify(digests));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return JSON.parse(printed);
}

describe.each(PROTOCOL_NAMES)('a trace of %s', (protocol) => {
  it('is the same twice, and another under another seed', () => {
    expect(digestHere(optionsOf(protocol, '1'))).toBe(digestHere(optionsOf(protocol, '1')));
    expect(digestHere(optionsOf(protocol, '2'))).not.toBe(digestHere(optionsOf(protocol, '1')));
  });
});

it('the traces of all are the same in another process', () => {
  const all = PROTOCOL_NAMES.map((protocol) => optionsOf(protocol, '1'));

  expect(digestsElsewhere(all)).toEqual(all.map(digestHere));
});

describe('trace lines', () => {
  it('begin with the options and then are one JSON object an action', () => {
    const simulation = createSimulation({
      protocol: 'cr-join',
      nodes: 1,
      seed: parseSeed('7'),
      trace: true,
    });
    runElection(simulation);

    const lines = [...simulation.traceLines()];

    expect(lines.every((line) => line.endsWith('\n'))).toBe(true);
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        trace: 'usurp/trace/v1',
        options: {
          protocol: 'cr-join',
          nodes: 1,
          ring: [1],
          latency: '1',
          fifo: true,
          seed: '7',
          crashedBefore: [],
          faults: [],
          untilTicks: 260,
          trace: true,
        },
      },
      {
        seq: 0,
        t: 0,
        action: { type: 'start', node: 1 },
        effects: [{ type: 'send', id: 0, to: 1, message: { type: 'PROBE', candidate: 1 } }],
      },
      {
        seq: 1,
        t: 1,
        action: { type: 'deliver', message: 0 },
        effects: [
          { type: 'elect', leader: 1, epoch: 0 },
          { type: 'send', id: 1, to: 1, message: { type: 'SELECTED', leader: 1 } },
        ],
      },
      { seq: 2, t: 2, action: { type: 'deliver', message: 1 }, effects: [] },
    ]);
  });

  it('are none unless asked for', () => {
    const simulation = createSimulation({ protocol: 'cr-join', nodes: 3, seed: parseSeed('7') });
    runElection(simulation);

    expect(simulation.records()).toEqual([]);
  });

  it('are refused beyond what memory holds', () => {
    const record: TraceRecord = { seq: 0, t: 0, action: { type: 'start', node: 1 }, effects: [] };
    const engineWith = (records: TraceRecord[]) =>
      new Engine({
        cast: createCast({
          protocol: 'cr-join',
          timing: { latencyTicksMax: 1 },
          ring: [1],
          crashedBefore: [],
        }),
        nodeOrder: [1],
        crashedBefore: [],
        latencyTicksMax: 1,
        delay: () => 1,
        orderLinks: false,
        messageTypes: [],
        records,
      });
    const almostFull = new Array<TraceRecord>(TRACE_RECORDS_LIMIT - 1).fill(record);

    const engine = engineWith(almostFull);
    engine.start(1);

    expect(() => engine.start(1)).toThrow(LabError);
    expect(almostFull.length).toBe(TRACE_RECORDS_LIMIT);
  });
});
