/**
 * @module
 * The rules for the members of a threat model that depend on its kind of run: epochs that can be drawn,
 * captures and watched elections that end, and no member that the kind of run ignores.
 */

import { parseWish } from '../../adversary/goals.ts';
import { CAPTURED_MAX, EPOCH_CLAIMS_MAX } from '../document/limits.ts';
import { ALL_IDENTITIES, responseOf } from '../document/response-schema.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { ANY_ONE, runKindOf, TOGETHER } from '../document/threat-model.ts';
import { alternatives } from '../document/wording.ts';
import { isAboutAdversaries, namesJudgedBy, PROPERTIES } from '../properties/registry.ts';
import type { Contradiction } from './stage-faults.ts';
import { at, registrationFault, stageFault } from './stage-faults.ts';

/** The members that do not fit the kind of run. */
export function* kindContradictions(model: ThreatModel): Generator<Contradiction> {
  const { property, count } = model.expect;
  if (!PROPERTIES[property].isCounted && count !== 1) {
    yield at('expect.count', `does not apply to ${property}: leave it out`);
  }
  yield* byContradictions(model);
  if (model.epochs === undefined) yield* withoutEpochs(model);
  const kind = runKindOf(model);
  switch (kind) {
    case 'epochs':
      yield* epochsContradictions(model);
      return yield* registrationContradictions(model);
    case 'capture':
      yield* captureContradictions(model);
      return yield* registrationContradictions(model);
    case 'watched': {
      // Only the first, because the others may follow from it.
      const fault = stageFault(model);
      if (fault !== null) yield fault;
      return;
    }
    case 'ranking': {
      const fault = registrationFault(model);
      if (fault !== null) yield fault;
      return;
    }
    default:
      return kind satisfies never;
  }
}

/** Judged adversaries that the document does not have, or that its property is not about. */
function* byContradictions({ expect: { by = TOGETHER, property }, adversaries }: ThreatModel) {
  const words = [TOGETHER, ANY_ONE];
  const reserved = words.find((word) => Object.hasOwn(adversaries, word));
  if (reserved !== undefined) {
    yield at(`adversaries.${reserved}`, 'must have another name: expect.by has this word');
  } else if (!words.includes(by) && !Object.hasOwn(adversaries, by)) {
    const names = alternatives([...words, ...Object.keys(adversaries).sort()]);
    yield at('expect.by', `must be ${names}`);
  } else if (by !== TOGETHER && !isAboutAdversaries(property)) {
    yield at(
      'expect.by',
      `does not apply to ${property}, which is not about adversaries: leave it out`,
    );
  }
}

/** Defences of registration and ranks, which the closed forms do not include. */
function* registrationContradictions({ network }: ThreatModel): Generator<Contradiction> {
  const { defences } = network.election;
  const registration = ['frozen-membership', 'beacon-rank'] as const;
  const named = registration.find((name) => defences.includes(name));
  if (named !== undefined) {
    yield at('network.election.defences', `must not name ${named} if no election is watched`);
  }
}

/** Members that apply to epochs only. */
function* withoutEpochs({ expect, adversaries }: ThreatModel): Generator<Contradiction> {
  if (!namesJudgedBy('election', 'watched', 'ranking').includes(expect.property)) {
    yield at(
      'expect.property',
      `is about epochs: add epochs: {count: 10}, or expect another property than ${expect.property}`,
    );
  }
  for (const [name, { reveals, plan }] of Object.entries(adversaries)) {
    if (plan !== undefined) {
      yield at(
        `adversaries.${name}.plan`,
        'is about the keys of epochs: add epochs, or leave it out',
      );
    }
    if (reveals > 0) {
      yield at(
        `adversaries.${name}.reveals`,
        'is about the beacons of epochs: add epochs, or leave it out',
      );
    }
  }
}

function* epochsContradictions(model: ThreatModel): Generator<Contradiction> {
  const { work, expect, network, epochs, adversaries, faults } = model;
  if (work !== 'sampled') yield at('work', 'must be sampled if there are epochs');
  const fitting = namesJudgedBy('epochs', 'ranking');
  if (!fitting.includes(expect.property)) {
    yield at('expect.property', `must be one of ${fitting.join(', ')} if there are epochs`);
  }
  if (network.identity.c2 > 0) {
    const message = 'must be 0 if there are epochs, which draw only the static puzzle';
    yield at('network.identity.c2', message);
  }
  if (faults !== undefined) {
    yield at('faults', 'apply to watched elections, and epochs are drawn: leave one of them out');
  }
  const names = Object.keys(adversaries).sort();
  if (names.length > 1) {
    const message =
      'must be the only one if there are epochs: give one adversary the budget of all';
    yield at(`adversaries.${names[1]}`, message);
  }
  for (const name of names) {
    const { behaviours = [], identities = 0, goal, registers } = adversaries[name] ?? {};
    const path = `adversaries.${name}`;
    if (behaviours.length > 0)
      yield at(`${path}.behaviours`, 'apply to elections, and epochs are drawn');
    if (identities > 0) yield at(`${path}.identities`, 'must be 0 if there are epochs');
    if (goal !== undefined && goal !== ALL_IDENTITIES) {
      const message =
        'must be all if there are epochs, or left out: every claim that counts is an advantage';
      yield at(`${path}.goal`, message);
    }
    if (registers !== undefined) {
      const message = 'must be left out if there are epochs, which have windows of registration';
      yield at(`${path}.registers`, message);
    }
  }
  if (epochs !== undefined && epochs.count * network.honest > EPOCH_CLAIMS_MAX) {
    const message = `must be lower: epochs times honest nodes are at most ${EPOCH_CLAIMS_MAX}`;
    yield at('epochs.count', message);
  }
}

function* captureContradictions(model: ThreatModel): Generator<Contradiction> {
  const { network, adversaries, work } = model;
  const because = 'because all ranks of a run are examined';
  if (network.honest > CAPTURED_MAX) {
    yield at('network.honest', `must be at most ${CAPTURED_MAX}, ${because}`);
  }
  for (const [name, adversary] of Object.entries(adversaries)) {
    const { goal, behaviours } = responseOf(adversary);
    const wish = parseWish(goal);
    if (wish?.type === 'count' && wish.identities > CAPTURED_MAX && work === 'sampled') {
      yield at(`adversaries.${name}.goal`, `must be at most count:${CAPTURED_MAX}, ${because}`);
    }
    if (behaviours.length > 0) {
      const message = 'apply to elections, and the expected property is about identities only';
      yield at(`adversaries.${name}.behaviours`, message);
    }
  }
}
