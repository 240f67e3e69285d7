/**
 * @module
 * This folder contains what surrounds every view: the address, the navigation, sign-in and the state of the
 * connection. This file reads and writes the address. It is in the fragment (`#/elections/e_1?at=12`), so that each
 * view has a URL and the server has one page.
 */

import { signal } from '@preact/signals';

/** An address: the parts of its path, and the values that restore the view. */
export interface Address {
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Values of an address; those that are null or empty are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The part of its address that a view receives. */
export type QueryProps = Pick<Address, 'query'>;

/** The part of its address that a view of one object receives. */
export interface ObjectProps extends QueryProps {
  readonly id: string;
}

/** The address that is shown. */
export const address = signal<Address>(parseAddress(location.hash));

addEventListener('hashchange', () => {
  address.value = parseAddress(location.hash);
});

/** For example `#/elections/e_1?at=12` from `['elections', 'e_1']` and `{ at: 12 }`. */
export function hrefOf(segments: readonly string[], query: Query = {}): string {
  const values = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const search = values.length === 0 ? '' : `?${new URLSearchParams(values)}`;
  return `#/${segments.map(encodeURIComponent).join('/')}${search}`;
}

/** Shows another view. The browser's button "back" returns to this one. */
export function go(segments: readonly string[], query: Query = {}): void {
  location.hash = hrefOf(segments, query);
}

/** Changes values of the address without an entry in the history. The view stays. */
export function keepInAddress(changes: Query): void {
  const { segments, query } = address.value;
  const href = hrefOf(segments, { ...query, ...changes });
  if (href === location.hash) return;
  history.replaceState(null, '', href);
  address.value = parseAddress(href);
}

/** Parses the fragment of a URL. A segment that is not valid is taken as it is. */
export function parseAddress(hash: string): Address {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const segments = path.split('/').filter((part) => part !== '');
  return {
    segments: segments.map(decoded),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
