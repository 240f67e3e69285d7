/**
 * @module
 * Lists in pages (AIP-158): `page_size` and `page_token` in the query, `items` and `next_page_token` in
 * the answer. The token is opaque to callers; it holds the key of the last item given, so that a
 * list that changes between two pages repeats and skips nothing.
 */

import { z } from '@hono/zod-openapi';

import { LabError } from '../../src/errors.ts';

export const pageQuerySchema = z.strictObject({
  page_size: z
    .string()
    .regex(/^(?:[1-9]|[1-9][0-9]|100)$/, 'must be 1 to 100')
    .default('20')
    .meta({ description: 'Items in a page at most, 1 to 100.', example: '20' }),
  page_token: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be the next_page_token of the page before')
    .optional()
    .meta({ description: 'The `next_page_token` of the page before; the first page has none.' }),
});

/** The schema of a page of such items. */
function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next_page_token: z.string().nullable().meta({ description: 'Null on the last page.' }),
  });
}

/** How an operation describes a page of such items. */
export function pageResponse<Item extends z.ZodType>(item: Item, description: string) {
  return { 200: { description, content: { 'application/json': { schema: pageSchema(item) } } } };
}

/** The same page with what is shown of each item. */
export function mapPage<Item, View>(
  page: { readonly items: readonly Item[]; readonly next_page_token: string | null },
  viewOf: (item: Item) => View,
): { items: View[]; next_page_token: string | null } {
  return { ...page, items: page.items.map(viewOf) };
}

/** The page of `items`, which are in the order of their keys, that the query asks for. */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  query: z.output<typeof pageQuerySchema>,
): { items: Item[]; next_page_token: string | null } {
  const after = query.page_token === undefined ? '' : decodeToken(query.page_token);
  const first = query.page_token === undefined ? 0 : indexAfter(items, keyOf, after);
  const page = items.slice(first, first + Number(query.page_size));
  const last = page.at(-1);
  const more = items.length > first + page.length && last !== undefined;
  return { items: page, next_page_token: more ? encodeToken(keyOf(last)) : null };
}

/**
 * The page that the query asks for of a list too long to be made for it: `take` gives the first `count`
 * items behind a key, which is null for the beginning, and throws for a key that cannot be one.
 */
export function pageTaken<Item>(
  take: (after: string | null, count: number) => readonly Item[],
  keyOf: (item: Item) => string,
  query: z.output<typeof pageQuerySchema>,
): { items: Item[]; next_page_token: string | null } {
  const after = query.page_token === undefined ? null : decodeToken(query.page_token);
  const size = Number(query.page_size);
  const taken = take(after, size + 1);
  const items = taken.slice(0, size);
  const last = items.at(-1);
  const more = taken.length > size && last !== undefined;
  return { items, next_page_token: more ? encodeToken(keyOf(last)) : null };
}

/** Where the first item behind a key is, by bisection: a list may be long, and is in order. */
function indexAfter<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  key: string,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && keyOf(item) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function encodeToken(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

function decodeToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString('utf8');
  if (encodeToken(key) !== token) throw unknownToken();
  return key;
}

/** What a token that no page named is refused with. */
export function unknownToken(): LabError {
  return new LabError('schema', 'query parameter page_token: must be one that a page named');
}
