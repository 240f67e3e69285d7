/**
 * @module
 * Responses are settled once: an argument decides at once and is remembered, and a search is left to the caller.
 */

import { describe, expect, it } from 'vitest';
import { settled } from '../../../src/experiment/runs/run.ts';
import { rememberSettled, settledWithoutSearch } from '../../../src/experiment/runs/settled.ts';
import { noAdversary, topId } from '../models.ts';

const SEARCHED = [
  ...['work=sampled', 'network.honest=3', 'network.identity.c1=2', 'network.election.latency=1'],
  ...['network.election.protocols=[cr-join]', 'network.election.level=L1'],
  ...['adversaries.main={budget: {attempts: 8}}', 'expect.property=no-leader'],
];

describe('the responses of a model', () => {
  it('are settled once if an argument decides them', () => {
    const model = topId('work=sampled');

    const first = settledWithoutSearch(model, null);

    expect(first?.responses[0]?.pilotRuns).toBe(0);
    expect(settled(model, null)).toBe(first);
    expect(settledWithoutSearch(model, null)).toBe(first);
  });

  it('are left open if they need pilot runs, until they were found elsewhere', () => {
    const model = noAdversary(...SEARCHED);
    const before = settledWithoutSearch(model, null);

    const found = settled(noAdversary(...SEARCHED), null);
    rememberSettled(model, null, found);

    expect(before).toBeNull();
    expect(found.responses[0]?.pilotRuns).toBeGreaterThan(0);
    expect(settledWithoutSearch(model, null)).toBe(found);
    expect(settled(model, null)).toBe(found);
  });
});
