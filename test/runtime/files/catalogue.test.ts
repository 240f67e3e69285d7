/**
 * @module
 * The threat models that come with usurp, as they are found by their ids.
 */

import { describe, expect, it } from 'vitest';
import { LabError } from '../../../src/errors.ts';
import { findInCatalogue, readCatalogue } from '../../../src/runtime/files/catalogue.ts';

describe('the catalogue', () => {
  it('lists every document once, by id', async () => {
    const models = await readCatalogue();

    const ids = models.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(ids).toEqual(expect.arrayContaining(['no-adversary', 'top-id']));
  });

  it('finds each by the name that it gives itself', async () => {
    for (const model of await readCatalogue()) {
      expect(await findInCatalogue(model.id)).toEqual(model);
    }
  });

  it.each([
    ['topid', 'top-id'],
    ['top-id.yaml', 'top-id'],
    ['../threat-models/top-id', 'top-id'],
    ['sybil', 'sybil-quorum'],
    ['topd-id', 'top-id'],
    ['', null],
    ['/etc/passwd', null],
  ])('refuses %j and names the nearest one, if one is near', async (id, nearest) => {
    const refusal = await findInCatalogue(id).catch((cause: unknown) => cause);

    expect(refusal).toBeInstanceOf(LabError);
    expect(refusal).toMatchObject({ code: 'not_found' });
    const text = String(refusal);
    if (nearest === null) expect(text).not.toContain('did you mean');
    else expect(text).toContain(`; did you mean ${nearest}? usurp run --list`);
  });
});
