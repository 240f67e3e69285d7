/**
 * @module
 * Stages of watched elections: what a document says beside what behaviours need, and which places there are.
 */

import { describe, expect, it } from 'vitest';
import type { PreparedStage } from '../../../src/experiment/staging/model-stage.ts';
import { createStaging, prepareStage } from '../../../src/experiment/staging/model-stage.ts';
import { readScript } from '../../../src/experiment/staging/script.ts';
import { lowest, SEED, watchedModel } from './watched-models.ts';

const OWNERS = ['main', null, null, null, null] as const;

/** The options of the model's first protocol. */
function staged(
  model: ReturnType<typeof watchedModel>,
  owners: readonly (string | null)[] = OWNERS,
): PreparedStage {
  const [protocol = 'cr-join'] = model.network.election.protocols;
  return prepareStage(model, readScript(model), { protocol, owners });
}

const HONEST = [null, null, null, null];

describe('the stage of a model', () => {
  it('has only the members if no node is Byzantine', () => {
    const { stage } = staged(watchedModel('cr-join', 'split'), HONEST);

    expect(stage.options).toMatchObject({ nodes: 4, byzantine: [] });
    expect(stage.options.phantoms).toBeUndefined();
    expect(stage.options.level).toBeUndefined();
    expect(stage.options.schedule).toBeUndefined();
  });

  it.each([
    ['swallow', 5, undefined],
    ['phantom-id', 6, [6]],
    ['tamper-token', 6, [6]],
  ])('has a rank without a node only if a behaviour names it: %s', (behaviour, nodes, phantoms) => {
    const { options } = staged(watchedModel('cr-join', 'no-leader', lowest(behaviour))).stage;

    expect([options.nodes, options.phantoms]).toEqual([nodes, phantoms]);
    expect(options).toMatchObject({
      level: 'L0',
      byzantine: [{ rank: 1, behaviours: [behaviour] }],
    });
  });

  it('cuts halves of the members alone, whatever place there is besides', () => {
    const cut = 'faults={partition: halves@5-9}';
    const model = watchedModel('cr-join', 'split', lowest('phantom-id'), cut);

    const { schedule } = staged(model).stage.options;

    const [fault] = schedule?.faults ?? [];
    const links = [1, 2].flatMap((low) => [3, 4, 5].map((high) => [low, high]));
    expect(fault).toEqual({ type: 'partition', cut: { kind: 'links', links }, from: 5, to: 9 });
  });

  it('gives each adversary its own behaviours, and none to those that keep to the protocol', () => {
    const model = watchedModel(
      'cr-join',
      'no-leader',
      'adversaries.a={identities: 1, behaviours: [swallow]}',
      'adversaries.b={identities: 1}',
    );

    const { stage, honest } = staged(model, ['a', 'b', null, 'b', null]);

    expect(stage.options.byzantine).toEqual([
      { rank: 1, behaviours: ['swallow'] },
      { rank: 2, behaviours: [] },
      { rank: 4, behaviours: [] },
    ]);
    expect(honest).toEqual([3, 5]);
  });

  it('is without the chance of a behaviour where its adversary has no identity', () => {
    const model = watchedModel('bully-oneshot', 'no-leader', lowest('replay'));

    expect(staged(model).leaderDiesAt).not.toBeNull();
    expect(staged(model, HONEST).leaderDiesAt).toBeNull();
  });

  it('crashes the leader, and later if messages take longer', () => {
    const quick = watchedModel('bully-oneshot', 'no-leader', lowest('replay'));
    const slow = watchedModel(
      'bully-oneshot',
      'no-leader',
      'network.election.latency=3',
      lowest('replay'),
    );

    const [stage, late] = [quick, slow].map((model) =>
      createStaging(
        model,
        readScript(model),
      )({
        ...{ protocol: 'bully-oneshot', owners: OWNERS, seed: SEED },
      }),
    );

    const [crash] = stage?.options.schedule?.faults ?? [];
    expect(crash).toMatchObject({ type: 'crash', rank: 5 });
    const at = crash?.type === 'crash' ? crash.at : 0;
    expect(late?.options.schedule?.faults).toEqual([{ type: 'crash', rank: 5, at: 3 * at }]);
    expect(late?.ticks).toBe(3 * (stage?.ticks ?? 0));
  });

  it('counts the highest among the members, and crashed nodes are not Byzantine', () => {
    const model = watchedModel(
      'cr-join',
      'no-leader',
      lowest('phantom-id'),
      'faults={crash: highest}',
    );

    expect(staged(model).stage.options.crashedBefore).toEqual([5]);
    expect(staged(model, [null, null, 'main']).stage.options).toMatchObject({
      crashedBefore: [3],
      byzantine: [],
    });
  });

  it('prefers what the document says to what a behaviour would have', () => {
    const model = watchedModel(
      'db-lease',
      'stale-writes',
      'network.election.resource="fencing-max:every=5"',
      'network.election.detector=fd-gossip',
      'network.election.level=L2',
      'network.election.ring=by-id',
      'network.election.fifo=false',
      'network.election.sameTick=timers-first',
      'network.election.flags=[leaseTicks=40]',
      'network.election.ticks=900',
      lowest('lease-hog'),
    );

    const { options, ticks, judgedFrom } = staged(model).stage;

    expect(options).toMatchObject({
      workload: { resource: 'fencing-max', everyTicks: 5 },
      detector: { name: 'fd-gossip' },
      ...{
        level: 'L2',
        ring: 'by-id',
        fifo: false,
        sameTick: 'timers-first',
        flags: { leaseTicks: '40' },
      },
    });
    expect([ticks, judgedFrom]).toEqual([900, 450]);
  });

  it('applies settings among the defences over flags, protocol and resource', () => {
    const raft = watchedModel(
      'raft',
      'no-leader',
      'network.election.defences=[pre-vote]',
      'network.election.flags=[electionTicks=40]',
    );
    const ring = watchedModel('cr-join', 'no-leader', 'network.election.defences=[successor-list]');
    const hog = watchedModel(
      'db-lease',
      'stale-writes',
      'network.election.defences=[fencing]',
      lowest('lease-hog'),
    );

    expect(staged(raft, HONEST).stage.options.flags).toMatchObject({
      ...{ electionTicks: '40', preVote: 'on' },
    });
    expect(staged(ring, HONEST).stage.options.protocol).toBe('ring-robust');
    expect(staged(hog).stage.options.workload).toMatchObject({ resource: 'fencing-max' });
  });

  it('is watched on after the last fault', () => {
    const [short, long] = ['100-300', '9000-9500'].map((window) =>
      staged(watchedModel('raft', 'split', `faults={blackout: ${window}}`), HONEST),
    );

    expect((long?.stage.ticks ?? 0) - (short?.stage.ticks ?? 0)).toBe(9200);
  });

  it('suspects by links where the document says so', () => {
    const model = watchedModel('bully-oneshot', 'split', 'faults={notice: links}');

    const { schedule } = staged(model, HONEST).stage.options;

    expect(schedule).toEqual({ faults: [], calm: null, detector: 'links' });
  });
});
