/**
 * @module
 * Settings: what they change, and which setting a refusal names.
 */

import { describe, expect, it } from 'vitest';

import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import { noAdversary, topId } from '../models.ts';
import { refusedBy } from './refusals.ts';

describe('a setting', () => {
  it('makes the map that it is the first member of', () => {
    const model = noAdversary('faults.crash=3@20', 'network.election.protocols=[bully-gm82]');

    expect(model.faults).toEqual({ crash: '3@20', notice: 'crashes' });
  });

  it('changes one member and leaves the model it was given', () => {
    const model = topId();

    const changed = applySettings(model, [readSetting('network.honest=9')]);

    expect(changed).toEqual({ ...model, network: { ...model.network, honest: 9 } });
    expect(model.network.honest).toBe(8);
  });

  it.each([
    ['a list', 'network.election.protocols=[cr-join]', ['cr-join']],
    ['a JSON list', 'network.election.protocols=["cr-join"]', ['cr-join']],
  ])('takes %s', (_name, setting, expected) => {
    expect(topId(setting).network.election.protocols).toEqual(expected);
  });

  it.each([
    ['quoted digits for text', 'network.identity.context="123"', '123'],
    ['an equals sign', 'network.identity.context=a=b', 'a=b'],
    ['spaces', 'network.identity.context=a b', 'a b'],
  ])('takes %s', (_name, setting, expected) => {
    expect(topId(setting).network.identity.context).toBe(expected);
  });

  it.each([
    ['expect.probability=0x10', '0x10: write the number in decimal digits'],
    ['network.honest=0o17', '0o17: write the number in decimal digits'],
    ['expect.probability=1e-400', '1e-400 is too small: it would become 0'],
    ['expect.probability=-0.1e-999', '-0.1e-999 is too small'],
    ['network={honest: 0x10}', '0x10: write the number in decimal digits'],
  ])('refuses the number of %s', (setting, problem) => {
    expect(() => readSetting(setting)).toThrow(problem);
  });

  it.each([
    ['network.identity.context="0x10"', '0x10'],
    ['expect.probability=0e-400', 0],
    ['expect.probability=5e-324', 5e-324],
  ])('takes the value of %s', (setting, value) => {
    expect(readSetting(setting).value).toBe(value);
  });

  it('takes a member away with null, which brings the default back', () => {
    const model = topId('network.identity.c1=null', 'adversaries.main.strategy=null');

    expect(model.network.identity.c1).toBe(0);
    expect(model.adversaries.main?.strategy).toBe('siblings');
  });

  it('replaces the bounds of a budget when the old one is taken away', () => {
    const model = topId(
      'adversaries.main.budget.attempts=null',
      'adversaries.main.budget.hashes=9',
    );

    expect(model.adversaries.main?.budget).toEqual({ hashes: 9 });
  });

  it('adds a whole adversary, and takes one away', () => {
    const added = noAdversary('adversaries.main={budget: {attempts: 5}}');

    expect(added.adversaries).toEqual({
      main: {
        budget: { attempts: 5 },
        strategy: 'siblings',
        identities: 0,
        reveals: 0,
      },
    });
    expect(applySettings(added, [readSetting('adversaries.main=null')]).adversaries).toEqual({});
  });

  it('is overruled by a later one', () => {
    expect(topId('network.honest=9', 'network.honest=10').network.honest).toBe(10);
  });

  it('is judged with the others, not before them', () => {
    const model = topId('network.identity.c1=40', 'work=sampled');

    expect(model.network.identity.c1).toBe(40);
  });
});

describe('a refused setting', () => {
  it.each([
    ['no value', ['network.honest'], 'setting network.honest: must be path=value'],
    ['no path', ['=3'], 'setting =3: must be path=value'],
    ['an empty part', ['network..honest=3'], 'must be path=value'],
    ['an empty value', ['network.honest='], 'has no value; write null to remove'],
    ['a misspelt member', ['network.honset=3'], 'did you mean network.honest?'],
    ['a member without its parents', ['c1=5'], 'did you mean network.identity.c1?'],
    ['an unknown parent', ['netwrok.honest=3'], 'did you mean network.honest?'],
    [
      'an adversary that is not there',
      ['adversaries.mian.budget.attempts=3'],
      'there is no adversary mian (known: main)',
    ],
    [
      'an element of a list',
      ['network.election.protocols.0=cr-join'],
      'network.election.protocols.0 is not known',
    ],
    [
      'a path through what was replaced',
      ['adversaries=3', 'adversaries.main.rate=2'],
      'adversaries is not a map after',
    ],
    ['a prototype', ['adversaries.__proto__={}'], '__proto__ is not a member of anything'],
    [
      'a prototype in a value',
      ['adversaries={__proto__: {budget: {attempts: 1}}}'],
      '__proto__ is not accepted',
    ],
    [
      'an absurd number',
      ['network.honest=1e9'],
      'setting network.honest=1e9: network.honest must be a whole number from 1 to 1000000',
    ],
    ['a wrong type', ['network.honest=many'], 'got "many"'],
    ['broken YAML', ['network.honest=[1'], 'setting network.honest=[1: this is not YAML'],
    ['an alias', ['network.honest=*a'], 'anchors and aliases are not accepted'],
    [
      'work that its budget does not suit',
      ['adversaries.main.budget.cpuSeconds=5', 'work=sampled'],
      'setting adversaries.main.budget.cpuSeconds=5: adversaries.main has a budget in seconds',
    ],
    ['a member that must be there', ['expect=null'], 'expect is missing'],
  ])('%s', (_name, settings, expected) => {
    const error = refusedBy(() => topId(...settings));

    expect(error.code).toBe('arguments');
    expect(error.message).toContain(expected);
    expect(error.message).toContain('setting ');
  });

  it('does not touch the prototype of anything', () => {
    refusedBy(() => topId('adversaries.__proto__.budget=3', '__proto__.polluted=1'));

    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('is bounded in length and in number', () => {
    const long = `network.identity.context=${'a'.repeat(4096)}`;
    const many = Array.from({ length: 65 }, () => 'network.honest=8');

    expect(refusedBy(() => topId(long)).message).toContain('at most 4096 characters');
    expect(refusedBy(() => topId(long)).message.length).toBeLessThan(200);
    expect(refusedBy(() => topId(...many)).message).toContain('at most 64 settings');
    expect(topId(...many.slice(1)).network.honest).toBe(8);
  });
});
