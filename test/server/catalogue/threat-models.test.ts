/**
 * @module
 * The catalogue in pages, and properties of paging.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { pageOf } from '../../../server/contract/page.ts';
import { readCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { labUnderTest } from '../lab-under-test.ts';

const { call, post } = labUnderTest();

function idsOf(items: unknown): string[] {
  return Array.isArray(items) ? items.map((item) => String(item.id)) : [];
}

describe('GET /v1/threat-models', () => {
  it('lists the catalogue as complete documents in the order of their ids', async () => {
    const { json } = await call('GET', '/v1/threat-models?pageSize=100');
    const models = await readCatalogue();

    expect(json.items).toEqual(JSON.parse(JSON.stringify(models)));
    expect(json.nextPageToken).toBeNull();
  });

  it('goes through the list page by page', async () => {
    const ids = (await readCatalogue()).map(({ id }) => id);
    const seen: string[] = [];
    let more = '';
    for (let page = 0; page * 15 < ids.length; page += 1) {
      const { json } = await call('GET', `/v1/threat-models?pageSize=15${more}`);
      seen.push(...idsOf(json.items));
      more = `&pageToken=${json.nextPageToken}`;
    }

    expect(seen).toEqual(ids);
    expect(more).toBe('&pageToken=null');
  });

  it.each([
    'pageSize=0',
    'pageSize=-1',
    'pageSize=101',
    'pageSize=1e9',
    'pageSize=1.5',
    'pageSize=01',
    'pageSize=abc',
    'pageSize=',
    'pageSize=1&pageSize=2',
    'pageToken=',
    'pageToken=%00',
    'pageToken=_',
    'pageToken=a.b',
    `pageToken=${'A'.repeat(129)}`,
    'limit=5',
    'sort=(select%201)',
  ])('refuses the query %s', async (query) => {
    const answer = await call('GET', `/v1/threat-models?${query}`);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });
});

describe('POST /v1/threat-model-validations', () => {
  const path = '/v1/threat-model-validations';

  it('accepts every document of the catalogue and runs nothing', async () => {
    for (const threatModel of await readCatalogue()) {
      const { status, json } = await post(path, { threatModel });

      expect([threatModel.id, status, json]).toEqual([
        threatModel.id,
        200,
        { valid: true, errors: [] },
      ]);
    }
    expect((await call('GET', '/v1/jobs')).json.items).toEqual([]);
  });

  it('names the faults with which a run refuses the document', async () => {
    const [model] = await readCatalogue();
    const threatModel = { ...model, work: 'x', network: { ...model?.network, honest: 0 }, y: 1 };

    const { status, json } = await post(path, { threatModel });
    const refused = await post('/v1/runs', { threatModel });

    expect(status).toBe(200);
    expect(json).toEqual({ valid: false, errors: refused.json.errors });
    expect(refused.json.errors).toHaveLength(3);
  });

  it.each([{}, { threatModel: 'top-id' }, { threatModel: {}, runs: 1 }])(
    'refuses the body %j',
    async (body) => {
      expect(await post(path, body)).toMatchObject({ status: 400, json: { code: 'schema' } });
    },
  );
});

describe('pages', () => {
  it('contain every item once, in order, for any page size', () => {
    const keys = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 40 });
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 100 }), (unordered, size) => {
        const items = unordered.map((key) => key.toWellFormed()).toSorted();
        const unique = items.filter((item, index) => item !== items[index - 1]);

        const seen: string[] = [];
        let token: string | null | undefined;
        do {
          const query = { pageSize: String(size), ...(token && { pageToken: token }) };
          const page = pageOf(unique, (item) => item, query);
          seen.push(...page.items);
          token = page.nextPageToken;
        } while (token !== null);

        expect(seen).toEqual(unique);
      }),
      { seed: 158, numRuns: 200 },
    );
  });
});
