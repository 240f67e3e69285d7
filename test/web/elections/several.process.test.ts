/**
 * @module
 * Several people in one election on a server that requires tokens: the instructor signs in, shares the election and
 * starts it; a participant enters with the join code in another browser, plays a node of its own, and sees what
 * participants may see. Names that participants choose are text.
 */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { TokenSet } from '../../../server/callers/tokens.ts';
import { browserLab, hasBrowser } from '../browser.ts';
import { violationsIn } from '../every-view/axe.ts';
import { expectNoAttack, forbidAttacks, HOSTILE } from '../every-view/hostile.ts';

const TOKEN = 'instructor-token-0123456789abcdef';

/** Requests that are refused on purpose are on the console: before the sign-in, and with a wrong secret. */
const REFUSED = /status of 401/;

describe.skipIf(!hasBrowser)('an election with several people', () => {
  const browser = browserLab({
    tokens: new TokenSet([{ name: 'ada', role: 'instructor', token: TOKEN }]),
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function signIn(page: Page, secret: string, name: string | null): Promise<void> {
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    if (name !== null) await page.getByLabel('a join code of an election').check();
    await page.locator('input[name=secret]').fill(secret);
    if (name !== null) await page.getByLabel('Your name').fill(name);
    await button(page, 'Sign in').click();
  }

  /** Gives every participant of the next answers a hostile name, which the server itself refuses. */
  async function renameParticipants(page: Page): Promise<void> {
    await page.route('**/participants?*', async (route) => {
      const response = await route.fetch();
      const { items, ...rest } = (await response.json()) as { items: object[] }; // By the contract.
      const named = HOSTILE.map((name, index) => ({ ...items[0], id: `${index}`, name }));
      await route.fulfill({ response, json: { ...rest, items: named } });
    });
  }

  it('is on a server without a class, whose exercises are shown without a question for the class', async () => {
    const { page, expects } = await browser.open('#/exercises');
    expects(/status of 401/);
    await signIn(page, TOKEN, null);

    await page.getByRole('link', { name: /^Spoof COORDINATOR/ }).waitFor();

    expect(await page.getByRole('heading', { name: 'Scoreboard' }).count()).toBe(0);
  });

  it('is played by a participant with the join code, who sees its own node and no more', async () => {
    const one = await browser.open('#/elections?seed=1&nodes=3&level=L2');
    one.expects(REFUSED);
    await forbidAttacks(one.page);
    await signIn(one.page, 'no-such-token-0123456789abcdef', null);
    await one.page.getByRole('alert').waitFor();
    expect(await violationsIn(one.page)).toEqual([]);
    await one.page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsIn(one.page)).toEqual([]);
    await signIn(one.page, TOKEN, null);
    await button(one.page, 'Create the election').click();
    await one.page.getByRole('heading', { name: 'bully-oneshot, 3 nodes' }).waitFor();
    await one.page.getByText('Share this election').click();
    await button(one.page, 'Make a join code').click();
    const code = (await one.page.locator('.join-code').textContent()) ?? '';
    await one.page.waitForURL(/#\/elections\/e_/);
    const address = new URL(one.page.url()).hash;

    const other = await browser.open(address);
    other.expects(/status of 40[01]/);
    await signIn(other.page, 'aaaa-aaaa-aaaa-aaaa', 'Ann');
    await other.page.getByRole('alert').waitFor();
    await signIn(other.page, code, HOSTILE[1] ?? '');
    await other.page.getByRole('alert').getByText('letters of one script').waitFor();
    await signIn(other.page, code, 'Ann');
    await other.page.getByRole('heading', { name: 'bully-oneshot, 3 nodes' }).waitFor();
    await expect
      .poll(() => other.page.locator('.election-facts').textContent())
      .toContain('seed hidden');
    await button(other.page, 'Mine an ID and join').click();
    await other.page.getByRole('heading', { name: 'Your node has rank 4' }).waitFor();

    await one.page.getByRole('button', { name: 'Node 4, outside' }).waitFor();
    await button(one.page, 'Start the nodes').click();
    await other.page.getByText('your node starts').waitFor();
    await other.page.locator('.answer select').selectOption('COORDINATOR');
    await button(other.page, 'Send').click();
    await button(other.page, 'Lead').click();
    for (const { page } of [one, other]) {
      await page.getByRole('button', { name: 'Node 4, leads, outside' }).click();
      await page.getByText('Its player is Ann.').waitFor();
    }
    await button(one.page, 'Crash').waitFor();
    await expect.poll(() => one.page.locator('.flight').count()).toBeGreaterThan(0);
    await expectParticipantsView(other.page);
    await button(one.page, 'Show participants').click();
    await one.page.locator('.participants li', { hasText: 'Ann: node' }).waitFor();
    await renameParticipants(one.page);
    await button(one.page, 'Show participants').click();
    await one.page.getByText(`${HOSTILE[199]}: node`).waitFor();
    await expect.poll(() => one.page.locator('.participants li').count()).toBe(HOSTILE.length);
    await expectNoAttack(one.page);
    await one.page.unrouteAll({ behavior: 'ignoreErrors' });

    const seen = await other.page.evaluate<string>(
      `fetch('/v1/${address.slice(2)}/events').then((answer) => answer.text())`,
    );
    const events = seen
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Seen); // By the contract.
    const own = events.filter(({ outline }) => outline !== true);
    expect(own.length).toBeGreaterThan(0);
    expect(new Set(own.map(({ node }) => node))).toEqual(new Set([4]));
    other.expects(/ERR_FAILED/);
    await expectSignOut(other.page);

    const chosen = new URL(one.page.url()).hash;
    await letCookiesExpire(one.page);
    await signIn(one.page, TOKEN, null);
    await one.page.getByRole('heading', { name: 'Node 4' }).waitFor();
    await expect.poll(() => new URL(one.page.url()).hash).toBe(chosen);
    expect(chosen).toContain('node=4');
  });
});

/** Expects no message of others, and nothing that a participant may not do. */
async function expectParticipantsView(page: Page): Promise<void> {
  await page.getByText('of others only that something happens').waitFor();
  expect(await page.locator('.flight').count()).toBe(0);
  for (const name of ['Crash', 'Separate it', 'Heal', 'Run until it rests', 'Fork now', 'Delete']) {
    expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
  }
  await page.getByRole('button', { name: 'Step', exact: true }).waitFor();
  await page.getByRole('button', { name: 'First', exact: true }).click();
  await page.getByText('The circle and the verdict are those of now.').waitFor();
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await page.getByText('starts an election.').waitFor();
  await page.getByRole('button', { name: 'Newest', exact: true }).click();
  expect(await violationsIn(page)).toEqual([]);
}

/** Expects that signing out ends the session in every tab, and leaves no secret of a node. */
async function expectSignOut(page: Page): Promise<void> {
  const leave = page.getByRole('button', { name: 'Sign out', exact: true });
  const session = '**/v1/sessions/current';
  await page.route(session, (route) => route.abort('failed'));
  const lost = page.waitForEvent('requestfailed', (request) => request.method() === 'DELETE');
  await leave.click();
  await lost;
  // The page has dealt with the failure before this answer.
  await page.evaluate("fetch('/healthz').then((answer) => answer.text())");
  expect(await leave.count(), 'a session that the server did not end').toBe(1);
  await page.unroute(session);
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await tab.getByRole('heading', { name: /^bully-oneshot, \d nodes$/ }).waitFor();
  expect(await page.evaluate<number>('sessionStorage.length')).toBe(1);

  await leave.click();

  for (const each of [page, tab]) {
    await each.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => new URL(each.url()).hash).toMatch(/^#\/(\?seed=\d+(&run=1)?)?$/);
  }
  await expect.poll(() => page.evaluate<number>('sessionStorage.length')).toBe(0);
}

async function letCookiesExpire(page: Page): Promise<void> {
  const context = page.context();
  const expires = Date.now() / 1000 + 1;
  await context.addCookies((await context.cookies()).map((cookie) => ({ ...cookie, expires })));
}

/** An event as a participant receives it. */
interface Seen {
  readonly node?: number;
  readonly outline?: boolean;
}
