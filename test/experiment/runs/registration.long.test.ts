/**
 * @module
 * Defences of a threat model that are about who registers and how ranks are drawn: frozen membership and
 * ranks by a beacon, in mined and in drawn populations.
 */

import { describe, expect, it } from 'vitest';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { registrationOf } from '../../../src/experiment/runs/registration.ts';
import { prepareStage } from '../../../src/experiment/staging/model-stage.ts';
import { fittedTo, readScript } from '../../../src/experiment/staging/script.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { attacked } from '../attack/attacks.ts';
import { electionsOf } from '../models.ts';
import {
  highest,
  lowest,
  observationsOf,
  runsOf,
  watchedModel,
  winsOf,
} from '../staging/watched-models.ts';

const WORKS = ['mined', 'sampled'] as const;
const FROZEN = 'network.election.defences=[frozen-membership]';
const BEACON = 'network.election.defences=[beacon-rank]';
/** So that on the top it is in as good as every run. */
const FORGER =
  'adversaries.main={budget: {attempts: 3000}, goal: top, registers: after, behaviours: []}';

describe('membership that is frozen in a document', () => {
  it.each(WORKS)('%s: stops an adversary that forges a top ID to flap with', (work) => {
    const of = (...settings: string[]) =>
      watchedModel('bully-oneshot', 'no-leader', `work=${work}`, highest('flap'), ...settings);

    expect(winsOf(of(), 4)).toBe(4);
    expect(winsOf(of(FROZEN), 4)).toBe(0);
  });

  it('is what usurp attack says of it', async () => {
    const given = { protocol: 'bully-oneshot', behaviours: ['flap'], level: 'L3' } as const;

    const { succeeded, stoppedBy } = await attacked(given, true);

    expect(succeeded).toBe(true);
    expect(stoppedBy).toContain('frozen-membership');
  });

  it.each(WORKS)('%s: keeps forged identities out, whatever they cost, and no others', (work) => {
    const adversary =
      'adversaries.main={budget: {attempts: 3000}, goal: any, registers: after, behaviours: [], identities: 1}';
    const model = watchedModel('cr-join', 'adversary-leads', `work=${work}`, adversary, FROZEN);

    for (const observations of observationsOf(model, 5)) {
      expect(observations).toMatchObject({ nodes: 5, identities: 1 });
      expect(observations.attempts).toBeGreaterThan(0);
    }
    for (const outcome of runsOf(model, 5)) {
      expect(electionsOf(outcome).map(({ winner }) => winner)).toEqual(['honest']);
    }
  });

  it.each(WORKS)('%s: does not help against an ordinary identity', (work) => {
    const model = watchedModel(
      ...(['cr-join', 'no-leader', `work=${work}`] as const),
      'adversaries.main={budget: {attempts: 100}, identities: 1, behaviours: [swallow]}',
      FROZEN,
    );

    expect(winsOf(model, 4)).toBe(4);
  });
});

describe('ranks by a beacon in a document', () => {
  it.each([
    ['mined', 60],
    ['sampled', 600],
  ] as const)('%s: make a top ID worth one place of five', (work, runs) => {
    const of = (...settings: string[]) =>
      watchedModel('cr-join', 'adversary-leads', `work=${work}`, FORGER, ...settings);

    const [low, high] = exactInterval({
      wins: winsOf(of(BEACON), runs),
      runs,
      confidence: 0.999,
    });

    expect(winsOf(of('network.election.level=L0'), 20)).toBeGreaterThan(15);
    expect(low).toBeLessThan(1 / 5);
    expect(high).toBeGreaterThan(1 / 5);
  });

  it.each(WORKS)('%s: do not help against who has most of the identities', (work) => {
    const model = watchedModel(
      ...(['cr-join', 'adversary-leads', `work=${work}`, BEACON] as const),
      'adversaries.main={budget: {attempts: 3000}, goal: "count:26", behaviours: []}',
    );

    expect(winsOf(model, 12)).toBeGreaterThan(6);
  });

  it.each(WORKS)('%s: come again with the seed, and leave what is mined alone', (work) => {
    const of = (...settings: string[]) =>
      watchedModel(
        ...(['cr-join', 'adversary-leads', `work=${work}`, 'network.election.level=L0'] as const),
        ...settings,
      );

    expect(winsOf(of(FORGER, BEACON), 20)).toBe(winsOf(of(FORGER, BEACON), 20));
    for (const goal of ['any', 'count:3']) {
      const forger = `adversaries.main={budget: {attempts: 60}, goal: "${goal}", registers: after, behaviours: []}`;
      expect(costsOf(of(forger, BEACON))).toEqual(costsOf(of(forger)));
    }
  });

  it('mined: end the search for a top ID with the first identity, as none is better', () => {
    const of = (goal: string, ...settings: string[]) =>
      watchedModel(
        ...(['cr-join', 'adversary-leads', 'work=mined', 'network.election.level=L0'] as const),
        `adversaries.main={budget: {attempts: 3000}, goal: ${goal}, registers: after, behaviours: []}`,
        ...settings,
      );

    const costs = costsOf(of('top', BEACON));

    expect(costs).toEqual(costsOf(of('any')));
    expect(costs).not.toEqual(costsOf(of('top')));
  });

  it('are nothing that nodes are told of', () => {
    const both = 'network.election.defences=[beacon-rank, hop-limit]';
    const model = watchedModel('cr-join', 'adversary-leads', FORGER, both);
    const owners = [null, null, null, null, 'main'];

    const { stage } = prepareStage(model, fittedTo(readScript(model), 5), {
      ...{ protocol: 'cr-join', owners },
    });

    expect(stage.options.defences).toEqual(['hop-limit']);
    expect(registrationOf(model)).toEqual({ isFrozen: false, isBeaconRanked: true });
  });
});

/** Attempts and nodes of the first runs. */
function costsOf(model: ThreatModel) {
  return observationsOf(model, 6).map(({ attempts, nodes }) => {
    expect(attempts).toBeGreaterThan(0);
    expect(nodes).toBeGreaterThan(3);
    return [attempts, nodes];
  });
}

describe('a document is refused', () => {
  it.each([
    [
      'beacon-rank where nothing is forged',
      [BEACON, lowest('swallow')],
      'does not apply unless identities are forged',
    ],
    ['frozen-membership on a ring where nothing is forged', [FROZEN], 'does not fit cr-join'],
    [
      'beacon-rank twice',
      ['network.election.defences=[beacon-rank, beacon-rank]', FORGER],
      'named twice',
    ],
    [
      'either where nothing is watched',
      [BEACON, FORGER, 'expect.property=top-captured'],
      'if no election is watched',
    ],
  ] as const)('with %s', (_what, settings, message) => {
    expect(() => watchedModel('cr-join', 'adversary-leads', ...settings)).toThrow(
      expect.objectContaining({
        faults: [expect.objectContaining({ detail: expect.stringContaining(message) })],
      }),
    );
  });
});
