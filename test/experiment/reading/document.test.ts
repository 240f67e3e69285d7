/**
 * @module
 * What the reader of threat models accepts, and for everything else the place, the fault and the
 * remedy that it names.
 */

import { describe, expect, it } from 'vitest';

import { parseThreatModel } from '../../../src/experiment/reading/document.ts';
import { catalogueText } from '../models.ts';
import { refusalOf, refusedDocument } from './refusals.ts';

/** With one line for each text, so that the lines of the other members do not depend on the prose. */
const TOP_ID = catalogueText('top-id').replace(/>-\n(?: {2}.*\n)+/g, 'Prose.\n');

describe('accepted spellings', () => {
  const model = parseThreatModel(TOP_ID, 'top-id.yaml');

  it.each([
    ['a byte order mark', `\u{FEFF}${TOP_ID}`],
    ['CRLF line ends', TOP_ID.replaceAll('\n', '\r\n')],
    ['JSON', JSON.stringify(model)],
    ['indented JSON', JSON.stringify(model, null, 2)],
    ['comments', TOP_ID.replace('work:', '# how\nwork:')],
  ])('%s changes nothing', (_name, text) => {
    expect(parseThreatModel(text, 'top-id.yaml')).toEqual(model);
  });

  it.each([
    ['honest: 8', 'honest: 2^3'],
    ['honest: 8', 'honest: "8"'],
    ['c1: 4', 'c1: 2^2'],
    ['attempts: 64', 'attempts: 2^6'],
    ['runs: 100', 'runs: 1e2'],
    ['probability: 0.5', 'probability: 50%'],
    ['confidence: 0.95', 'confidence: 95%'],
  ])('%s is also %s', (from, to) => {
    expect(TOP_ID).toContain(from);
    expect(parseThreatModel(TOP_ID.replace(from, to), 'top-id.yaml')).toEqual(model);
  });

  it.each([
    ['cpuSeconds: 5m', 300],
    ['cpuSeconds: 90', 90],
    ['wallSeconds: 100ms', 0.1],
    ['wallSeconds: 2h', 7200],
  ])('reads a budget of %s', (budget, seconds) => {
    const timed = parseThreatModel(TOP_ID.replace('attempts: 64', budget), 'top-id.yaml');

    expect(Object.values(timed.adversaries.main?.budget ?? {})).toEqual([seconds]);
  });

  it('fills in every default', () => {
    const text = TOP_ID.replace('work: mined\nruns: 100\n', '')
      .replace('    scheme: ed25519\n    c1: 4\n', '    c1: 4\n')
      .replace('  election:\n    protocols: [bully-oneshot, cr-join]\n    latency: 1\n', '')
      .replace('    strategy: siblings\n', '')
      .replace('  confidence: 0.95\n', '');

    expect(text.length).toBeLessThan(TOP_ID.length - 130);
    const { election } = model.network;
    const drawn = { ...election, latency: 'uniform:1:2' };
    const network = { ...model.network, election: drawn };
    expect(parseThreatModel(text, 'top-id.yaml')).toEqual({ ...model, network });
  });
});

describe('refused values, with their position', () => {
  it.each([
    [
      'a misspelt member',
      'honest: 8',
      'honset: 8',
      '12:3: network.honset is not known; did you mean network.honest?',
    ],
    [
      'a missing member',
      'honest: 8',
      '',
      'network.honest is missing: it must be a whole number from 1 to 1000000',
    ],
    [
      'an absurd population',
      'honest: 8',
      'honest: 1000000000',
      '12:11: network.honest must be a whole number from 1 to 1000000 such as 100, 1e3 or 2^10, got 1000000000',
    ],
    [
      'no node',
      'honest: 8',
      'honest: 0',
      '12:11: network.honest must be a whole number from 1 to 1000000 such as 100, 1e3 or 2^10, got 0',
    ],
    [
      'half a node',
      'honest: 8',
      'honest: 8.5',
      '12:11: network.honest must be a whole number from 1 to 1000000 such as 100, 1e3 or 2^10, got 8.5',
    ],
    ['infinity', 'honest: 8', 'honest: .inf', 'got Infinity'],
    ['not a number', 'honest: 8', 'honest: .nan', 'network.honest must be a whole number'],
    ['text for a number', 'honest: 8', 'honest: "eight"', 'got "eight"'],
    [
      'a power beyond the limit',
      'honest: 8',
      'honest: 2^20',
      'such as 100, 1e3 or 2^10, got "2^20"',
    ],
    ['a percentage for a count', 'honest: 8', 'honest: 8%', 'must be a whole number'],
    [
      'a budget in minutes with another unit',
      'attempts: 64',
      'cpuSeconds: 5min',
      'cpuSeconds must be a time from 0 to 100000000 seconds such as 100ms, 90s, 5m or 2h, got "5min"',
    ],
    ['more than 256 bits', 'c1: 4', 'c1: 257', '15:9: network.identity.c1'],
    [
      'an unknown check',
      'c1: 4',
      'c1: 4\n    checks: {sttaic: false}',
      'did you mean network.identity.checks.static?',
    ],
    [
      'an inherited name',
      'c1: 4',
      'c1: 4\n    checks: {toString: false}',
      'network.identity.checks.toString is not known',
    ],
    [
      'an unknown scheme',
      'scheme: ed25519',
      'scheme: rsa',
      'network.identity.scheme must be ed25519 or secp256k1, got "rsa"',
    ],
    [
      'an unknown protocol',
      '[bully-oneshot, cr-join]',
      '[bully-oneshot, paxos]',
      '17:32: network.election.protocols.1 must be',
    ],
    [
      'no protocol',
      '[bully-oneshot, cr-join]',
      '[]',
      'network.election.protocols must be a list of',
    ],
    [
      'a protocol twice',
      '[bully-oneshot, cr-join]',
      '[cr-join, cr-join]',
      'must name each protocol once',
    ],
    [
      'a latency without time',
      'latency: 1',
      'latency: 0',
      '18:14: network.election.latency "0" must be whole ticks',
    ],
    [
      'a latency in words',
      'latency: 1',
      'latency: soon',
      '18:14: network.election.latency "soon" must be whole ticks',
    ],
    ['reversed bounds', 'latency: 1', 'latency: uniform:9:3', 'write uniform:3:9'],
    [
      'a capital in a name',
      'main:',
      'Main:',
      '20:3: adversaries.Main must be a name of lower-case letters',
    ],
    ['a prototype', 'main:', '__proto__:', '20:3: __proto__ is not accepted'],
    [
      'an unknown budget',
      'attempts: 64',
      'atempts: 64',
      'did you mean adversaries.main.budget.attempts?',
    ],
    [
      'an empty budget',
      'budget:\n      attempts: 64',
      'budget: {}',
      'adversaries.main.budget must have at least one bound',
    ],
    [
      'a negative budget',
      'attempts: 64',
      'attempts: -1',
      'adversaries.main.budget.attempts must be a whole number from 0',
    ],
    ['a budget beyond exact integers', 'attempts: 64', 'attempts: 1e300', 'got 1e+300'],
    [
      'a rate of nothing',
      'strategy: siblings',
      'rate: 0',
      'adversaries.main.rate must be candidates per second',
    ],
    ['a rate in words', 'strategy: siblings', 'rate: fast', 'or measured on gpu, got "fast"'],
    [
      'an unknown goal',
      'behaviours: []',
      'goal: bottom',
      'adversaries.main.goal must be all, top:<k>, successors:<k>, any, top, above:<id>',
    ],
    [
      'a list of adversaries',
      'adversaries:\n  main:',
      'adversaries:\n- main:',
      'adversaries must be a map of members, got a list of 1',
    ],
    [
      'a probability above 1',
      'probability: 0.5',
      'probability: 1.5',
      '28:16: expect.probability must be a probability from 0 to 1 such as 0.05 or 5%, got 1.5',
    ],
    [
      'a confidence in percent',
      'confidence: 0.95',
      'confidence: 95',
      'expect.confidence must be a confidence above 0 and below 1',
    ],
    ['certainty', 'confidence: 0.95', 'confidence: 1', 'expect.confidence must be'],
    [
      'an unknown property',
      'adversary-leads',
      'adversary-wins',
      'expect.property must be adversary-leads, leads-more-than-share, highest-leads',
    ],
    ['an id with a slash', 'id: top-id', 'id: ../top', '2:5: id must be a name'],
    [
      'empty prose',
      'title: A',
      'title: ""\n# A',
      'title must be text of 1 to 4000 characters, got ""',
    ],
    [
      'runs beyond the limit',
      'runs: 100',
      'runs: 1000000001',
      'runs must be a whole number from 1 to 1000000000',
    ],
  ])('%s', (_name, from, to, expected) => {
    expect(TOP_ID).toContain(from);

    const refusal = refusalOf(TOP_ID.replace(from, to));

    expect(refusal).toContain(expected);
    expect(refusal).toMatch(/^f\.yaml:\d+:\d+: /);
  });

  it('lists faults in the order of the document, with JSON pointers', () => {
    const text = TOP_ID.replace('honest: 8', 'honest: 0').replace('runs: 100', 'runs: 0');

    const error = refusedDocument(text);

    expect(error.code).toBe('document');
    expect(error.faults.map((fault) => fault.pointer)).toEqual(['/runs', '/network/honest']);
    expect(error.message.split('\n')).toHaveLength(2);
  });

  it('lists at most eight faults and counts the rest', () => {
    const unknown = Array.from({ length: 20 }, (_, index) => `unknown${index}: 1\n`).join('');

    const error = refusedDocument(TOP_ID + unknown);

    expect(error.faults).toHaveLength(8);
    expect(error.message).toMatch(/\nand 12 more$/);
  });
});

describe('refused combinations', () => {
  const sampled = TOP_ID.replace('work: mined', 'work: sampled');

  it.each([
    [
      'seconds without a rate',
      sampled.replace('attempts: 64', 'cpuSeconds: 5'),
      '21:5: adversaries.main has a budget in seconds, which work: sampled converts into attempts by a rate: write rate: 16e6',
    ],
    [
      'hashes with a dynamic puzzle',
      sampled.replace('attempts: 64', 'hashes: 64').replace('c1: 4', 'c1: 4\n    c2: 4'),
      'adversaries.main.budget must be in attempts only',
    ],
    [
      'a rate of keys without a rate',
      sampled.replace('strategy: siblings', 'keyRate: 1e7'),
      'adversaries.main.keyRate must be above a rate that is stated: write rate, too',
    ],
    [
      'a rate of keys in mined work',
      TOP_ID.replace('strategy: siblings', 'rate: 3000\n    keyRate: 1e7'),
      '24:14: adversaries.main.keyRate has no effect on mined work without epochs, whose seconds are measured: leave it out, or write work: sampled',
    ],
    [
      'mined work for years',
      TOP_ID.replace('c1: 4', 'c1: 40'),
      'network.identity requires about 8.8e+12 attempts of the honest nodes in a run, more than the limit of 4294967296: write work: sampled',
    ],
    [
      'mined elections of 4097',
      TOP_ID.replace('honest: 8', 'honest: 4097'),
      '12:11: network.honest must be at most 4096, because mined work',
    ],
    [
      'sampled elections of 4097',
      sampled.replace('honest: 8', 'honest: 4097').replace('adversary-leads', 'highest-leads'),
      'network.honest must be at most 4096, because highest-leads',
    ],
    [
      '17 adversaries',
      TOP_ID.replace(
        / {2}main:[\s\S]*?behaviours: \[\]\n/,
        Array.from({ length: 17 }, (_, index) => `  a${index}: {budget: {attempts: 1}}\n`).join(''),
      ),
      'adversaries must have at most 16 adversaries',
    ],
    [
      'the rate of a card for mined work',
      TOP_ID.replace('strategy: siblings', 'rate: measured on gpu'),
      'must not be measured on gpu: work: mined takes the processor',
    ],
    [
      'the rate of a card for a strategy of the processor',
      sampled.replace('strategy: siblings', 'strategy: walk\n    rate: measured on gpu'),
      'a graphics card searches with the strategies siblings and batch, not walk',
    ],
  ])('%s', (_name, text, expected) => {
    expect(refusalOf(text)).toContain(expected);
  });

  it.each([
    [
      'seconds with a rate',
      sampled.replace('attempts: 64', 'cpuSeconds: 5').replace('strategy: siblings', 'rate: 3000'),
    ],
    ['seconds of mined work without a rate', TOP_ID.replace('attempts: 64', 'cpuSeconds: 5')],
    ['attempts with a dynamic puzzle', sampled.replace('c1: 4', 'c1: 4\n    c2: 4')],
    ['sampled work at 40 bits', sampled.replace('c1: 4', 'c1: 40')],
    [
      'a difficulty whose check is off',
      TOP_ID.replace('c1: 4', 'c1: 40\n    checks: {static: false}'),
    ],
    ['mined elections of 4096', TOP_ID.replace('honest: 8', 'honest: 4096')],
    ['a million sampled nodes', sampled.replace('honest: 8', 'honest: 1000000')],
  ])('but not %s', (_name, text) => {
    expect(parseThreatModel(text, 'f.yaml').id).toBe('top-id');
  });
});
