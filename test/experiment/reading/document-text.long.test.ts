/**
 * @module
 * Texts that are no threat model at all: empty, binary, broken, nested without end, or built to
 * grow. Each gets a refusal with a place, whatever it is. `DOCUMENT_TEXTS` from 400 makes it more.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseThreatModel } from '../../../src/experiment/reading/document.ts';
import { catalogueText } from '../models.ts';
import { answerOf, refusalOf } from './refusals.ts';

const TOP_ID = catalogueText('top-id');
const TEXTS = Number(process.env.DOCUMENT_TEXTS ?? 150);
const DEPTH_STEP = TEXTS < 400 ? 250 : 50;

describe('refused texts', () => {
  it.each([
    ['an empty file', '', '1:1: this document is empty'],
    ['nothing but a comment', '# nothing\n', '1:1: this document is empty'],
    ['a list', '- id: x', 'the document must be a map of members, got a list of 1'],
    ['a number', '3', 'the document must be a map of members, got 3'],
    ['binary', '\u0000\u0001\u0002PK', 'the document must be a map of members'],
    ['a duplicate key', 'id: a\nid: b', '2:1: this key was already given; write it once'],
    ['a duplicate key in another spelling', 'id: a\n"id": b', '2:1: this key was already given'],
    ['an open list', 'id: [1, 2', 'this is not YAML'],
    [
      'a tab for indentation',
      'network:\n\thonest: 3',
      '2:1: this is not YAML: Tabs are not allowed',
    ],
    ['a bad escape', 'id: "\\q"', '1:6: this is not YAML: Invalid escape sequence'],
    ['a second document', 'id: a\n---\nid: b', 'a second document begins here'],
    ['a tag', 'id: !!binary aGVsbG8=', 'write the value without a tag'],
    ['an anchor', 'id: &a top', 'anchors and aliases are not accepted'],
    ['an alias without an anchor', 'id: *a', 'anchors and aliases are not accepted'],
    ['a list as a key', '? [a]\n: 3', 'this is not YAML'],
  ])('%s', (_name, text, expected) => {
    expect(refusalOf(text)).toContain(expected);
  });

  it('refuses a bomb of aliases without expanding it', () => {
    const lines = Array.from({ length: 12 }, (_, level) => {
      const inner = level === 0 ? 'lol' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array.from({ length: 9 }, () => inner).join(', ')}]`;
    });

    expect(refusalOf(lines.join('\n'))).toContain('anchors and aliases are not accepted');
  });

  it.each([
    ['lists', '['.repeat(60_000)],
    ['maps', '{a: '.repeat(15_000)],
    ['dashes', '- '.repeat(30_000)],
  ])('refuses nesting without end of %s', (_name, text) => {
    expect(refusalOf(text)).toContain('this is nested too deeply');
  });

  it('refuses a text beyond the limit before reading it, and reads one at the limit', () => {
    const filled = TOP_ID.padEnd(65_536, '\n');

    expect(parseThreatModel(filled, 'f.yaml').id).toBe('top-id');
    expect(refusalOf(`${filled}\n`)).toBe(
      'f.yaml:1:1: a threat model has at most 65536 characters, got 65537',
    );
  });

  it('refuses nesting of any depth by a sentence, not by a full stack', () => {
    for (let depth = 50; depth <= 3000; depth += DEPTH_STEP) {
      expect(refusalOf(`${'['.repeat(depth)}${']'.repeat(depth)}`)).toMatch(/^f\.yaml:1:\d+: /);
    }
  });

  it('gives a model or a placed refusal for whatever is written into a document', () => {
    const anyInsertion = fc.record({
      at: fc.nat({ max: TOP_ID.length }),
      removed: fc.nat({ max: 40 }),
      text: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.stringMatching(/^[-?:,[\]{}#&*!|>'"%@` \n\ta1.]{0,12}$/),
      ),
    });

    fc.assert(
      fc.property(anyInsertion, ({ at, removed, text }) => {
        const changed = TOP_ID.slice(0, at) + text + TOP_ID.slice(at + removed);

        expect(answerOf(changed)).toMatch(/^(model [a-z]|f\.yaml:\d+:\d+: )/);
      }),
      { seed: 1, numRuns: TEXTS },
    );
  });

  it('refuses the document cut at any line with a position, or reads a whole one', () => {
    const lines = TOP_ID.split('\n');

    for (let count = 0; count < lines.length - 2; count += 1) {
      expect(refusalOf(lines.slice(0, count).join('\n'))).toMatch(/^f\.yaml:\d+:\d+: /);
    }
  });
});
