/**
 * @module
 * What the largest and most laborious bodies cost the thread that answers: at most 50 ms of its processor time.
 */

import { expect, it } from 'vitest';

import { BODY_BYTES_MAX } from '../../../server/contract/json-body.ts';
import { YAML_CHARACTERS_MAX } from '../../../server/jobs/job-submission.ts';
import { readCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { labUnderTest } from '../lab-under-test.ts';

const MOST_MS = 50;

const BASE = 'id: grinder\ntitle: One adversary grinds the top ID\nwork: sampled\n';
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${line(index)}\n`).join('');

const YAML: Readonly<Record<string, (scale: number) => string>> = {
  aliases: (scale) => `a: &a 1\n${lines(6500 * scale, (index) => `k${index}: *a`)}`,
  'late aliases': (scale) => `${lines(6500 * scale, (index) => `k${index}: 1`)}a: &a 1\nb: *a\n`,
  'merge keys': (scale) => `a: &a {x: 1}\n${lines(3500 * scale, (index) => `b${index}: {<<: *a}`)}`,
  'a folded text': (scale) => `${BASE}x: "${'a\n \n'.repeat(14_000 * scale)}"`,
  'a repeated key': (scale) => lines(12_000 * scale, () => 'k: 1'),
  'unknown keys': (scale) => lines(6500 * scale, (index) => `k${index}: 1`),
  'open brackets': (scale) => `${BASE}x: ${'['.repeat(62_000 * scale)}`,
  brackets: (scale) => `${BASE}x: ${'['.repeat(31_000 * scale)}${']'.repeat(31_000 * scale)}`,
  'dashes in a line': (scale) => `${BASE}x:\n ${'- '.repeat(31_000 * scale)}`,
  'question marks in a line': (scale) => BASE + '? '.repeat(31_000 * scale),
  'a list of numbers': (scale) => `${BASE}x: [${'1,'.repeat(30_000 * scale)}]`,
  tags: (scale) => `${BASE}x: [!a 1${',!a 1'.repeat(10_000 * scale)}]`,
  comments: (scale) => BASE + '#\n'.repeat(31_000 * scale),
};

const topId = (await readCatalogue()).find(({ id }) => id === 'top-id');
const range = 'range(1,10000,1)';
const SWEEPS: Readonly<Record<string, object>> = {
  numbers: { axes: { 'network.honest': Array.from({ length: 9999 }, (_, index) => index + 1) } },
  'texts like lists': { axes: { 'network.honest': Array.from({ length: 5000 }, () => '[a,b,c') } },
  'different texts': {
    axes: { 'network.honest': Array.from({ length: 5000 }, (_, index) => `[${index}`) },
  },
  'lists of texts': {
    axes: {
      'network.election.protocols': Array.from({ length: 5000 }, (_, index) => [`${index}`]),
    },
  },
  quantities: {
    axes: { 'network.honest': Array.from({ length: 8000 }, (_, index) => `${index}`) },
  },
  'equal numbers': { axes: { 'network.honest': Array.from({ length: 10_000 }, () => 4) } },
  'ranges of which cells are drawn': {
    axes: {
      'network.honest': range,
      'network.identity.c1': 'range(0,9999,1)',
      'network.election.latency': range,
    },
    sample: 10_000,
  },
  'an axis of the document': {
    threatModel: {
      ...topId,
      sweep: { axes: { 'network.honest': Array.from({ length: 11_000 }, (_, i) => i).join() } },
    },
  },
  'unknown members': {
    threatModel: Object.fromEntries(Array.from({ length: 5500 }, (_, index) => [`k${index}`, 1])),
  },
  settings: {
    set: { title: '{a: [&a *a '.repeat(20), assumes: lines(40, () => 'a: [').slice(0, 250) },
  },
};

/**
 * The least of several measurements: others include the compilation of the code and collected garbage, of which there is
 * much beside other tests. No more are made once one is below the bound.
 */
async function costMs(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < MEASUREMENTS_MAX && least >= MOST_MS; time += 1) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const MEASUREMENTS_MAX = 40;

const { post, call } = labUnderTest();

it.each(Object.keys(YAML))('%s in YAML', async (name) => {
  const text = YAML[name] ?? (() => '');
  const headers = { 'Content-Type': 'application/yaml' };
  // As long as a body may be, and as long as one that is parsed.
  for (const body of [text(1), text(YAML_CHARACTERS_MAX / text(1).length / 1.05)]) {
    const cost = await costMs(() => call('POST', '/v1/runs', { headers, body }));
    expect(cost, `${body.length} characters`).toBeLessThan(MOST_MS);
  }
});

it.each(Object.keys(SWEEPS))('%s of a sweep in JSON', async (name) => {
  const body = JSON.stringify({ threatModel: 'top-id', runs: 1, seed: '1', ...SWEEPS[name] });

  expect(body.length).toBeLessThan(BODY_BYTES_MAX);
  expect(await costMs(() => post('/v1/sweeps', body))).toBeLessThan(MOST_MS);
});
