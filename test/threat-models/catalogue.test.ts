/**
 * @module
 * Every document of the catalogue: named like its file, explained under its headings, true to what it
 * expects, and described by the published JSON Schema. `UPDATE_SCHEMA=1 npx vitest run
 * test/threat-models && npx biome check --write threat-models` writes the schema anew.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

import { describe, expect, it } from 'vitest';

import { parseThreatModel } from '../../src/experiment/document.ts';
import { report } from '../../src/experiment/report.ts';
import { executeRuns } from '../../src/experiment/run.ts';
import { applySettings } from '../../src/experiment/settings.ts';
import { THREAT_MODEL_JSON_SCHEMA } from '../../src/experiment/threat-model.ts';
import { parseSeed } from '../../src/random.ts';
import { STILL } from '../experiment/models.ts';

const CATALOGUE = new URL('../../threat-models/', import.meta.url);
const SCHEMA = new URL('threat-model.schema.json', CATALOGUE);
const IDS = readdirSync(CATALOGUE)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.replace('.yaml', ''))
  .sort();

it('has the documents that others build on', () => {
  expect(IDS).toEqual(expect.arrayContaining(['no-adversary', 'top-id']));
});

describe.each(IDS)('%s', (id) => {
  const text = readFileSync(new URL(`${id}.yaml`, CATALOGUE), 'utf8');
  const model = parseThreatModel(text, `${id}.yaml`);
  const seed = parseSeed('1');

  it('is named like its file and points editors at the schema', () => {
    expect(model.id).toBe(id);
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./threat-model.schema.json');
  });

  it('holds what it expects in 2000 sampled runs, beside its closed form', () => {
    const settings = ['work=sampled'];
    const sampled = applySettings(model, settings);

    const tally = executeRuns(sampled, seed, { from: 0, count: 2000 }, STILL);

    const request = { id, seed, runs: 2000, settings, rateMeasured: null };
    const { verdict, theory, measured } = report(sampled, tally, request);
    expect(verdict.value).toBe('true');
    expect(Math.abs((theory.probability ?? 0) - measured.frequency)).toBeLessThan(0.05);
  });

  it('runs as it stands', () => {
    const tally = executeRuns(model, seed, { from: 0, count: 5 }, STILL);

    expect(tally.runs).toBe(5);
    expect(tally.elections.held).toBe(5 * model.network.election.algorithms.length);
  });
});

describe('the JSON Schema', () => {
  it('is that of the reader', () => {
    const schema = THREAT_MODEL_JSON_SCHEMA;
    if (process.env.UPDATE_SCHEMA === '1') {
      writeFileSync(SCHEMA, `${JSON.stringify(schema, null, 2)}\n`);
    }

    expect(JSON.parse(readFileSync(SCHEMA, 'utf8'))).toEqual(JSON.parse(JSON.stringify(schema)));
  });

  it('closes every map but those whose keys are free, and says what each member is', () => {
    const open: string[] = [];
    const silent: string[] = [];
    visit(JSON.parse(JSON.stringify(THREAT_MODEL_JSON_SCHEMA)), '', (node, path) => {
      if (node.type === 'object' && node.additionalProperties !== false) open.push(path);
      if (path !== '' && !('description' in node)) silent.push(path);
    });

    expect(open).toEqual(['/adversaries', '/sweep/axes']);
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
