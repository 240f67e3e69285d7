/**
 * @module
 * The guides in a browser: what each sentence says is compared with the picture that is on the screen with it.
 */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import type { Guide } from '../../../server/web/guide/guide.ts';
import { GUIDES } from '../../../server/web/guide/guide.ts';
import { browserLab, hasBrowser } from '../browser.ts';
import { played } from './guides.ts';

describe.skipIf(!hasBrowser)('a guide', () => {
  const browser = browserLab();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const at = (page: Page) => Number(/at=(\d+)/.exec(page.url())?.[1] ?? 0);

  /** What the picture of nodes shows, and the list of messages. */
  async function shown(page: Page) {
    const names = await page
      .locator('.ring-picture .node')
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label') ?? ''));
    const rankOf = (name: string) => Number(/\d+/.exec(name)?.[0]);
    const having = (mark: string) =>
      names
        .filter((name) => name.includes(`, ${mark}`))
        .map(rankOf)
        .toSorted();
    return {
      leads: having('leads'),
      down: having('down'),
      paused: having('paused'),
      flights: await page.locator('.flight').count(),
    };
  }

  /** What the events of a guide say of the same. Null for a race. */
  function expectedIn({ parts, frames, moments }: ReturnType<typeof played>, frame: number) {
    const { part = 0, moment = 0 } = frames[frame] ?? {};
    const state = moments[part]?.[moment];
    const own = parts[part];
    if (state === undefined || !('nodes' in state) || own?.view !== 'election') return null;
    const ranks = state.nodes.map((_, rank) => rank).slice(1, own.played.nodes.ranks + 1);
    return {
      leads: ranks.filter((rank) => state.nodes[rank]?.follows === rank),
      down: ranks.filter((rank) => state.nodes[rank]?.isUp === false),
      paused: ranks.filter((rank) => state.nodes[rank]?.isPaused === true),
      flights: state.sent().filter(({ end }) => end === null).length,
    };
  }

  async function expectTrue(page: Page, guide: ReturnType<typeof played>): Promise<void> {
    const frame = at(page);
    const text = guide.frames[frame]?.text ?? '';
    await page.locator('.sentence').getByText(text, { exact: true }).waitFor();
    const expected = expectedIn(guide, frame);
    if (expected === null) {
      const marks = await page.locator('.stage .honest g').count();
      expect(marks, text).toBe(5);
      const winning = await page.locator('.stage .id-line .zone').boundingBox();
      const required = await page.locator('.stage .id-line .required').boundingBox();
      const end = (winning?.y ?? 0) + (winning?.height ?? 0);
      expect(Math.abs(end - (required?.y ?? 0)), text).toBeLessThanOrEqual(1);
      return;
    }
    const shownNodes = (await page.locator('.event-panel').innerText()).matchAll(/\bnode (\d+)/gi);
    const labels = await page.locator('.ring-picture .node-label').allTextContents();
    for (const [named, rank] of shownNodes) expect(labels, `${text} ${named}`).toContain(rank);
    await expect.poll(() => shown(page), { message: text }).toEqual(expected);
  }

  it.each(GUIDES)('“$title” is true at the end of each sentence', async (guide: Guide) => {
    const expected = played(guide);
    const { page } = await browser.open(`#/guide/${guide.name}`);
    const sentences: (string | null)[] = [];
    for (;;) {
      await page.locator('.sentence').waitFor();
      await expectTrue(page, expected);
      sentences.push(await page.locator('.sentence').textContent());
      if (await button(page, 'Next').isDisabled()) break;
      await button(page, 'Next').click();
    }

    const all = [...new Set(expected.frames.map(({ text }) => text))];
    expect(sentences).toEqual(all);
    const stored = await (await fetch(`${browser.lab.url}/v1/elections`)).json();
    expect(stored, 'a guide that is read stores nothing').toMatchObject({ items: [] });
  });

  it('plays to its end by itself, and is true at all moments on the way', async () => {
    const guide = GUIDES.find(({ name }) => name === 'lie');
    if (guide === undefined) throw new Error('no guide to a lie');
    const expected = played(guide);
    const { page } = await browser.open(`#/guide/${guide.name}?at=0`);
    await page.locator('.sentence').waitFor();
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    // Time passes in this test alone.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
    await button(page, 'Play').click();
    const seen = new Set<number>();
    while ((await button(page, 'Again').count()) === 0) {
      await page.clock.runFor(200);
      seen.add(at(page));
      await expectTrue(page, expected);
    }

    expect(at(page)).toBe(expected.frames.length - 1);
    await page.context().close();
    expect(seen.size).toBeGreaterThan(expected.frames.length / 2);
  });

  it('stays at its moment when the page is loaded again, and is moved by keys', async () => {
    const { page } = await browser.open('#/guide/ring?at=9');
    const sentence = () => page.locator('.sentence').textContent();
    await page.locator('.sentence').waitFor();
    const before = await sentence();

    await page.reload();
    await page.locator('.sentence').waitFor();
    expect([at(page), await sentence()]).toEqual([9, before]);
    await page.keyboard.press('ArrowRight');
    await expect.poll(sentence).not.toBe(before);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(sentence).toBe(before);
    await page.keyboard.press(' ');
    await button(page, 'Pause').waitFor();
    await page.keyboard.press(' ');
    await button(page, 'Play').waitFor();
  });

  it('begins on the start page, and says that there is no such guide', async () => {
    const { page } = await browser.open('#/?seed=5');
    await page.getByRole('link', { name: 'Show me' }).click();
    await page.getByText('A leader decides alone').waitFor();

    await page.goto(`${browser.lab.url}/#/guide/nothing`);
    await page.getByText('There is no guide of this name.').waitFor();
  });

  it.each([
    ['first-election', 'The usurper leads: the honest nodes follow node 6.'],
    ['lie', 'The nodes refuse it: node 5 has signed no candidacy.'],
    ['zombie', 'The store has seen epoch 8. It answers REFUSED.'],
  ])('lets the reader continue %s at “%s”', async (name, text) => {
    const guide = GUIDES.find((each) => each.name === name);
    if (guide === undefined) throw new Error(name);
    const { parts, frames } = played(guide);
    const frame = frames.findIndex((each) => each.text === text);
    const { part = 0, moment = 0 } = frames[frame] ?? {};
    const { page } = await browser.open(`#/guide/${name}?at=${frame}`);
    await button(page, 'Try it yourself').click();

    await page.getByText(new RegExp(`^Event ${moment} of ${moment}`)).waitFor();
    const id = /e_\w+/.exec(page.url())?.[0];
    const events = await (await fetch(`${browser.lab.url}/v1/elections/${id}/events`)).text();
    const lines = events.split('\n').filter((line) => line.includes('"seq"'));
    const own = parts[part];
    expect(lines.map((line) => ({ ...JSON.parse(line), election: 'guide' }))).toEqual(
      own?.view === 'election' ? own.played.events.slice(0, moment) : [],
    );
  });

  it('lets the reader continue a race', async () => {
    const { page } = await browser.open('#/guide/first-election?at=2');
    await page.getByRole('link', { name: 'Try it yourself' }).click();

    await page.locator('.winner').getByText('The forger won.').waitFor();
  });
});
