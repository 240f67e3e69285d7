/**
 * @module
 * What a check is, and how its complaints are put together.
 */

/** Answers null when all is as it should be, else what it found. */
export type Check = () => string | null;

/** The first complaint about any of the items, in their order. */
export function firstComplaint<Item>(
  items: Iterable<Item>,
  complain: (item: Item) => string | null,
): string | null {
  for (const item of items) {
    const complaint = complain(item);
    if (complaint !== null) return complaint;
  }
  return null;
}

/** Complains of what is not the same JSON. */
export function complainUnlessSame(what: string, found: unknown, expected: unknown): string | null {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
  return is === should ? null : `${what}: ${is} instead of ${should}`;
}

/** 1..count. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
