/**
 * @module
 * Cells that keep the differences of their models alone: the models come back as they were, with their
 * members in the same order.
 */

import { describe, expect, it } from 'vitest';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { applySettings } from '../../../src/experiment/reading/settings.ts';
import { plainCell, VariantCell, VariantStore } from '../../../src/experiment/sweep/variant.ts';
import { topId } from '../models.ts';

const BASE = applySettings(topId(), []);

function cellOf(model: ThreatModel, store = new VariantStore()): VariantCell {
  const cell = { index: 3, values: [8], settings: ['network.honest=8'], digest: 'd' };
  return new VariantCell(cell, { base: BASE, model, store });
}

describe('the model of a cell', () => {
  it.each([
    ['nothing changed', []],
    ['a number', ['network.honest=9']],
    ['members in several maps', ['network.honest=9', 'work=sampled', 'network.identity.c1=9']],
    ['a member more', ['work=sampled', 'confirmRuns=0']],
    ['a map more, behind others', ['faults={crash: highest}']],
    [
      'a member less',
      ['adversaries.main.budget.attempts=null', 'adversaries.main.budget.hashes=9'],
    ],
    ['a list', ['network.election.protocols=[bully-oneshot]']],
    ['an adversary more', ['adversaries.other={budget: {attempts: 64}}']],
    ['no adversary', ['adversaries=null']],
  ])('comes back to the byte: %s', (_name, settings) => {
    const model = applySettings(BASE, settings);

    expect(JSON.stringify(cellOf(model).model)).toBe(JSON.stringify(model));
  });

  it('has of the document whatever it does not change', () => {
    const { model } = cellOf(applySettings(BASE, ['network.honest=9']));

    expect(model.network.honest).toBe(9);
    expect(model.adversaries).toBe(BASE.adversaries);
    expect(model.network.identity).toBe(BASE.network.identity);
  });

  it('goes with the cell as plain data', () => {
    const cell = cellOf(applySettings(BASE, ['network.honest=9']));

    const sent = structuredClone(plainCell(cell));

    expect(sent).toEqual({
      ...{ index: 3, values: [8], settings: ['network.honest=8'], digest: 'd', refusal: null },
      model: applySettings(BASE, ['network.honest=9']),
    });
  });
});
