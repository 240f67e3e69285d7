/**
 * @module
 * Elections that a request names as a whole: the elections of single runs of threat models, and the runs of
 * scenarios. Each is the same election as in the run: the same leader, the same messages and the same verdict. A run may end
 * an election when its leader is certain, and has then counted fewer messages.
 */

import { describe, expect, it } from 'vitest';
import { PROTOCOLS } from '../../../../src/election/registry.ts';
import { runKindOf } from '../../../../src/experiment/document/threat-model.ts';
import { savedElection } from '../../../../src/experiment/runs/held-election.ts';
import { parseSeed } from '../../../../src/random.ts';
import { readCatalogue } from '../../../../src/runtime/files/catalogue.ts';
import { LATENCY_TICKS_MAX, NODES_MAX } from '../../../../src/simulation/request/remote-limits.ts';
import { createSimulation } from '../../../../src/simulation/run/simulation.ts';
import { SCENARIOS } from '../../../../src/simulation/scenarios/registry.ts';
import { playScenario } from '../../../../src/simulation/scenarios/scenario.ts';
import { electionsOf, executeRun, firstOf, modelFrom, STILL } from '../../../experiment/models.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const SEED = parseSeed('3');

/** The models of the catalogue whose runs hold elections that are not too large for the server. */
const HELD = (await readCatalogue())
  .filter((model) => ['watched', 'ranking'].includes(runKindOf(model)))
  .filter(({ network }) => network.honest < NODES_MAX)
  .map(({ id }) => id);

/** The part of an election that its simulation decides. */
interface Shown {
  readonly leader: { readonly rank: number } | null;
  readonly messages: Readonly<Record<string, number>>;
  readonly time: number;
  readonly verdict: { readonly value: string; readonly reason: string };
}

/** The elections of the first run of a model, with what a simulation of each shows. */
function heldIn(id: string) {
  const model = modelFrom(id, 'work=sampled');
  return electionsOf(executeRun(model, { seed: SEED, run: 0 }, STILL)).flatMap((election) => {
    const { held, messages, protocol } = election;
    if (held === undefined) return [];
    const mayEndEarly = runKindOf(model) === 'ranking' && PROTOCOLS[protocol].decided !== null;
    const untilTicks = held.until === 'idle' ? undefined : held.until;
    const simulation = createSimulation({ ...held.options, untilTicks });
    simulation.start();
    simulation.advance({ until: held.until });
    const status = simulation.status();
    const verdict = simulation.overdue() ?? status.verdict;
    return [{ mayEndEarly, messages, status: { ...status, verdict }, saved: savedElection(held) }];
  });
}

describe('an election of a saved run', () => {
  it.each(HELD)('is the election of a run of %s', async (id) => {
    const lab = labUnderTest();
    const held = heldIn(id);

    expect(held.length).toBeGreaterThan(0);
    for (const { mayEndEarly, messages, status, saved } of held) {
      const body: unknown = JSON.parse(JSON.stringify({ saved: saved.saved }));
      const { status: code, json } = await lab.post('/v1/elections', body);
      expect(code).toBe(201);
      const actions = `/v1/elections/${json.id}/actions`;
      await lab.post(actions, { type: 'start' });
      const ended = await lab.post(actions, { type: 'advance', until: saved.until });
      const shown = ended.json as unknown as Shown; // The contract gives it these members.
      if (mayEndEarly) expect(shown.messages.total).toBeGreaterThanOrEqual(messages);
      else expect(shown.messages.total).toBe(messages);
      expect(shown.messages).toEqual(status.messages);
      expect(shown.leader?.rank ?? null).toBe(status.agreed ? status.leader : null);
      expect(shown.time).toBe(status.ticks);
      expect(shown.verdict).toEqual(status.verdict);
    }
    expect(lab.faults).toEqual([]);
  });

  it('is refused with the member that is wrong, or that is too large here', async () => {
    const lab = labUnderTest();
    const { saved } = firstOf(heldIn('top-id')).saved;
    const refused = async (changes: object, beside: object = {}) => {
      const { json } = await lab.post('/v1/elections', {
        saved: { ...saved, ...changes },
        ...beside,
      });
      return [json.code, json.errors];
    };
    const error = (pointer: string) => [expect.objectContaining({ pointer })];

    expect(await refused({ fifo: 1 })).toEqual(['schema', error('#/saved/fifo')]);
    expect(await refused({ more: 1 })).toEqual(['schema', error('#/saved/more')]);
    expect(await refused({ format: 'x' })).toEqual(['schema', error('#/saved/format')]);
    expect(await refused({ nodes: 501 })).toEqual(['job.size', error('#/saved/nodes')]);
    expect(await refused({ latency: String(LATENCY_TICKS_MAX + 1) })).toEqual([
      'job.size',
      error('#/saved/latency'),
    ]);
    expect(await refused({ links: { type: 'seeded', factorMax: 2 } })).toEqual([
      'schema',
      error('#/saved/links'),
    ]);
    expect(await refused({ crashedBefore: [1], initiators: [1] })).toEqual([
      'schema',
      error('#/saved/initiators'),
    ]);
    expect(await refused({}, { nodes: 5 })).toEqual(['schema', error('#/nodes')]);
    expect(await refused({}, { seed: '1' })).toEqual(['schema', error('#/seed')]);
  });
});

describe('an election of a scenario', () => {
  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    '%s is each of its runs, and states what is expected of them',
    async (name, scenario) => {
      const lab = labUnderTest();
      const { runs, expected, asExpected } = playScenario(scenario, { seed: SEED });

      expect(asExpected).toBe(true);
      const listed = await lab.call('GET', `/v1/scenarios/${name}`);
      expect(listed.json.runs).toEqual(runs.map((run) => run.name));
      for (const { name: run, outcome } of runs) {
        const body = { scenario: { name, run }, seed: '3', run: true };
        const { status, json } = await lab.post('/v1/elections', body);
        const shown = json as unknown as Shown; // The contract gives it these members.
        expect(status).toBe(201);
        expect(json.scenario).toEqual({ name, run, expected: expected.sentence });
        expect(shown.messages).toEqual(outcome.messages);
        expect(shown.leader?.rank ?? null).toBe(outcome.agreed ? outcome.leader : null);
        expect(json.ticks).toBe(outcome.ticks);
      }
      expect(lab.faults).toEqual([]);
    },
  );

  it('has the first run, the usual nodes and a seed by default', async () => {
    const { json } = await labUnderTest().post('/v1/elections', {
      scenario: { name: 'split-brain' },
    });

    expect(json).toMatchObject({
      nodes: 5,
      status: 'created',
      scenario: { name: 'split-brain', run: 'links are watched' },
    });
  });

  it('is refused with an unknown run, with too many nodes, and beside a protocol', async () => {
    const lab = labUnderTest();
    const refused = async (body: object) => {
      const { json } = await lab.post('/v1/elections', body);
      return json.errors;
    };
    const scenario = { name: 'split-brain' };
    const error = (pointer: string) => [expect.objectContaining({ pointer })];

    expect(await refused({ scenario: { ...scenario, run: 'x' } })).toEqual(error('#/scenario/run'));
    expect(await refused({ scenario: { name: 'x' } })).toEqual(error('#/scenario/name'));
    expect(await refused({ scenario, nodes: 33 })).toEqual(error('#/nodes'));
    expect(await refused({ scenario, protocol: 'raft' })).toEqual(error('#/protocol'));
    expect(await refused({ nodes: 3 })).toEqual(error('#/protocol'));
  });
});
