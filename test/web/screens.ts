/**
 * @module
 * The views of the pictures of docs/browser-lab.md, each with contents that are always the same.
 */

import type { Page } from 'playwright-core';

interface Preparation {
  /** A page that shows nothing yet. */
  readonly page: Page;
  /** Address of the server. */
  readonly url: string;
  readonly post: (path: string, body: object) => Promise<{ readonly id: string }>;
}

interface Screen {
  /** Whether an instructor sees it on the server with a class. */
  readonly isOfClass?: true;
  /** Whether the server runs clusters. */
  readonly hasClusters?: true;
  /** Makes the contents. Resolves to the address of the view. */
  readonly prepare: (preparation: Preparation) => Promise<string>;
  /** Resolves when the contents are shown. */
  readonly shown: (page: Page) => Promise<unknown>;
}

/** The views by the names of their files. */
export const SCREENS: Readonly<Record<string, Screen>> = {
  start: {
    prepare: async ({ page, url }) => raced(page, `${url}/#/?seed=5`, null),
    shown: (page) => page.locator('.winner').waitFor(),
  },
  guide: {
    prepare: async () => '#/guide/first-election?at=50',
    shown: (page) => page.locator('.sentence').waitFor(),
  },
  race: {
    prepare: async ({ page, url }) => raced(page, `${url}/${RACE}`, 'Race'),
    shown: (page) => page.locator('.winner').waitFor(),
  },
  elections: {
    prepare: async ({ post }) => {
      for (const [protocol, seed] of ELECTIONS) {
        const { id } = await post('/v1/elections', { protocol, nodes: 5, seed });
        await post(`/v1/elections/${id}/actions`, { type: 'start' });
        if (protocol !== 'raft') {
          await post(`/v1/elections/${id}/actions`, { type: 'advance', until: 'idle' });
        }
      }
      return '#/elections';
    },
    shown: (page) => page.locator('tbody tr').nth(1).waitFor(),
  },
  election: {
    prepare: async ({ post }) => `#/elections/${await spoofed(post, { events: 12 })}`,
    shown: (page) => page.getByText(/Event \d+ of \d+/).waitFor(),
  },
  'space-time': {
    prepare: async ({ post }) => `#/elections/${await spoofed(post, {})}`,
    shown: async (page) => {
      await page.getByText(/Event \d+ of \d+/).waitFor();
      await page.getByRole('heading', { name: 'Space-time diagram' }).evaluate(toTop);
    },
  },
  cluster: {
    hasClusters: true,
    prepare: async ({ post }) => {
      const { id } = await post('/v1/clusters', {
        ...{ protocol: 'bully-oneshot', nodes: 4, latency: '150ms' },
      });
      return `#/clusters/${id}?node=3`;
    },
    shown: async (page) => {
      await page.getByText(/^Node \d leads nodes/).waitFor();
      const kill = page.getByRole('button', { name: 'Kill', exact: true });
      if ((await page.locator('.cluster-log li').count()) > 0) return;
      await page.getByRole('button', { name: 'Node 4, leads', exact: true }).click();
      await kill.click();
      await page.getByText('Node 3 leads nodes 1, 2, 3.').waitFor();
    },
  },
  'threat-models': {
    prepare: async () => '#/threat-models',
    shown: (page) => page.getByText(/^\d+ models$/).waitFor(),
  },
  'threat-model': {
    prepare: async ({ post }) => {
      const { id } = await post('/v1/runs', { threatModel: 'top-id', runs: 200, seed: '1' });
      return `#/threat-models/top-id?runs=200&seed=1&job=${id}`;
    },
    shown: (page) => page.locator('.run .picture svg').waitFor(),
  },
  check: {
    prepare: async () => '#/checks?bounds=crash%3D1',
    shown: (page) => page.getByRole('button', { name: 'Walk by hand' }).waitFor(),
  },
  counterexample: {
    prepare: async ({ post }) => {
      const { id } = await post('/v1/checks', {
        ...{ protocol: 'bully-oneshot', nodes: 3, timing: 'asynchronous' },
        properties: ['one-leader'],
      });
      return `#/checks/${id}`;
    },
    shown: (page) => page.locator('.paper svg').waitFor(),
  },
  walk: {
    prepare: async () => '#/checks/walk?address=0.0.0',
    shown: (page) => page.getByText('What may happen next').waitFor(),
  },
  sweep: {
    prepare: async ({ post }) => {
      const { id } = await post('/v1/sweeps', {
        threatModel: 'top-id',
        axes: {
          'adversaries.main.budget.attempts': '2^4:2^12|*4',
          'network.identity.c1': [0, 4, 8, 12],
        },
        ...{ set: { work: 'sampled' }, runs: 100, seed: '1' },
      });
      return `#/sweeps/${id}`;
    },
    shown: (page) => page.locator('.picture svg').first().waitFor(),
  },
  design: {
    prepare: async () => '#/design?epsilon=0.001',
    shown: (page) => page.locator('.operation .picture svg').first().waitFor(),
  },
  matrix: {
    prepare: async ({ post }) => {
      const { id } = await post('/v1/attack-matrices', MATRIX);
      return `#/matrices/${id}?cell=cr-join%20A2a`;
    },
    shown: (page) => page.locator('tbody tr').first().waitFor(),
  },
  exercise: {
    prepare: async () => '#/exercises/spoof-coordinator',
    shown: async (page) => {
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.locator('.instance .values').first().waitFor();
    },
  },
  exercises: {
    isOfClass: true,
    prepare: async () => '#/exercises?student=bob',
    shown: async (page) => {
      await page.locator('.student-work').waitFor();
      await page.locator('.solves li').first().waitFor();
      await page.getByRole('heading', { name: 'Progress' }).evaluate(toTop);
    },
  },
  statistics: {
    isOfClass: true,
    prepare: async () => '#/exercises',
    shown: async (page) => {
      await page.getByRole('cell', { name: 'prediction (2)' }).waitFor();
      await page.getByRole('heading', { name: 'Statistics' }).evaluate(toTop);
    },
  },
  decisions: {
    isOfClass: true,
    prepare: async () => '#/exercises?student=bob',
    shown: async (page) => {
      await page.getByRole('button', { name: 'Undo decision 1' }).waitFor();
      await page.locator('.student-work').evaluate(toTop);
    },
  },
  code: {
    isOfClass: true,
    prepare: async () => '#/exercises?student=dan',
    shown: async (page) => {
      page.once('dialog', (dialog) => void dialog.accept());
      await page.getByRole('button', { name: 'New class code' }).click();
      await page.locator('.copied', { hasText: 'class code' }).scrollIntoViewIfNeeded();
    },
  },
  jobs: {
    prepare: async ({ post }) => {
      await post('/v1/attacks', ATTACK);
      return '#/jobs';
    },
    shown: (page) => page.locator('tbody tr').first().waitFor(),
  },
  job: {
    prepare: async ({ post }) => `#/jobs/${(await post('/v1/attacks', ATTACK)).id}`,
    shown: (page) => page.getByRole('heading', { name: 'Result' }).waitFor(),
  },
};

const ELECTIONS = [
  ['bully-oneshot', '1'],
  ['franklin', '2'],
  ['raft', '3'],
  ['cr-join', '4'],
] as const;

const RACE = '#/race?c1=8&budget=12&strategy=walk&seed=2';
const MATRIX = { protocols: ['bully-oneshot', 'cr-join', 'raft'], seed: '1' };
const ATTACK = { protocol: 'cr-join', behaviours: ['phantom-id'], level: 'L0', seed: '1' };

/** Scrolls an element to the top of the window. */
const toTop = (element: { scrollIntoView: () => void }) => element.scrollIntoView();

/** An election in which a node announces itself under another name. */
async function spoofed(post: Preparation['post'], limit: object): Promise<string> {
  const { id } = await post('/v1/elections', {
    ...{ protocol: 'bully-oneshot', nodes: 5, level: 'L0', seed: '3' },
    byzantine: [{ rank: 2, behaviours: ['spoof-coordinator'] }],
  });
  await post(`/v1/elections/${id}/actions`, { type: 'start' });
  await post(`/v1/elections/${id}/actions`, { type: 'advance', until: 'idle', ...limit });
  return id;
}

/** Runs a race and returns its address. The start page races by itself. */
async function raced(page: Page, address: string, button: string | null): Promise<string> {
  await page.goto(address);
  if (button !== null) await page.getByRole('button', { name: button, exact: true }).click();
  await page.locator('.winner').waitFor();
  return new URL(page.url()).hash;
}
