/**
 * @module
 * Runs whose elections are watched: each property both ways, the same attack as `usurp attack` makes, mined
 * and drawn populations, and what is refused while it runs. `MINED_RUNS` makes their law hold in more runs.
 */

import { describe, expect, it } from 'vitest';
import { LabError } from '../../../src/errors.ts';
import { parseThreatModel } from '../../../src/experiment/reading/document.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import { protocolGroupsOf } from '../../../src/experiment/runs/protocol-groups.ts';
import { createObserver, executeRuns } from '../../../src/experiment/runs/run.ts';
import { topProbability } from '../../../src/experiment/theory/closed-forms.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { report } from '../../../src/experiment/verdict/report.ts';
import { attacked } from '../attack/attacks.ts';
import { catalogueText, electionsOf, executeRun, isWon, STILL, topId } from '../models.ts';
import { highest, lowest, runsOf, SEED, watchedModel, winsOf } from '../staging/watched-models.ts';

type Row = readonly [
  property: string,
  protocol: string,
  settings: readonly string[],
  has: 'always' | 'never',
];

const SAMPLED = 'work=sampled';
const RUNS = Number(process.env.MINED_RUNS ?? 24);

/** Node 2 leads from tick 131 and writes first at tick 151. At tick 140 node 1 writes with its old epoch. */
const ZOMBIE_AT_140 = [
  ...['network.honest=3', 'network.election.flags=[leaseTicks=30]', 'network.election.latency=1'],
  ...['network.election.resource="unfenced:every=20"', 'faults={pause: 1@100-140}'],
];

const PROPERTIES: readonly Row[] = [
  ['adversary-leads', 'cr-join', [lowest('spoof-coordinator')], 'always'],
  // A node of Bully follows no lower node, and waits in vain for the announced one.
  ['no-leader', 'bully-oneshot', [lowest('spoof-coordinator')], 'always'],
  [
    'no-leader',
    'bully-oneshot',
    ['network.election.level=L2', lowest('spoof-coordinator')],
    'never',
  ],
  ['adversary-leads', 'cr-join', ['network.election.level=L0', SAMPLED, highest()], 'always'],
  ['adversary-leads', 'cr-join', ['network.election.level=L0'], 'never'],
  ['leads-more-than-share', 'cr-join', [lowest('spoof-coordinator')], 'always'],
  ['leads-more-than-share', 'cr-join', [lowest()], 'never'],
  ['highest-leads', 'cr-join', ['network.election.level=L3'], 'always'],
  ['highest-leads', 'bully-oneshot', ['faults={crash: highest}'], 'never'],
  ['highest-leads', 'bully-oneshot', ['faults={pause: 4@0-100}'], 'always'],
  ['no-leader', 'cr-join', [lowest('swallow')], 'always'],
  ['no-leader', 'cr-join', [lowest()], 'never'],
  ['no-leader', 'raft', [lowest('term-inflation')], 'always'],
  ['no-leader', 'bully-oneshot', [SAMPLED, highest('flap')], 'always'],
  [
    'no-leader',
    'bully-oneshot',
    [SAMPLED, 'network.election.defences=[back-off]', highest('flap')],
    'never',
  ],
  ['split', 'bully-oneshot', ['faults={partition: halves@0-100}'], 'always'],
  ['split', 'bully-oneshot', ['faults={partition: halves@0-1}'], 'never'],
  ['split', 'ring-maxtoken', [lowest('equivocate')], 'always'],
  ['stale-writes', 'db-lease', [lowest('lease-hog')], 'always'],
  [
    'stale-writes',
    'db-lease',
    ['network.election.resource=unfenced', lowest('lease-hog')],
    'always',
  ],
  [
    'stale-writes',
    'db-lease',
    ['network.election.resource=fencing-register', lowest('lease-hog')],
    'always',
  ],
  ['late-writes', 'db-lease', [lowest('lease-hog')], 'always'],
  [
    'late-writes',
    'db-lease',
    ['network.election.resource=fencing-max', lowest('lease-hog')],
    'never',
  ],
  [
    'late-writes',
    'db-lease',
    ['network.election.defences=[fencing]', lowest('lease-hog')],
    'never',
  ],
  ['stale-writes', 'db-lease', ZOMBIE_AT_140, 'always'],
  [
    'stale-writes',
    'db-lease',
    [...ZOMBIE_AT_140, 'network.election.resource="fencing-max:every=20"'],
    'always',
  ],
  ['late-writes', 'db-lease', ZOMBIE_AT_140, 'never'],
];

describe('a property of watched elections', () => {
  it.each(PROPERTIES)('%s on %s with %o: %s', (property, protocol, settings, has) => {
    const model = watchedModel(protocol, property, ...settings);

    expect(winsOf(model, 4)).toBe(has === 'always' ? 4 : 0);
  });

  it('is judged for each protocol, and for all together only on request', () => {
    const protocols = 'bully-oneshot, ring-maxtoken';
    const partition = 'faults={partition: halves@0-100}';

    const [each, together] = ['each', 'together'].map((requested) =>
      runsOf(watchedModel(protocols, 'split', partition, `expect.protocols=${requested}`), 3),
    );

    const wonIn = (runs: typeof each) =>
      runs?.map(({ outcomes }) => outcomes.map(({ won }) => won));
    expect(wonIn(each)).toEqual(Array(3).fill([true, false]));
    expect(wonIn(together)).toEqual(Array(3).fill([false]));
    expect(together?.map((run) => electionsOf(run).length)).toEqual([2, 2, 2]);
  });
});

describe('a document with several protocols', () => {
  it('is false if one of them is broken in every run, though another resists', () => {
    const text = catalogueText('spoofed-coordinator-l2');
    const document = parseThreatModel(text, 'spoofed-coordinator-l2.yaml');
    const model = applySettings(document, [readSetting('network.election.level=L1')]);
    const request = { id: model.id, seed: SEED, runs: 40, settings: [], rateMeasured: null };

    const tally = executeRuns(model, SEED, { from: 0, count: 40 }, STILL);
    const { verdict, results } = report(model, tally, request);

    expect(verdict).toMatchObject({ value: 'false', protocols: ['bully-oneshot'] });
    expect(verdict.sentence).toContain(
      'does not hold with bully-oneshot, as no leader lasted in 40',
    );
    expect(results).toMatchObject([
      { protocols: ['bully-oneshot'], measured: { wins: 40 }, verdict: { value: 'false' } },
      { protocols: ['bully-gm82'], measured: { wins: 0 }, verdict: { value: 'true' } },
    ]);
  });

  it('has one result where the highest rank decides, and one without elections', () => {
    expect(protocolGroupsOf(topId('work=sampled'))).toEqual([['bully-oneshot', 'cr-join']]);
    expect(protocolGroupsOf(topId())).toEqual([['bully-oneshot'], ['cr-join']]);
    expect(protocolGroupsOf(topId('expect.property=majority-captured'))).toEqual([[]]);
  });
});

describe('an attack as a document', () => {
  it.each([
    ['cr-join', 'L0', 'phantom-id', 'stop', ''],
    ['cr-join', 'L2', 'phantom-id', 'stop', ''],
    ['bully-oneshot', 'L1', 'replay', 'stop', ''],
    ['bully-oneshot', 'L2', 'replay', 'stop', ''],
    ['cr-join', 'L0', 'replay', 'split', ''],
    ['raft', 'L3', 'term-inflation', 'stop', ''],
    ['raft', 'L0', 'term-inflation', 'stop', 'pre-vote'],
    ['bully-oneshot', 'L0', 'spoof-coordinator', 'lead', ''],
    ['db-lease', 'L3', 'lease-hog', 'outlive-lease', ''],
    ['db-lease', 'L3', 'lease-hog', 'outlive-lease', 'fencing'],
  ] as const)('on %s at %s by %s has the verdict of the attack: %s %s', async (...row) => {
    const [protocol, level, behaviour, aim, defence] = row;
    const properties = {
      lead: 'adversary-leads',
      stop: 'no-leader',
      split: 'split',
      'outlive-lease': 'late-writes',
    } as const;
    const property = properties[aim];
    const defences = defence === '' ? [] : [defence];

    const report = await attacked({ protocol, level, behaviours: [behaviour], defences, aim });
    const wins = winsOf(
      watchedModel(
        protocol,
        property,
        ...[`network.election.level=${level}`, `network.election.defences=[${defence}]`],
        lowest(behaviour),
      ),
      3,
    );

    expect(wins).toBe(report.succeeded ? 3 : 0);
  });
});

describe('a watched run', () => {
  it('is the same whatever else is run, and another under another seed', () => {
    const model = watchedModel('raft', 'no-leader', lowest('replay'));
    const [, , third] = runsOf(model, 3);

    const alone = executeRun(model, { seed: SEED, run: 2 }, STILL);
    const again = executeRun(model, { seed: SEED, run: 2 }, STILL);
    const other = executeRun(model, { seed: SEED, run: 3 }, STILL);

    expect(alone.outcomes).toEqual(third?.outcomes);
    expect(again).toEqual(alone);
    expect(other.outcomes).not.toEqual(alone.outcomes);
  });

  it('by mined and by drawn identities follows the law E[K/(n+K)]', () => {
    const settings = [
      'network.honest=3',
      'network.election.level=L0',
      'network.election.ticks=60',
      'adversaries.main={budget: {attempts: 12}, goal: top, registers: after, behaviours: []}',
    ];
    const model = watchedModel('cr-join', 'adversary-leads', ...settings);
    const drawn = watchedModel('cr-join', 'adversary-leads', ...settings, SAMPLED);
    const theory = topProbability({ honest: 3, attempts: 12, difficultyBits: 2 });

    for (const [each, runs] of [[model, RUNS] as const, [drawn, 4 * RUNS] as const]) {
      const wins = winsOf(each, runs);
      const [low, high] = exactInterval({ wins, runs, confidence: 0.9999 });
      expect(low).toBeLessThan(theory);
      expect(high).toBeGreaterThan(theory);
    }
  });

  it('says who leads in the end, and what was seen', () => {
    const model = watchedModel(
      'cr-join, ring-maxtoken',
      'adversary-leads',
      'network.election.ticks=200',
      lowest('spoof-coordinator'),
    );
    const results = createObserver(model, STILL)({ seed: SEED, run: 0 });
    const [outcome] = runsOf(model, 1);

    const { outcomes = [] } = outcome ?? {};
    expect(results).toHaveLength(2);
    for (const [group, { observations }] of results.entries()) {
      const [election, ...others] = outcomes[group]?.elections ?? [];
      expect(others).toEqual([]);
      expect(election?.winner).toBe('adversary');
      expect(observations).toMatchObject({ nodes: 5, identities: 1, ticks: 200, elections: 1 });
      expect(observations.usurpedTicks).toBeGreaterThan(100);
      expect(observations.mistakes).toBeUndefined();
      expect(observations.messages).toBe(election?.messages);
    }
  });

  it('reports how soon detectors on the nodes noticed', () => {
    const [outcome] = runsOf(
      watchedModel(
        'bully-oneshot',
        'highest-leads',
        'network.election.detector="fd-heartbeat:every=5,timeout=20"',
        'faults={crash: 4@100}',
      ),
      1,
    );

    const { detectionTicks: ticks = 0, mistakes } = outcome?.outcomes[0]?.observations ?? {};
    expect(ticks).toBeGreaterThan(15);
    expect(ticks).toBeLessThan(26);
    expect(mistakes).toBe(0);
    expect(outcome?.outcomes[0]?.elections).toMatchObject([
      { winner: 'honest', highestLeads: false },
    ]);
  });

  it('passes over what happens to nodes that it does not have', () => {
    const forger =
      'adversaries.main={budget: {attempts: 4}, goal: top, registers: after, behaviours: []}';
    const model = watchedModel(
      'bully-oneshot',
      'highest-leads',
      SAMPLED,
      forger,
      'faults={crash: 5@60}',
    );

    const outcomes = runsOf(model, 20);

    // The fifth is the one that was forged: it leads until it dies.
    const forged = outcomes.map(({ observations }) => observations.nodes === 5);
    expect(new Set(forged).size).toBe(2);
    expect(outcomes.map(isWon)).toEqual(forged.map((isForged) => !isForged));
  });

  it('lets every adversary behave in its own way', () => {
    const follower = 'adversaries.quiet={identities: 1, behaviours: []}';
    const both = watchedModel(
      'cr-join',
      'no-leader',
      'adversaries.mute={identities: 1, behaviours: [swallow]}',
      follower,
    );
    const quiet = watchedModel('cr-join', 'no-leader', follower);

    expect([winsOf(both, 3), winsOf(quiet, 3)]).toEqual([3, 0]);
  });

  it('takes longer where messages do, and has as much time', () => {
    const slow = watchedModel(
      'bully-oneshot',
      'no-leader',
      'network.election.latency=uniform:2:10',
      lowest('replay'),
    );
    const [quick, late] = [watchedModel('bully-oneshot', 'no-leader', lowest('replay')), slow].map(
      (model) => runsOf(model, 3),
    );

    expect(late?.map(isWon)).toEqual(quick?.map(isWon));
    const ticksOf = (run = late?.[0]) => run?.outcomes[0]?.observations?.ticks ?? 0;
    expect(ticksOf()).toBe(10 * ticksOf(quick?.[0]));
  });

  it('is refused where it is too much to watch', () => {
    const crowd = watchedModel('bully-oneshot', 'split', 'network.honest=250', SAMPLED);

    expect(codeOf(() => runsOf(crowd, 1))).toBe('job.size');
  });
});

function codeOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof LabError ? error.code : String(error);
  }
}
