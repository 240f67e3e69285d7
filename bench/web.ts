/**
 * @module
 * The browser lab in Chromium: how large it is, how soon its start page can be used, the script that each frame of a
 * long trace takes while it scrolls, and the memory of an election of eight hours. The server is a process of its
 * own. The figures have no yardstick: the limits of the lab are printed beside them.
 */

import { quantile } from 'd3-array';
import type { Browser, CDPSession, Page } from 'playwright-core';

import { readBuiltPages } from '../server/pages/pages.ts';
import { hasBrowser, newWindow, startChromium } from '../test/web/chromium.ts';
import type { Report } from './measure.ts';
import { JSON_HEADERS, serve } from './served.ts';

const OPENED = 9;
const TRACE_EVENTS = 10_000;
const FRAMES = 400;
/** Milliseconds of virtual time, with messages of 50 ms: a heartbeat each 150 ms. */
const EIGHT_HOURS_TICKS = 8 * 3600 * 1000;
const RAFT = { protocol: 'raft', nodes: 3, latency: '50', seed: '1' };
/** Each message of a large Bully election is an event. */
const BULLY = { protocol: 'bully-oneshot', nodes: 90, seed: '1', latency: 'uniform:1:50' };
const WAIT_MS = 90_000;
const POLL_MS = 500;
/** Readings of the memory while an election is replayed. */
const REPLAY_READINGS = 40;
/** Readings without a new event after which all have arrived. */
const QUIET_READINGS = 6;

/** Every figure is a note. Without Chromium there is none. */
export async function measureWeb(): Promise<Report> {
  if (!hasBrowser) return { rows: [], notes: ['skipped: Chromium is not installed'] };
  const { url, close } = await serve('../src/cli/usurp.ts', 'serve', '--port', '0');
  const browser = await startChromium();
  try {
    const notes = [
      sizeNote(),
      await startNote(browser, url),
      await scrollNote(browser, url),
      await memoryNote(browser, url),
    ];
    return { rows: [], notes };
  } finally {
    await browser.close();
    await close();
  }
}

function sizeNote(): string {
  const files = readBuiltPages();
  if (files === null) throw new Error('the lab is older than its sources: npm run build:web');
  const bytes = [...files.values()].reduce((sum, { gzipped }) => sum + gzipped.length, 0);
  return `all files, compressed: ${(bytes / 1000).toFixed(0)} kB (limit: 250)`;
}

/** From the request for the page until its race can be stopped or started again, in an empty cache each time. */
async function startNote(browser: Browser, url: string): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < OPENED; round += 1) {
    const page = await openPage(browser, `${url}/`);
    await page.locator('.race-form button').first().waitFor();
    times.push(await page.evaluate<number>('performance.now()'));
    await page.context().close();
  }
  const ms = (p: number) => (quantile(times, p) ?? Number.NaN).toFixed(0);
  return `start page usable after ${ms(0.5)} ms, at most ${ms(1)} of ${OPENED} (limit: 1000)`;
}

/** Scrolls through a whole trace, a step in each frame, and reads how long the script of the page ran. */
async function scrollNote(browser: Browser, url: string): Promise<string> {
  const id = await held(url, BULLY, { events: TRACE_EVENTS });
  const page = await openPage(browser, `${url}/#/elections/${id}`);
  const events = await allEvents(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const before = await scriptMs(session);
  const draws = await page.evaluate<readonly number[]>(SCROLL);
  const script = (await scriptMs(session)) - before;
  await page.context().close();
  const ms = (p: number) => (quantile(draws, p) ?? Number.NaN).toFixed(1);
  return (
    `a trace of ${events} events scrolls with ${(script / FRAMES).toFixed(1)} ms of script in a frame; ` +
    `drawing takes ${ms(0.5)} ms, ${ms(0.99)} at p99 (limit: 8)`
  );
}

/** Reads a whole election of eight hours, and how much memory the page then has. */
async function memoryNote(browser: Browser, url: string): Promise<string> {
  const id = await held(url, RAFT, { until: EIGHT_HOURS_TICKS });
  const page = await openPage(browser, `${url}/#/elections/${id}`);
  const session = await page.context().newCDPSession(page);
  const most = { heap: 0, total: 0 };
  const events = await allEvents(page, async () => {
    const now = await memoryOf(session);
    most.heap = Math.max(most.heap, now.heap);
    most.total = Math.max(most.total, now.total);
  });
  await session.send('HeapProfiler.collectGarbage');
  const { heap, total } = await memoryOf(session);
  const replayed = await replayedMemory(page, session);
  await page.context().close();
  const mb = (bytes: number) => (bytes / 1e6).toFixed(0);
  return (
    `an election of 8 hours, ${events} events: ${mb(heap)} MB of heap and ${mb(total - heap)} MB of columns, ` +
    `while it was read at most ${mb(most.heap)} MB of heap, ${mb(most.total)} MB with all buffers; ` +
    `replayed at 100× at most ${mb(replayed)} MB with all buffers (limit: 300)`
  );
}

/** Plays the election from its beginning at 100×. Returns the most memory that a part of it takes, in bytes. */
async function replayedMemory(page: Page, session: CDPSession): Promise<number> {
  await page.getByRole('button', { name: 'First', exact: true }).click();
  await page.getByLabel('Events in each step of playing').selectOption('100');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  let most = 0;
  for (let reading = 0; reading < REPLAY_READINGS; reading += 1) {
    await page.waitForTimeout(POLL_MS);
    most = Math.max(most, (await memoryOf(session)).total);
  }
  return most;
}

/** Waits until no more events arrive. Returns their number. */
async function allEvents(page: Page, onReading: () => Promise<void> = async () => {}) {
  const began = performance.now();
  let [events, quiet] = [0, 0];
  while (events === 0 || quiet < QUIET_READINGS) {
    await page.waitForTimeout(POLL_MS);
    await onReading();
    const now = await eventsOf(page);
    quiet = now === events ? quiet + 1 : 0;
    events = now;
    if (performance.now() - began > WAIT_MS) throw new Error(`only ${events} events arrived`);
  }
  return events;
}

async function eventsOf(page: Page): Promise<number> {
  const text = await page.locator('.step-slider').first().textContent();
  return Number(/of ([\d\s]+)/.exec(text ?? '')?.[1]?.replaceAll(/\s/g, '') ?? 0);
}

/** The heap, and with it the buffers of typed arrays. */
async function memoryOf(session: CDPSession) {
  const { usedSize: heap, backingStorageSize } = await session.send('Runtime.getHeapUsage');
  return { heap, total: heap + backingStorageSize };
}

async function scriptMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const seconds = metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN;
  return 1000 * seconds;
}

/** Runs in the page: scrolls a step per frame from the top to the bottom, and returns what each drawing took. */
const SCROLL = `new Promise((resolve) => {
  const box = document.querySelector('.diagram');
  const canvas = box.querySelector('canvas');
  const draws = [];
  const step = (frame) => {
    if (frame > 0) draws.push(Number(canvas.dataset.drawMs));
    if (frame === ${FRAMES}) return resolve(draws);
    box.scrollTop = ((box.scrollHeight - box.clientHeight) * frame) / ${FRAMES - 1};
    requestAnimationFrame(() => requestAnimationFrame(() => step(frame + 1)));
  };
  step(0);
})`;

async function openPage(browser: Browser, address: string): Promise<Page> {
  const page = await (await newWindow(browser, {})).newPage();
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(address);
  return page;
}

/** Holds an election up to a limit. Returns its id. */
async function held(url: string, body: object, limit: object): Promise<string> {
  const { id } = await posted<{ readonly id: string }>(`${url}/v1/elections`, body);
  const actions = `${url}/v1/elections/${id}/actions`;
  await posted(actions, { type: 'start' });
  // An advance has a limit of its own.
  for (let isOver = false; !isOver; ) {
    const { bound } = await posted<{ readonly bound: string | null }>(actions, {
      ...{ type: 'advance', until: 'idle' },
      ...limit,
    });
    isOver = bound !== 'events' || 'events' in limit;
  }
  return id;
}

async function posted<Answer>(address: string, body: object): Promise<Answer> {
  const text = JSON.stringify(body);
  const response = await fetch(address, { method: 'POST', headers: JSON_HEADERS, body: text });
  if (!response.ok) throw new Error(`${address}: ${await response.text()}`);
  return (await response.json()) as Answer; // By the contract.
}
