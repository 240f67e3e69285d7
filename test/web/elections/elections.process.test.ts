/**
 * @module
 * The view of elections, operated in a browser against a real server: creating, stepping, dropping a message, acting on
 * nodes, forking, and two browsers that watch one election.
 */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { browserLab, hasBrowser } from '../browser.ts';

describe.skipIf(!hasBrowser)('the view of elections', () => {
  const browser = browserLab();

  /** Creates an election by the API. Returns its id. */
  async function create(body: object): Promise<string> {
    const response = await fetch(`${browser.lab.url}/v1/elections`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        protocol: 'bully-oneshot',
        nodes: 3,
        seed: '1',
        level: 'L0',
        ...body,
      }),
    });
    // The contract gives elections an id.
    return ((await response.json()) as { readonly id: string }).id;
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const state = (page: Page) => page.locator('.state-sentence').textContent();
  const verdict = (page: Page) => page.locator('.verdict-line').textContent();

  it('creates an election by its form, and runs it until it rests', async () => {
    const { page } = await browser.open('#/elections?seed=7');
    await page.getByLabel('Protocol').selectOption('cr-join');
    await page.getByLabel('Nodes', { exact: true }).fill('6');
    await button(page, 'Create the election').click();

    await page.getByRole('heading', { name: 'cr-join, 6 nodes' }).waitFor();
    await expect.poll(() => state(page)).toContain('has not been started');
    await button(page, 'Start the nodes').click();
    await button(page, 'Run until it rests').click();
    await page.getByText('all 6 live nodes follow 6').waitFor();

    await expect.poll(() => verdict(page)).toContain('true');
    await expect.poll(() => page.locator('.properties li').count()).toBe(4);
    await expect.poll(() => page.locator('.election-facts').textContent()).toContain('seed 7');
  });

  it('runs a scenario, and states what is expected of it', async () => {
    const { page } = await browser.open('#/elections?seed=1');
    await page.getByLabel('Scenario').selectOption('split-brain');
    await page
      .locator('label', { hasText: /^Run/ })
      .locator('select')
      .selectOption('crashes are watched');
    await expect
      .poll(() => page.locator('.equivalent code').first().textContent())
      .toBe('usurp elect --scenario split-brain --nodes 5 --seed 1');
    await button(page, 'Create the election').click();

    await page.getByText('Run “crashes are watched” of the scenario split-brain.').waitFor();
    await expect.poll(() => page.locator('.scenario-of').textContent()).toContain('2 and 5');
    await expect.poll(() => verdict(page)).toContain('false');
  });

  it('states the command of an election with its crashes, as it was created', async () => {
    const id = await create({ nodes: 5, crash: [{ rank: 5, at: 3 }] });
    const { page } = await browser.open(`#/elections/${id}`);

    await expect
      .poll(() => page.locator('.equivalent code').first().textContent())
      .toBe('usurp elect bully-oneshot --nodes 5 --level L0 --crash 5@3 --latency 1 --seed 1');
  });

  it('keeps the draft of an election in the address', async () => {
    const address = `#/elections?${new URLSearchParams({
      ...{ protocol: 'raft', nodes: '4', seed: '9', crash: '2@30', loss: '5%' },
    })}`;
    const { page } = await browser.open(address);

    await expect
      .poll(() => page.locator('.equivalent code').first().textContent())
      .toBe('usurp elect raft --nodes 4 --crash 2@30 --loss 5% --level L0 --seed 9');
    await expect.poll(() => page.getByRole('textbox', { name: 'Losses' }).inputValue()).toBe('5%');
  });

  it('shows what the server refuses in a form', async () => {
    const { page, expects } = await browser.open('#/elections?nodes=0&seed=1');
    expects(/status of 400/);
    await button(page, 'Create the election').click();

    await page.getByRole('alert').getByText('/nodes').waitFor();
  });

  it('changes the verdict when the decisive messages are dropped', async () => {
    const id = await create({ nodes: 2, protocol: 'bully-oneshot' });
    const { page } = await browser.open(`#/elections/${id}`);
    await button(page, 'Start the nodes').click();

    await page.getByRole('button', { name: /2 → 1.*COORDINATOR/ }).click();
    await button(page, 'Drop').click();
    await page.getByRole('heading', { name: 'Messages in flight: 1' }).waitFor();
    await expect.poll(() => verdict(page)).toContain('unknown');
    const flights = page.locator('.flight');
    for (let left = 1; left > 0; left = await flights.count()) {
      // The list is read after the number above it, so that it can still have a message that was dropped.
      await expect.poll(() => flights.count()).toBe(left);
      await flights.first().click();
      await button(page, 'Drop').click();
      await page.getByRole('heading', { name: `Messages in flight: ${left - 1}` }).waitFor();
      await expect.poll(() => flights.count()).toBe(left - 1);
    }
    await button(page, 'Run until it rests').click();
    await page.locator('.verdict.false, .verdict.true').first().waitFor();
    const response = await fetch(`${browser.lab.url}/v1/elections/${id}`);
    // The contract says so.
    const { verdict: judged } = (await response.json()) as { verdict: { readonly reason: string } };

    await expect.poll(() => verdict(page)).toContain(judged.reason);
  });

  it('lets the messages in flight travel in the picture, and marks one that is refused', async () => {
    const byzantine = [{ rank: 2, behaviours: ['spoof-coordinator'] }];
    const id = await create({ nodes: 3, level: 'L2', byzantine });
    const { page } = await browser.open(`#/elections/${id}`);
    await button(page, 'Start the nodes').click();
    await page.getByRole('heading', { name: 'Messages in flight: 6' }).waitFor();
    const travelling = page.locator('.ring-picture .message');
    await expect.poll(() => travelling.count()).toBe(6);

    const transforms = () =>
      travelling.evaluateAll((marks) => marks.map((mark) => mark.getAttribute('style')));
    const before = await transforms();
    await button(page, 'Step').click();
    await page.getByRole('heading', { name: 'Messages in flight: 6' }).waitFor();
    // The message that has just arrived is beside those in flight, of which one is new.
    await expect.poll(() => travelling.count()).toBe(7);
    const after = await transforms();
    expect(before.filter((transform) => after.includes(transform))).toEqual([]);
    await button(page, 'Run until it rests').click();
    await page.getByText('all 3 live nodes follow 3').waitFor();

    const refused = page.locator('.ring-picture .message.refused');
    const positions: number[] = [];
    for (let at = 1; at <= 12; at += 1) {
      await page.goto(`${browser.lab.url}/#/elections/${id}?at=${at}`);
      await page.getByText(new RegExp(`^Event ${at} of`)).waitFor();
      if ((await refused.count()) > 0) positions.push(at);
    }
    const events = await (await fetch(`${browser.lab.url}/v1/elections/${id}/events`)).text();
    const lines = events.split('\n').filter((line) => line.includes('"refused":'));

    // The contract says so.
    const seqs = lines.map((line) => (JSON.parse(line) as { readonly seq: number }).seq);
    expect(positions).toEqual(seqs.filter((seq) => seq < 12).map((seq) => seq + 1));
    expect(positions.length).toBeGreaterThan(0);
  });

  it('says that a spoofed announcement is refused, and why', async () => {
    const byzantine = [{ rank: 2, behaviours: ['spoof-coordinator'] }];
    const id = await create({ nodes: 4, level: 'L2', byzantine, run: true });
    const events = await fetch(`${browser.lab.url}/v1/elections/${id}/events`, {
      headers: { Accept: 'application/jsonl' },
    });
    const lines = (await events.text()).split('\n').filter((line) => line.includes('"refused":'));
    const { seq } = JSON.parse(lines[0] ?? '{}') as { readonly seq: number }; // An event.
    const { page } = await browser.open(`#/elections/${id}?at=${seq + 1}`);

    await page.getByText('Refused:').waitFor();

    await expect.poll(() => page.locator('.event-panel').textContent()).toContain('candidacy');
  });

  it('crashes, recovers and separates the node that was chosen by keyboard', async () => {
    const id = await create({ run: true });
    const { page } = await browser.open(`#/elections/${id}`);
    await page.getByText('all 3 live nodes follow 3').waitFor();

    await page.getByRole('button', { name: 'Node 3, leads' }).focus();
    await page.keyboard.press('Enter');
    await button(page, 'Crash').click();
    await page.getByRole('button', { name: 'Node 3, down' }).waitFor();
    await button(page, 'Run until it rests').click();
    await page.getByText('all 2 live nodes follow 2').waitFor();
    await button(page, 'Recover').click();
    await page.getByRole('button', { name: 'Crash', exact: true }).waitFor();
    await button(page, 'Separate it').click();
    await page.getByText('Node 3 on one side').waitFor();
    await button(page, 'Separate them').click();
    await page.getByText('Choose nodes and').waitFor();

    await expect.poll(() => page.url()).toContain('node=3');
  });

  it('steps through the history, restores a moment from the address, and forks there', async () => {
    const id = await create({ run: true });
    const { page } = await browser.open(`#/elections/${id}?at=2`);

    await page.getByText('Event 2 of').waitFor();
    await button(page, 'Step').click();
    await page.getByText('Event 3 of').waitFor();
    await button(page, 'Back').click();
    await button(page, 'Fork at event 2').click();
    await page.getByText(`copy of ${id}`).waitFor();

    await expect.poll(() => page.url()).not.toContain(id);
  });

  it('shows the message under the pointer with its checks and the reaction, plays, and suspects', async () => {
    const id = await create({ run: true });
    const { page } = await browser.open(`#/elections/${id}`);
    await page.getByText('all 3 live nodes follow 3').waitFor();
    const panel = page.locator('.event-panel');

    await pointAtMessage(page);
    await expect
      .poll(() => panel.textContent())
      .toMatch(/From node \d to node \d, sent in event \d+, delivered/);
    await panel.getByText('Accepted by all checks of the level.').waitFor();
    await panel.getByText(/^Node \d(:| does nothing\.)$/).waitFor();
    await button(page, 'First').click();
    await page.getByLabel('Events in each step of playing').selectOption('16');
    await button(page, 'Play').click();
    await expect.poll(() => button(page, 'Newest').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Node 3, leads' }).click();
    await button(page, 'Suspect it').click();
    await page.getByRole('heading', { name: /^Messages in flight: [1-9]/ }).waitFor();
  });

  it('delivers, delays and copies a message', async () => {
    const id = await create({});
    const { page } = await browser.open(`#/elections/${id}`);
    await button(page, 'Start the nodes').click();
    const choose = () =>
      page
        .getByRole('button', { name: /1 → 3.*ELECTION/ })
        .first()
        .click();

    await choose();
    await page.getByLabel('by ticks').fill('50');
    await button(page, 'Delay').click();
    await page.getByRole('button', { name: /1 → 3.*tick 51/ }).waitFor();
    await button(page, 'Send a copy').click();
    await page.getByText('Node 3 can process the message.').waitFor();
    await button(page, 'Deliver now').click();
    await page.getByText('Node 3 receives message').waitFor();
  });

  it('shows in one browser what another does', async () => {
    const id = await create({});
    const one = await browser.open(`#/elections/${id}`);
    const other = await browser.open(`#/elections/${id}`);
    await other.page.getByText('The election has not been started.').waitFor();

    await button(one.page, 'Start the nodes').click();
    await button(one.page, 'Run until it rests').click();
    await other.page.getByText('all 3 live nodes follow 3').waitFor();
    await other.page.getByRole('button', { name: 'Node 3, leads' }).waitFor();
  });

  it('mines beside the page, with its odds, until the reader stops it', async () => {
    const id = await create({ honest: 'drawn', policy: { c1: 40 } });
    const { page } = await browser.open(`#/elections/${id}`);
    await button(page, 'Mine an ID and join').click();
    await page.getByText(/[1-9]\d* keys tested/).waitFor();

    await page.getByRole('button', { name: 'Node 1' }).click();
    await page.getByRole('heading', { name: 'Node 1' }).waitFor();
    await page.getByText('P(found by now) = less than 0.1 %').waitFor();
    await button(page, 'Stop the search').click();

    await button(page, 'Mine an ID and join').waitFor();
    await expect.poll(() => page.getByText('keys tested').count()).toBe(0);
  });

  it('plays a node with an ID above all others at L3, signs its messages, and leads', async () => {
    const id = await create({ level: 'L3', policy: { c1: 2 }, freshClaims: true });
    const { page } = await browser.open(`#/elections/${id}`);
    await button(page, 'Mine an ID and join').click();
    await page.getByRole('heading', { name: 'Your node has rank 4' }).waitFor();
    await page.getByRole('button', { name: 'Node 4, outside' }).waitFor();

    await button(page, 'Start the nodes').click();
    await page.getByText('your node starts').waitFor();
    await page.locator('.answer select').selectOption('COORDINATOR');
    await button(page, 'Send').click();
    await page.getByText('Your node has received nothing').waitFor();
    await button(page, 'Lead').click();
    await page.getByRole('button', { name: 'Node 4, leads, outside' }).waitFor();
  });
});

/** Moves the pointer over the diagram until it is on an arrow of a message. */
async function pointAtMessage(page: Page): Promise<void> {
  const canvas = page.locator('.diagram canvas');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  if (box === null) throw new Error('there is no diagram');
  // A busy machine shows the title of a point some frames later.
  for (const frames of [1, 3, 10]) {
    for (let y = 60; y < box.height; y += 8) {
      await page.mouse.move(box.x + 0.4 * box.width, box.y + y);
      for (let frame = 0; frame < frames; frame += 1) {
        await page.evaluate('new Promise(requestAnimationFrame)');
      }
      const title = await page.locator('#event-title').textContent();
      if (title?.startsWith('Message') === true) return;
    }
  }
  throw new Error('no arrow was found');
}
