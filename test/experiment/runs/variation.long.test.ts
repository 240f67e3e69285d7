/**
 * @module
 * What the seed decides, as a model shows it, beside real runs under several seeds: they differ if and only
 * if the seed decides something. Runs that are all the same get no interval.
 */

import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../../../src/election/registry.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { parseThreatModel } from '../../../src/experiment/reading/document.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import { ordinaryOwners } from '../../../src/experiment/runs/registration.ts';
import { createObserver, executeRuns } from '../../../src/experiment/runs/run.ts';
import { constantGroups, seedEffectsOf } from '../../../src/experiment/runs/variation.ts';
import { createStaging } from '../../../src/experiment/staging/model-stage.ts';
import { readScript } from '../../../src/experiment/staging/script.ts';
import { report } from '../../../src/experiment/verdict/report.ts';
import { parseSeed } from '../../../src/random.ts';
import { runExperiment } from '../../../src/runtime/threads/experiment-pool.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { sampled } from '../../sample.ts';
import { catalogueText, STILL, topId } from '../models.ts';
import { lowest, watchedModel } from '../staging/watched-models.ts';

/** A document of the catalogue with settings. */
function changed(id: string, ...settings: readonly string[]): ThreatModel {
  return applySettings(
    parseThreatModel(catalogueText(id), `${id}.yaml`),
    settings.map(readSetting),
  );
}

/** The number of different results with each group of protocols, under twelve seeds. */
function differentResults(model: ThreatModel): readonly number[] {
  const observe = createObserver(model, STILL);
  const runs = Array.from({ length: 12 }, (_, index) =>
    observe({ seed: parseSeed(String(index)), run: 0 }),
  );
  return seedEffectsOf(model).map(
    (_, group) => new Set(runs.map((outcomes) => JSON.stringify(outcomes[group]))).size,
  );
}

/** The number of different traces of an election without forged identities, under four seeds. */
function differentTraces(model: ThreatModel, protocol: ProtocolName): number {
  const staged = createStaging(model, readScript(model));
  const traces = ['1', '2', '3', '4'].map((text) => {
    const { options, ticks } = staged({
      protocol,
      owners: ordinaryOwners(model),
      seed: parseSeed(text),
    });
    const simulation = createSimulation({ ...options, trace: true });
    simulation.start();
    simulation.advance({ until: ticks });
    return JSON.stringify(simulation.records());
  });
  return new Set(traces).size;
}

/** The threat models in which nothing is drawn but what the document leaves open. */
const EVERY_OPEN = [
  'partition-bully',
  'spoofed-coordinator-l0',
  'spoofed-coordinator-l2',
  'zombie-leader-fenced',
  'zombie-leader-unfenced',
];
const OPEN = sampled(EVERY_OPEN, 2);
const CONSTANT = 'network.election.latency=1';

describe('the threat model', () => {
  it.each(OPEN)('%s has runs that differ, because latency is drawn by default', (id) => {
    const model = changed(id);

    expect(seedEffectsOf(model).flat()).toContain('the latency of messages');
    for (const protocol of model.network.election.protocols) {
      expect(differentTraces(model, protocol)).toBe(4);
    }
  });

  it.each(OPEN)('%s at a constant latency has one run, and no interval', async (id) => {
    const model = changed(id, CONSTANT);

    const different = differentResults(model);
    const { tally, isComplete } = await runExperiment(
      { model, seed: parseSeed('3'), runs: 40 },
      { threads: 2 },
    );
    const request = { id, seed: parseSeed('3'), runs: 1, settings: [], rateMeasured: null };
    const { verdict, results } = report(model, tally, request);

    expect(constantGroups(model)).not.toContain(false);
    expect(different).toEqual(different.map(() => 1));
    expect({ runs: tally.runs, isComplete }).toEqual({ runs: 1, isComplete: true });
    expect(results.map(({ measured }) => measured.interval)).toEqual(results.map(() => null));
    expect(verdict).toMatchObject({
      value: 'true',
      reason: 'every run is the same; one was made',
    });
  });
});

describe('the seed', () => {
  it.each([
    ['the identities of the adversary', topId()],
    ['the identities of the adversary', topId('work=sampled')],
    ['the identities and the beacon of each epoch', changed('last-revealer')],
    ['the order of the ring', changed('phantom-probe', CONSTANT)],
    ['the choices of nodes', changed('partition-raft', CONSTANT)],
    ['the faults', watchedModel('bully-oneshot', 'split', 'faults={loss: 20%}')],
    [
      'the victim',
      topId('expect.property=successors-captured', 'adversaries.main={identities: 3, goal: any}'),
    ],
  ])('decides %s', (effect, model) => {
    expect(seedEffectsOf(model)[0]).toContain(effect);
    expect(Math.max(...differentResults(model))).toBeGreaterThan(1);
  });

  it.each([
    ['bully without an adversary', watchedModel('bully-oneshot', 'split')],
    [
      'bully with a spoofer',
      watchedModel('bully-oneshot', 'no-leader', lowest('spoof-coordinator')),
    ],
    ['a ring by rank', watchedModel('ring-collect', 'split', 'network.election.ring=by-id')],
    ['a lease', watchedModel('db-lease', 'split')],
    ['a loss of every message', watchedModel('bully-oneshot', 'split', 'faults={loss: 100%}')],
    [
      'a majority of ordinary identities',
      topId('expect.property=majority-captured', 'adversaries.main={identities: 3, goal: any}'),
    ],
  ])('decides nothing in %s', (_name, model) => {
    expect(seedEffectsOf(model)).toEqual([[]]);
    expect(differentResults(model)).toEqual([1]);
  });

  it('makes a bug visible if equal runs differ', () => {
    const model = watchedModel('bully-oneshot', 'split');
    const seed = parseSeed('1');
    const tally = executeRuns(model, seed, { from: 0, count: 2 }, STILL);
    const request = { id: model.id, seed, runs: 2, settings: [], rateMeasured: null };

    expect(report(model, tally, request).results[0]?.measured).toMatchObject({ runs: 1, wins: 0 });
    expect(() => report(model, { ...tally, wins: [1] }, request)).toThrow(TypeError);
  });
});
