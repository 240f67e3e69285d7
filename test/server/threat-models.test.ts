/**
 * @module
 * The catalogue in pages, and paging itself as a law.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { pageOf } from '../../server/page.ts';
import { labUnderTest } from './lab-under-test.ts';

const { call } = labUnderTest();

describe('GET /v1/threat-models', () => {
  it('lists the catalogue as complete documents in the order of their ids', async () => {
    const { json } = await call('GET', '/v1/threat-models');

    expect(json).toMatchObject({
      items: [
        { id: 'no-adversary', adversaries: {} },
        { id: 'top-id', work: 'mined', network: { honest: 8, identity: { c1: 4 } } },
      ],
      next_page_token: null,
    });
  });

  it('goes through the list page by page', async () => {
    const first = await call('GET', '/v1/threat-models?page_size=1');
    const token = String(first.json.next_page_token);
    const second = await call('GET', `/v1/threat-models?page_size=1&page_token=${token}`);

    expect(first.json.items).toMatchObject([{ id: 'no-adversary' }]);
    expect(second.json.items).toMatchObject([{ id: 'top-id' }]);
    expect(second.json.next_page_token).toBeNull();
  });

  it.each([
    'page_size=0',
    'page_size=-1',
    'page_size=101',
    'page_size=1e9',
    'page_size=1.5',
    'page_size=01',
    'page_size=abc',
    'page_size=',
    'page_size=1&page_size=2',
    'page_token=',
    'page_token=%00',
    'page_token=_',
    'page_token=a.b',
    `page_token=${'A'.repeat(129)}`,
    'limit=5',
    'sort=(select%201)',
  ])('refuses the query %s', async (query) => {
    const answer = await call('GET', `/v1/threat-models?${query}`);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });
});

describe('pages', () => {
  it('give every item once, in order, whatever their size', () => {
    const keys = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 40 });
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 100 }), (unordered, size) => {
        const items = unordered.map((key) => key.toWellFormed()).toSorted();
        const unique = items.filter((item, index) => item !== items[index - 1]);

        const seen: string[] = [];
        let token: string | null | undefined;
        do {
          const query = { page_size: String(size), ...(token && { page_token: token }) };
          const page = pageOf(unique, (item) => item, query);
          seen.push(...page.items);
          token = page.next_page_token;
        } while (token !== null);

        expect(seen).toEqual(unique);
      }),
      { seed: 158, numRuns: 200 },
    );
  });
});
