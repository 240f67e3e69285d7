/**
 * @module
 * Every document of the catalogue: named like its file, explained under its headings, true to what it
 * expects, and described by the published JSON Schema.
 */

import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';
import type { Adversary, ThreatModel } from '../../src/experiment/document/threat-model.ts';
import { threatModelJsonSchema } from '../../src/experiment/document/threat-model.ts';
import { outlineSweep, planCells } from '../../src/experiment/sweep/plan.ts';
import { parseSeed } from '../../src/random.ts';
import {
  CATALOGUE,
  IDS,
  isDrawn,
  judged,
  modelOf,
  textOf,
  verdictOf,
  wideInterval,
} from './catalogue-judged.ts';

const SCHEMA = new URL('threat-model.schema.json', CATALOGUE);

/** Of drawn documents and of watched ones, unless named below. */
const DRAWN_RUNS = 400;
const WATCHED_RUNS = 40;

/**
 * The runs are fewer than the documents ask for, and enough for their bounds. The slow suite has the full
 * numbers.
 */
const RUNS: Readonly<Record<string, number>> = {
  'answer-and-stall': 20,
  'commit-then-beacon': 1000,
  'cpu-advantage': 25,
  'difficulty-inflation': 100,
  'flapping-leader': 20,
  'last-revealer': 600,
  'late-joiner': 30,
  'no-adversary': 200,
  'rented-hash-power': 100,
  'slow-drip': 15,
  'storj-like': 200,
  'stockpile-salted-both': 1000,
  'top-id': 200,
  'top-id-naive': 1500,
  'top-id-strong': 80,
  'torsion-siblings-refused': 1000,
  'xor-puzzle-amortised': 20,
  'xor-puzzle-repaired': 40,
  'zombie-leader-unfenced': 20,
};

/** Most runs in which a document that draws the results of elections also holds the elections. */
const CONFIRMED_RUNS = 5;

/** Mined by their documents, in a hundred runs each; here as if, by the slow suite really. */
const DRAWN_HERE = ['no-adversary', 'top-id'];

/** What a catalogue of stolen elections has to have, and the documents that have it. */
const SCENARIOS: readonly (readonly [scenario: string, ids: readonly string[]])[] = [
  ['no adversary', ['no-adversary']],
  ['a small budget, really mined', ['top-id']],
  ['the same seconds, naive and strong', ['top-id-naive', 'top-id-strong']],
  [
    'stockpiling against no salt, a salted puzzle, and a salted rank as well',
    ['stockpile-no-salt', 'stockpile-salted-puzzle', 'stockpile-salted-both'],
  ],
  ['a beacon after registration, and a last revealer', ['commit-then-beacon', 'last-revealer']],
  ['the multiple of honest work that defences are compared by', ['cpu-advantage']],
  ['a Sybil quorum, and the share of Sybil identities', ['sybil-quorum', 'sybil-raft']],
  ['the eclipse of ring successors', ['eclipse-successors']],
  ['the XOR puzzle amortised, and repaired', ['xor-puzzle-amortised', 'xor-puzzle-repaired']],
  [
    'torsion siblings with the key check off and on',
    ['torsion-siblings-accepted', 'torsion-siblings-refused'],
  ],
  ['a leader that flaps', ['flapping-leader', 'flapping-leader-incumbency']],
  [
    'a spoofed coordinator at L0 and L2, and where signatures do not help',
    ['spoofed-coordinator-l0', 'spoofed-coordinator-l2', 'spoofed-coordinator-ring'],
  ],
  ['a phantom probe', ['phantom-probe', 'phantom-probe-hop-limit']],
  ['a swallowed probe', ['swallowed-probe', 'swallowed-probe-receipts']],
  ['answer and stall', ['answer-and-stall', 'answer-and-stall-skip-list']],
  ['a zombie without and with fencing', ['zombie-leader-unfenced', 'zombie-leader-fenced']],
  ['slow beats against detectors', ['slow-drip', 'slow-drip-accrual']],
  ['the split brain of a partition', ['partition-bully', 'partition-raft']],
  ['a late joiner', ['late-joiner', 'late-joiner-incumbency']],
  ['difficulty inflation', ['difficulty-inflation']],
  ['networks as Storj and Yggdrasil have them', ['storj-like', 'yggdrasil-like']],
  ['rented hash power', ['rented-hash-power']],
];

const HEADINGS = ['assumes', 'can', 'cannot', 'wants', 'outcome'] as const;

/** The sentence that a document has if it fixes a part of the response of its adversary. */
const FIXED = /\b(?:is|are) fixed\b[^.]*\bbecause\b/;

describe('the catalogue', () => {
  it.each(SCENARIOS)('has %s', (_scenario, ids) => {
    expect(IDS).toEqual(expect.arrayContaining([...ids]));
  });

  it('has nothing that is no scenario', () => {
    expect(SCENARIOS.flatMap(([, ids]) => ids).toSorted()).toEqual(IDS);
  });

  it('rents a thousand times the seconds of one machine', () => {
    const seconds = (id: string) => modelOf(id).adversaries.main?.budget.cpuSeconds;

    expect(seconds('rented-hash-power')).toBe(1000 * (seconds('top-id-strong') ?? 0));
  });

  it('gives the naive and the strong forger the same network and seconds', () => {
    const [naive, strong] = ['top-id-naive', 'top-id-strong'].map(modelOf);

    expect(naive?.network).toEqual(strong?.network);
    expect(naive?.adversaries.main?.budget).toEqual(strong?.adversaries.main?.budget);
  });
});

describe.each(IDS)('%s', (id) => {
  const text = textOf(id);
  const model = modelOf(id);

  it('is named like its file and points editors at the schema', () => {
    expect(model.id).toBe(id);
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./threat-model.schema.json');
  });

  it('says under each of the five headings more than its name', () => {
    for (const heading of HEADINGS) {
      expect(text.match(new RegExp(`^${heading}: `, 'gm')), heading).toHaveLength(1);
      expect(model[heading].length, heading).toBeGreaterThan(15);
      expect(model[heading], heading).toMatch(/[.?]$/);
    }
  });

  it.runIf(Object.values(model.adversaries).some(isFixed))('says why its response is fixed', () => {
    const prose = HEADINGS.map((heading) => model[heading]).join(' ');

    expect(prose).toMatch(FIXED);
  });

  it('holds what it expects, beside its closed form', () => {
    const drawn = DRAWN_HERE.includes(id) ? ({ ...model, work: 'sampled' } as const) : model;
    const { confirmRuns } = model;
    const judgedHere =
      confirmRuns === undefined
        ? drawn
        : { ...drawn, confirmRuns: Math.min(confirmRuns, CONFIRMED_RUNS) };
    const answer = judged(judgedHere, runsOf(id, model));

    expect(answer.verdict.value, answer.verdict.sentence).toBe(verdictOf(id));
    for (const result of answer.results) {
      const [low, high] = wideInterval(result);
      const probability = result.theory.probability ?? result.measured.frequency;
      expect(probability).toBeGreaterThanOrEqual(low);
      expect(probability).toBeLessThanOrEqual(high);
    }
  });
});

describe.each(IDS.map(modelOf).filter(({ sweep }) => sweep !== undefined))(
  'the sweep of $id',
  (model) => {
    it('has several cells, all of which can be run', () => {
      const seed = parseSeed('1');
      const outline = outlineSweep(model, { sets: [], document: model.sweep ?? null, seed });

      const cells = planCells(model, outline, { seed, rateMeasured: null });

      const refusals = cells.flatMap(({ refusal }) => (refusal === null ? [] : [refusal]));
      expect(refusals).toEqual([]);
      expect(cells.length).toBeGreaterThan(1);
    });
  },
);

/** Whether a document states a part of a response. No behaviour applies to identities alone. */
function isFixed({ goal, registers, behaviours, responses }: Adversary): boolean {
  return [goal, registers, behaviours, responses].some((part) => part !== undefined);
}

function runsOf(id: string, model: ThreatModel): number {
  return RUNS[id] ?? (isDrawn(model) ? DRAWN_RUNS : WATCHED_RUNS);
}

describe('the JSON Schema', () => {
  it('is that of the reader', () => {
    const schema = JSON.parse(JSON.stringify(threatModelJsonSchema()));
    const kept = JSON.parse(readFileSync(SCHEMA, 'utf8'));

    expect(schema, 'if the change is intended: npm run contract').toEqual(kept);
  });

  it('closes every map but those whose keys are free, and says what each member is', () => {
    const open: string[] = [];
    const silent: string[] = [];
    visit(JSON.parse(JSON.stringify(threatModelJsonSchema())), '', (node, path) => {
      if (node.type === 'object' && node.additionalProperties !== false) open.push(path);
      if (path !== '' && !('description' in node)) silent.push(path);
    });

    expect(open).toEqual(['/adversaries', '/adversaries/*/responses', '/sweep/axes']);
    expect(silent).toEqual([]);
  });
});

type SchemaNode = Readonly<Record<string, unknown>>;

/** Calls `each` for a schema and for the schemas of all its members. */
function visit(
  node: SchemaNode,
  path: string,
  each: (node: SchemaNode, path: string) => void,
): void {
  each(node, path);
  // Members of a JSON Schema are schemas.
  const members = (node.properties ?? {}) as Readonly<Record<string, SchemaNode>>;
  for (const [name, member] of Object.entries(members)) visit(member, `${path}/${name}`, each);
  const free = node.additionalProperties;
  if (typeof free === 'object' && free !== null) visit(free as SchemaNode, `${path}/*`, each);
}
