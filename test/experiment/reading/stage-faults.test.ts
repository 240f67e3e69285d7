/**
 * @module
 * What cannot be staged is told of the member that says it, before any run.
 */

import { describe, expect, it } from 'vitest';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { stageFault } from '../../../src/experiment/reading/stage-faults.ts';
import { lowest, watchedModel } from '../staging/watched-models.ts';

type Election = Partial<ThreatModel['network']['election']>;
type Changes = Election & { readonly faults?: Partial<ThreatModel['faults']> };

/** A model that is changed after it was read, so that only this check sees it. */
function changed(
  { faults, ...election }: Changes,
  model: ThreatModel = watchedModel('cr-join', 'no-leader'),
): ThreatModel {
  const network = { ...model.network, election: { ...model.network.election, ...election } };
  return { ...model, network, ...(faults && { faults: { notice: 'crashes', ...faults } }) };
}

const ELECTION = ['network', 'election'];

type Row = readonly [what: string, changes: Changes, path: readonly string[], message: RegExp];

const REFUSED: readonly Row[] = [
  ['a flag of another', { flags: ['preVote=on'] }, [...ELECTION, 'flags'], /preVote is no flag of/],
  ['a flag twice', { flags: ['a=1', 'a=2'] }, [...ELECTION, 'flags'], /^a is given twice$/],
  ['no detector', { detector: 'fd-x' }, [...ELECTION, 'detector'], /^"fd-x" names no detector/],
  [
    'an unknown detector',
    { detector: 'fd-oracle:node=9' },
    [...ELECTION, 'detector'],
    /is none of 4 nodes/,
  ],
  ['no resource', { resource: 'file' }, [...ELECTION, 'resource'], /unfenced, fencing-register/],
  ['no latency', { latency: 'uniform:5:2' }, [...ELECTION, 'latency'], /./],
  [
    'an unsupported defence',
    { defences: ['pre-vote'] },
    [...ELECTION, 'defences'],
    /fit cr-join.*hop-limit/,
  ],
  ['a seal too low', { defences: ['receipts'] }, [...ELECTION, 'defences'], /needs level/],
  [
    'two resources',
    { protocols: ['raft'], defences: ['fencing'], resource: 'unfenced' },
    [...ELECTION, 'defences'],
    /must not name fencing beside a resource/,
  ],
  ['no cut', { faults: { partition: 'thirds' } }, ['faults', 'partition'], /^"thirds" is not of/],
  [
    'no node',
    { faults: { pause: '5@2-9' } },
    ['faults', 'pause'],
    /rank must be a whole number in 1\.\.4/,
  ],
  ['no crash', { faults: { crash: 'all' } }, ['faults', 'crash'], /is not of the form 5@20/],
  ['a crash of an unknown node', { faults: { crash: '5' } }, ['faults', 'crash'], /1\.\.4/],
  ['none alive', { faults: { crash: '1,2,3,4' } }, ['faults', 'crash'], /leaves none of 4 nodes/],
  ['no window', { faults: { loss: '5%@9-3' } }, ['faults', 'loss'], /to must be after from/],
  [
    'a return into a ring',
    { faults: { crash: '4', restart: '4@30' } },
    ['faults'],
    /^do not fit together: 4 died before the run/,
  ],
  [
    'an age',
    { faults: { loss: '5%@0-100000000' } },
    [...ELECTION, 'ticks'],
    /must be given, at most 1000000/,
  ],
];

describe('what cannot be staged', () => {
  it.each(REFUSED)('names its member: %s', (_what, changes, path, message) => {
    const fault = stageFault(changed(changes));

    expect(fault?.path).toEqual(path);
    expect(fault?.message).toMatch(message);
  });

  it.each([
    ['the nearest rank', { faults: { pause: '4@2-9' } }],
    ['one alive', { faults: { crash: '1,2,3' } }],
    ['a window', { faults: { loss: '5%@3-9' } }],
    ['ticks of its own', { ticks: 100, faults: { loss: '5%@0-100000000' } }],
    ['a return', { faults: { crash: '4@9', restart: '4@30' } }],
    ['a defence', { defences: ['hop-limit'] }],
    ['a detector', { detector: 'fd-oracle:node=4' }],
    ['a seal', { level: 'L2' as const, defences: ['receipts'] }],
  ] satisfies [string, Changes][])('is nothing where it can be: %s', (_what, changes: Changes) => {
    expect(stageFault(changed(changes))).toBeNull();
  });

  it('is a behaviour that does not fit one of the protocols', () => {
    const unsupportedReason = changed(
      { protocols: ['raft', 'cr-join'] },
      behaving('term-inflation', 'raft'),
    );
    const path = ['adversaries', 'main', 'behaviours'];

    expect(stageFault(unsupportedReason)).toMatchObject({
      path,
      message: expect.stringContaining('cr-join:'),
    });
    expect(stageFault(behaving('swallow', 'cr-join'))).toBeNull();
  });

  it('counts one forged identity of each adversary that forges', () => {
    const crash = { faults: { crash: '5@90' } };
    const forging = watchedModel(
      'cr-join',
      'no-leader',
      'adversaries.main={budget: {attempts: 4}}',
    );
    const poor = watchedModel('cr-join', 'no-leader', 'adversaries.main={budget: {attempts: 0}}');

    expect(stageFault(changed(crash, forging))).toBeNull();
    expect(stageFault(changed(crash, poor))?.path).toEqual(['faults', 'crash']);
  });

  it('is a crash of all who are there where nothing was forged', () => {
    const crash = { faults: { crash: '1,2,3,4' } };
    const forging = watchedModel(
      'cr-join',
      'no-leader',
      'adversaries.main={budget: {attempts: 4}}',
    );

    expect(stageFault(changed(crash, forging))?.path).toEqual(['faults']);
    expect(stageFault(changed(crash, behaving('swallow', 'cr-join')))).toBeNull();
  });

  it('is a look for stale writes where nothing is written or no leader has an epoch', () => {
    const property = (settings: Changes) => {
      const model = changed(settings);
      return stageFault({ ...model, expect: { ...model.expect, property: 'stale-writes' } })?.path;
    };

    expect(property({ protocols: ['raft'] })).toEqual([...ELECTION, 'resource']);
    expect(property({ resource: 'unfenced' })).toEqual([...ELECTION, 'protocols']);
    expect(property({ protocols: ['raft'], resource: 'unfenced' })).toBeUndefined();
  });

  it('is more nodes than can be watched', () => {
    const { network, ...model } = watchedModel('cr-join', 'no-leader');

    const [most, more] = [256, 257].map((honest) =>
      stageFault({ ...model, network: { ...network, honest } }),
    );

    expect(most).toBeNull();
    expect(more?.path).toEqual(['network', 'honest']);
  });

  it('is nothing where nothing is watched', () => {
    const model = changed({ flags: ['nothing=1'] });

    const expected = { ...model.expect, property: 'highest-leads' } as const;

    expect(stageFault({ ...model, expect: expected })).toBeNull();
  });
});

function behaving(behaviour: string, protocol: string): ThreatModel {
  return watchedModel(protocol, 'no-leader', lowest(behaviour));
}
