/**
 * @module
 * Suggestions: a table of plausible mistakes with what was meant, and of texts that deserve no suggestion.
 */

import { describe, expect, it } from 'vitest';

import { BEHAVIOUR_NAMES } from '../../../src/adversary/behaviours/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { threatModelJsonSchema } from '../../../src/experiment/document/threat-model.ts';
import { nearestName, nearestPath } from '../../../src/experiment/reading/nearest.ts';
import { catalogueText } from '../models.ts';
import { refusalOf } from './refusals.ts';

const pathMeant = (path: string) => nearestPath(threatModelJsonSchema(), path.split('.'));

describe('a member', () => {
  it.each([
    ['network.honset', 'network.honest'],
    ['network.Honest', 'network.honest'],
    ['network.honests', 'network.honest'],
    ['netwrok.honest', 'network.honest'],
    ['c1', 'network.identity.c1'],
    ['network.c1', 'network.identity.c1'],
    ['honest', 'network.honest'],
    ['network.identity.idbits', 'network.identity.idBits'],
    ['network.identity.id_bits', 'network.identity.idBits'],
    ['network.identity.checks.sttaic', 'network.identity.checks.static'],
    ['network.election.protocol', 'network.election.protocols'],
    ['network.election.defenses', 'network.election.defences'],
    ['protocols', 'network.election.protocols'],
    ['adversaries.main.budget.cpu', 'adversaries.main.budget.cpuSeconds'],
    ['adversaries.eve.budget.attemps', 'adversaries.eve.budget.attempts'],
    ['adversaries.eve.budget.wallSecond', 'adversaries.eve.budget.wallSeconds'],
    ['budget.cpu', 'adversaries.main.budget.cpuSeconds'],
    ['adversaries.eve.behaviors', 'adversaries.eve.behaviours'],
    ['expect.atMost', 'expect.comparison: at-most'],
    ['expect.at-least', 'expect.comparison: at-least'],
    ['expect.adversaryLeads', 'expect.property: adversary-leads'],
    ['expect.prob', 'expect.probability'],
    ['expect.confidense', 'expect.confidence'],
    ['expects.property', 'expect.property'],
    ['epochs.lifetimes', 'epochs.lifetime'],
    ['run', 'runs'],
  ])('%s: %s', (path, meant) => {
    expect(pathMeant(path)).toBe(meant);
  });

  it.each([
    'network.identity.checks.toString',
    'prototype',
    'constructor',
    'network.weather',
    'expect.banana',
    'adversaries.main.budget.money',
    'network.x',
    'q',
    'zzz.yyy',
    'network.identity.colour',
    'expect.budget.x',
    '5',
    'network.honest.of.all',
  ])('%s: no suggestion', (path) => {
    expect(pathMeant(path)).toBeNull();
  });

  it('that is far from all is refused with the known ones only', () => {
    const text = catalogueText('top-id').replace('honest: 8', 'honest: 8\n  weather: 3');

    expect(refusalOf(text)).toContain('network.weather is not known (network has honest, ');
  });

  it('of one of several forms is refused with the members of all', () => {
    const text = catalogueText('top-id').replace(
      '  identity:\n',
      '  identity:\n    puzzle: {function: iterated, rounds: 9}\n',
    );

    expect(refusalOf(text)).toContain('(network.identity.puzzle has function, iterations, ');
  });
});

describe('a value', () => {
  it.each([
    ['bully', 'bully-oneshot'],
    ['bullyoneshot', 'bully-oneshot'],
    ['bully-oneshoot', 'bully-oneshot'],
    ['rafts', 'raft'],
    ['rfat', 'raft'],
    ['cr_join', 'cr-join'],
    ['petersen', 'peterson'],
  ])('%s: %s', (name, meant) => {
    expect(nearestName(PROTOCOL_NAMES, name)).toBe(meant);
  });

  it.each(['paxos', 'viewstamped', '', 'x', '5', 'toString', 'zookeeper'])(
    '%j: no suggestion',
    (name) => {
      expect(nearestName(PROTOCOL_NAMES, name)).toBeUndefined();
    },
  );

  it.each([
    ['swalow', 'swallow'],
    ['equivocat', 'equivocate'],
    ['PhantomID', 'phantom-id'],
  ])('%s: %s', (name, meant) => {
    expect(nearestName(BEHAVIOUR_NAMES, name)).toBe(meant);
  });

  it.each([
    ['comparison: at-most', 'comparison: atmost', 'got "atmost"; did you mean at-most?'],
    ['scheme: ed25519', 'scheme: ed25519x', 'got "ed25519x"; did you mean ed25519?'],
    ['[bully-oneshot, cr-join]', '[bully-oneshoot]', 'did you mean bully-oneshot?'],
    ['strategy: siblings', 'strategy: sibling', 'did you mean siblings?'],
  ])('of a document: %s as %s', (from, to, problem) => {
    const text = catalogueText('top-id');
    expect(text).toContain(from);

    expect(refusalOf(text.replace(from, to))).toContain(problem);
  });

  it('that is far from all gets the list only', () => {
    const text = catalogueText('top-id').replace('scheme: ed25519', 'scheme: rsa');

    expect(refusalOf(text)).toContain('must be ed25519 or secp256k1, got "rsa"');
    expect(refusalOf(text)).not.toContain('did you mean');
  });
});
