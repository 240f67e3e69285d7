/**
 * @module
 * Threat models as text, data and form: every document of the catalogue survives the way from one to the others.
 */

import { describe, expect, it } from 'vitest';

import {
  flowOf,
  packed,
  pathOfPointer,
  quantityOf,
  readDraft,
  textOf,
  unpacked,
  valueAt,
  valueOfFlow,
  withMember,
  withoutMember,
} from '../../server/web/threat-models/draft.ts';
import type { JsonSchema } from '../../server/web/threat-models/form/form-schema.ts';
import { fieldOf, meaningOf } from '../../server/web/threat-models/form/form-schema.ts';
import { parseThreatModel } from '../../src/experiment/reading/document.ts';
import { readCatalogue } from '../../src/runtime/files/catalogue.ts';
import json from '../../threat-models/threat-model.schema.json' with { type: 'json' };

// The form reads a part of the schema.
const SCHEMA = json as JsonSchema;

const TEXT = `# mine
id: x # its name
network:
  honest: 8
faults:
  loss: 5%
adversaries: {}
list: [1, 2]
`;

const never = () => false;

describe('the text of a model', () => {
  it('says the same as every document of the catalogue, without the defaults', async () => {
    for (const model of await readCatalogue()) {
      const text = textOf(model, SCHEMA);

      expect(parseThreatModel(text, model.id)).toEqual(model);
      expect(text).not.toMatch(/signature: true|idBits: 256|confidence: 0.95/);
    }
  });

  it('keeps its comments and its order when a member changes', () => {
    expect(withMember(TEXT, ['network', 'honest'], 9)).toBe(TEXT.replace('8', '9'));
    expect(withMember(TEXT, ['id'], 'y')).toBe(TEXT.replace('id: x', 'id: y'));
    expect(withMember(TEXT, ['list', '1'], 5)).toBe(TEXT.replace('2]', '5]'));
  });

  it.each([
    [['epochs', 'count'], 3, 'epochs:\n  count: 3\n'],
    [['adversaries', 'main'], {}, 'adversaries:\n  main: {}\n'],
    [['id', 'part'], 1, 'id:\n  part: 1\n'],
    [['network', 'names'], ['a', 'b'], '  names: [a, b]\n'],
  ])('gets %j', (path, value, part) => {
    const text = withMember(TEXT, path, value);

    expect(text).toContain(part);
    expect(valueAt(dataOf(text), path)).toEqual(value);
  });

  it('loses a member, and the maps that are then empty and not needed', () => {
    expect(withoutMember(TEXT, ['faults', 'loss'], never)).not.toContain('faults');
    expect(withoutMember(TEXT, ['faults', 'loss'], () => true)).toContain('faults: {}');
    expect(withoutMember(TEXT, ['network', 'other'], never)).toContain('honest: 8');
  });
});

function dataOf(text: string): unknown {
  const draft = readDraft(text);
  return draft.isRead ? draft.data : null;
}

describe('a draft', () => {
  it('knows the line of a member, or of the nearest that exists', () => {
    const draft = readDraft(TEXT);

    expect(draft.isRead && draft.lineOf(['network', 'honest'])).toBe(4);
    expect(draft.isRead && draft.lineOf(['faults', 'skew'])).toBe(6);
  });

  it.each(['a: [', 'a: 1\na: 2', 'a: &x 1', '__proto__: 1'])('refuses %j with a line', (text) => {
    const draft = readDraft(text);

    expect(draft.isRead).toBe(false);
    expect(!draft.isRead && draft.faults[0]?.line).toBeGreaterThan(0);
  });

  it('has no members of its prototype', () => {
    expect(valueAt({ a: {} }, ['a', 'constructor'])).toBeUndefined();
    expect(valueAt('text', ['length'])).toBeUndefined();
  });
});

describe('values', () => {
  it.each([
    ['8', 8],
    ['0.5', 0.5],
    ['2^20', '2^20'],
    ['1e6', '1e6'],
    ['5%', '5%'],
    ['012', '012'],
    ['9007199254740993', '9007199254740993'],
  ])('a quantity %s is %j', (text, value) => {
    expect(quantityOf(text)).toBe(value);
  });

  it.each([[[4, 8]], ['range(4,10,2)'], [{ a: ['b', true] }], [null]])(
    '%j is one line',
    (value) => {
      expect(flowOf(value)).not.toContain('\n');
      expect(valueOfFlow(flowOf(value))).toEqual(value);
    },
  );

  it('pointers of the server are paths', () => {
    expect(pathOfPointer('#/threatModel/a~1b/c%20d')).toEqual(['threatModel', 'a/b', 'c d']);
  });
});

describe('the form', () => {
  it.each([
    [['network'], 'group'],
    [['adversaries'], 'map'],
    [['runs'], 'quantity'],
    [['title'], 'text'],
    [['work'], 'choice'],
    [['network', 'identity', 'puzzle'], 'variants'],
    [['network', 'identity', 'salted'], 'flag'],
    [['network', 'election', 'protocols'], 'choices'],
    [['network', 'election', 'flags'], 'yaml'],
    [['faults', 'crash'], 'quantity'],
  ])('shows %j as %s', (path, kind) => {
    const schema = path.reduce<JsonSchema>((at, name) => at.properties?.[name] ?? {}, SCHEMA);

    expect(fieldOf(schema).kind).toBe(kind);
  });

  it('says what the chosen option means', () => {
    const { work } = SCHEMA.properties ?? {};

    expect(meaningOf('mined', ['mined', 'sampled'], work?.description)).toBe(
      'identities are mined and elections are held.',
    );
    expect(meaningOf('a', ['a'], 'Something else.')).toBeNull();
  });
});

describe('the address', () => {
  it('holds a text that comes back as it was', async () => {
    const text = `${TEXT}${'é💥'.repeat(500)}`;
    const code = await packed(text);

    expect(code).toMatch(/^[\w-]+$/);
    expect(code.length).toBeLessThan(300);
    expect(await unpacked(code)).toBe(text);
  });

  it.each(['', 'x', '%%%', 'AAAA'])('with the damaged code %j has no text', async (code) => {
    expect(await unpacked(code)).toBeNull();
  });

  it('refuses a code that unpacks to megabytes', async () => {
    const bomb = await new Response(
      new Blob(['0'.repeat(3e6)]).stream().pipeThrough(new CompressionStream('deflate-raw')),
    ).arrayBuffer();

    expect(await unpacked(Buffer.from(bomb).toString('base64url'))).toBeNull();
  });
});
