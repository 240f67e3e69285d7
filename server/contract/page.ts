/**
 * @module
 * Lists in pages (AIP-158): `pageSize` and `pageToken` in the query, `items` and `nextPageToken` in the
 * answer. The token is opaque to callers. It contains the key of the last item, so that no item is repeated
 * or skipped if the list changes between two pages.
 */

import { z } from '@hono/zod-openapi';

import { LabError } from '../../src/errors.ts';
import { jsonAnswer } from './router.ts';

/** The base64url of at least one byte, with zeros as its unused last bits (RFC 4648, 3.5). */
const TOKEN = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/;
const TOKEN_RULE = 'must be the nextPageToken of the page before';

export const pageQuerySchema = z.strictObject({
  pageSize: z
    .string()
    .regex(/^(?:[1-9]|[1-9][0-9]|100)$/, 'must be 1 to 100')
    .default('20')
    .meta({ description: 'Number of items, 1 to 100.', example: '20' }),
  pageToken: z
    .string()
    .regex(TOKEN, TOKEN_RULE)
    .min(2, TOKEN_RULE)
    .max(128, TOKEN_RULE)
    .optional()
    .describe('The `nextPageToken` of the page before; absent for the first page.'),
});

export type PageQuery = z.output<typeof pageQuerySchema>;

interface Page<Item> {
  items: Item[];
  nextPageToken: string | null;
}

/** How an operation describes a page of items. */
export function pageResponse<Item extends z.ZodType>(item: Item, description: string) {
  const schema = z.object({
    items: z.array(item),
    nextPageToken: z.string().nullable().describe('Null on the last page.'),
  });
  return { 200: jsonAnswer(schema, description) };
}

/** The page with a view of each item. */
export function mapPage<Item, View>(page: Page<Item>, viewOf: (item: Item) => View): Page<View> {
  return { ...page, items: page.items.map(viewOf) };
}

/** The page of a list in the order of its keys, which are different. */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  query: PageQuery,
): Page<Item> {
  const take = (after: string | null, count: number) =>
    items
      .map((item) => ({ item, key: keyOf(item) }))
      .filter(({ key }) => after === null || key > after)
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .slice(0, count)
      .map(({ item }) => item);
  return pageTaken(take, keyOf, query);
}

/** The page of a list in its own order. Its token is a position. */
export function pageInOrder<Item>(items: readonly Item[], query: PageQuery): Page<Item> {
  const keyed = items.map((item, index) => ({ item, key: String(index).padStart(8, '0') }));
  return mapPage(
    pageOf(keyed, ({ key }) => key, query),
    ({ item }) => item,
  );
}

/**
 * The page of a list that is too long to create: `take` returns the first `count` items after a key, which is
 * null at the beginning. It throws for a key that is not possible.
 */
export function pageTaken<Item>(
  take: (after: string | null, count: number) => readonly Item[],
  keyOf: (item: Item) => string,
  query: PageQuery,
): Page<Item> {
  const { pageToken: token } = query;
  const after = token === undefined ? null : Buffer.from(token, 'base64url').toString('latin1');
  const size = Number(query.pageSize);
  const taken = take(after, size + 1);
  const items = taken.slice(0, size);
  const last = items.at(-1);
  const isMore = taken.length > size && last !== undefined;
  // Keys are ASCII.
  const next = isMore ? Buffer.from(keyOf(last), 'latin1').toString('base64url') : null;
  return { items, nextPageToken: next };
}

/** The refusal of a token that no page contained. */
export function unknownToken(): LabError {
  return new LabError('schema', 'query parameter pageToken: must be one that a page named');
}
