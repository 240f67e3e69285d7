/**
 * @module
 * Members of documents with epochs that nothing reads, because of other members: the document is refused with the member
 * and what to write instead.
 */

import { describe, expect, it } from 'vitest';
import { documentOf } from '../oracles/instances.ts';
import { refusedBy } from './refusals.ts';

type Parts = readonly [epochs: object, adversary: object, property: string];

const TWO = { count: 2, salt: 'both' };
const PAID = { budget: { attempts: 8 } };
const LEADS = 'adversary-leads';

function written([epochs, adversary, property]: Parts) {
  return documentOf({
    network: { honest: 3, identity: { c1: 2 } },
    ...{ epochs, adversaries: [adversary], expect: { property } },
  });
}

describe('a document with epochs', () => {
  it.each([
    ['epochs.churn', [{ count: 1, churn: 0.1 }, PAID, LEADS]],
    ['epochs.newcomers', [{ count: 1, newcomers: 2 }, PAID, LEADS]],
    ['epochs.retargeting', [{ count: 1, retargeting: { joins: 3 } }, PAID, LEADS]],
    ['epochs.unspent', [{ count: 1, unspent: 'saved' }, PAID, LEADS]],
    ['epochs.unspent', [{ ...TWO, salt: 'rank', unspent: 'saved' }, PAID, LEADS]],
    ['epochs.unspent', [{ ...TWO, salt: 'none', unspent: 'saved' }, PAID, LEADS]],
    ['adversaries.ann.reveals', [TWO, { ...PAID, reveals: 1 }, 'majority-captured']],
    ['adversaries.ann.reveals', [TWO, { ...PAID, reveals: 1 }, 'honest-priced-out']],
    ['adversaries.ann.stockpile', [TWO, { ...PAID, plan: 'fresh', stockpile: 9 }, LEADS]],
  ] as const)('is refused for %s, if it has no effect: %j', (member, parts) => {
    const { message } = refusedBy(() => written(parts));
    expect(message).toContain(`${member} has no effect`);
    expect(message).toMatch(/leave/);
  });

  it.each([
    [{ ...TWO, churn: 0.1, newcomers: 1, retargeting: { joins: 3 } }, PAID, LEADS],
    [{ ...TWO, unspent: 'saved' }, PAID, LEADS],
    [{ ...TWO, salt: 'none', unspent: 'saved', churn: 0.1 }, PAID, LEADS],
    [TWO, { ...PAID, reveals: 1 }, LEADS],
    [TWO, { ...PAID, stockpile: 9 }, LEADS],
    [{ ...TWO, salt: 'rank' }, { ...PAID, plan: 'fresh', stockpile: 9 }, LEADS],
  ] satisfies Parts[])('is accepted if each member is read: %j, %j', (...parts) => {
    expect(written(parts).id).toBe('drawn');
  });
});
