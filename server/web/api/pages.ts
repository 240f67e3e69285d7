/**
 * @module
 * Lists of the server that have several pages.
 */

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken: string | null;
}

/** A page of a list: its size, and where it begins. */
interface PageQuery {
  readonly pageSize: string;
  readonly pageToken?: string;
}

const PAGES_MAX = 20;

/** The items of all pages of a list, or of the first ones. */
export async function allPages<Item>(
  read: (query: PageQuery) => Promise<Page<Item>>,
  pagesMax = PAGES_MAX,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  let query: PageQuery = { pageSize: '100' };
  for (let page = 0; page < pagesMax; page += 1) {
    const { items, nextPageToken } = await read(query);
    found.push(...items);
    if (nextPageToken === null) break;
    query = { ...query, pageToken: nextPageToken };
  }
  return found;
}
