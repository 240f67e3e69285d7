/**
 * @module
 * Matrices in the browser: a small one from its form to a cell, and from the cell to the run that it rests on, which is
 * the same run. One server and one matrix of each kind for all tests.
 */

import { beforeAll, describe, expect, it } from 'vitest';

import { attackMark, faultMark } from '../../server/web/matrices/cells.ts';
import { browserLab, hasBrowser } from './browser.ts';
import { expectLinesAccepted, expectNoFaults } from './every-view/inspection.ts';

describe('the mark of a cell', () => {
  it.each([
    ['LLNN', '○', 'even at L3'],
    ['LL--', '●', 'up to L1'],
    ['L---', '●', 'only at L0'],
    ['----', '', 'no effect'],
    ['????', '', 'unknown'],
  ] as const)('of the attack %s is in words', (byLevel, mark, word) => {
    expect(attackMark({ byLevel, mark }).word).toBe(word);
  });

  it.each([
    [[], 'true', 'ok'],
    [['S1', 'L'], 'true', 'S1 L'],
    [['S1'], 'false', 'S1, not stated'],
    [[], 'unknown', 'ok, not all stated'],
  ] as const)('of the effects %j, which agree: %s, is %s', (effects, agrees, word) => {
    expect(faultMark({ seen: effects.map((effect) => ({ effect })), agrees }).word).toBe(word);
  });
});

type Run = Readonly<Record<'protocol' | 'attack' | 'level' | 'shows', string>>;

interface Held {
  readonly seed: string;
  readonly leader: { readonly rank: number } | null;
  readonly messages: { readonly total: number };
  readonly byzantine: readonly object[];
  readonly verdict: { readonly value: string };
}

describe.skipIf(!hasBrowser)('a matrix', () => {
  const browser = browserLab();
  const ids = { attack: '', fault: '' };

  const submitted = async (body: object): Promise<string> => {
    const response = await fetch(`${browser.lab.url}/v1/fault-matrices`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Prefer: 'wait=50' },
      body: JSON.stringify(body),
    });
    const { id, status } = (await response.json()) as { id: string; status: string }; // By the contract.
    expect(status).toBe('done');
    return id;
  };

  beforeAll(async () => {
    if (!hasBrowser) return;
    ids.fault = await submitted({ protocols: ['cr-join'], runs: 5 });
  });

  it('is run from its form by keys, and a cell opens the run that it rests on', async () => {
    const { page } = await browser.open('#/matrices?protocols=cr-join');
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'A2a on cr-join: up to L1' }).waitFor();
    await page.getByRole('columnheader', { name: 'A2a Phantom ID' }).waitFor();
    await page.getByRole('columnheader', { name: 'A8/9 ID grinding or Precomputation' }).waitFor();
    ids.attack = /matrices\/([a-z-]+_[a-z0-9]+)/.exec(page.url())?.[1] ?? '';

    await page.getByRole('button', { name: /^A2a on cr-join/ }).press('Enter');
    const cell = page.getByRole('region', { name: 'The chosen cell' });
    await cell.getByRole('row', { name: /^L0/ }).waitFor();
    await page.reload();
    await cell.getByRole('button', { name: 'Open the run: L0' }).press('Enter');
    await page.waitForURL(/#\/elections\/e_/);

    const id = /elections\/(e_[a-z0-9]+)/.exec(page.url())?.[1] ?? '';
    const read = async (path: string) => (await fetch(`${browser.lab.url}${path}`)).json();
    const election = (await read(`/v1/elections/${id}`)) as Held; // By the contract.
    const runs = (await read(`/v1/jobs/${ids.attack}/results/rows`)) as Run[]; // Likewise.
    const run = runs.find(({ attack, level }) => attack === 'A2a' && level === 'L0');
    expect(run).toMatchObject({ messages: election.messages.total, seed: election.seed });
    expect(run).toMatchObject({ leader: election.leader?.rank ?? null });
    expect(election.byzantine).toEqual([{ rank: 1, behaviours: ['phantom-id'] }]);
    expect(election.verdict.value).not.toBe('true');
  });

  it('of faults shows effects in words, and opens a run that shows one', async () => {
    const { page } = await browser.open(`#/matrices/${ids.fault}?cell=cr-join%20drop`);
    const cell = page.getByRole('region', { name: 'The chosen cell' });
    await cell.getByText('The fault: drop, 1-30 %.').waitFor();
    await expectNoFaults(page);
    await expectLinesAccepted(page);
    await cell.getByRole('button', { name: 'Open the run: L', exact: true }).click();
    await page.waitForURL(/#\/elections\/e_/);

    await page.locator('main h1').waitFor();
  });
});
