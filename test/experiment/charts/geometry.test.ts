/**
 * @module
 * Where things are in pictures: texts are inside of the picture and apart from each other and from lines of levels, marks
 * are in the row of their name, logarithmic axes say so, and what a picture says of its runs. The widths of texts are
 * estimated here anew.
 */

import { describe, expect, it } from 'vitest';

import type { PictureInput } from '../../../src/experiment/charts/data.ts';
import { COMPARISON_AXES } from '../../../src/experiment/charts/data.ts';
import { drawSweep, picturePage } from '../../../src/experiment/charts/draw-sweep.ts';
import {
  detectionSweep,
  difficultySweep,
  frontierSweep,
  gridOf,
  inputOf,
  measured,
  messagesSweep,
  namesSweep,
} from './picture-inputs.ts';

const NAMES = ['none', 'proof-of-work', 'beacon-rank', 'beacon-rank+proof-of-work'];

/** A comparison as `usurp compare` makes it: some cells have only a closed form, and raft refuses a defence. */
function comparison(): PictureInput {
  const axes = [
    { path: COMPARISON_AXES.protocol, values: ['[bully-oneshot]', '[raft]'] },
    { path: COMPARISON_AXES.defences, values: NAMES },
    { path: COMPARISON_AXES.advantage, values: [1, 10, 100] },
  ];
  const grid = gridOf(axes, ([protocol, , advantage]) => ({
    ...measured(advantage === 1 ? 0.001 : 0.4),
    protocol: String(protocol).slice(1, -1),
    response: 'one identity, above every honest node ID; follows the protocol',
    verdict: 'false',
  }));
  const cells = grid.filter(
    ({ values: [protocol, defences, advantage] }) =>
      protocol === '[bully-oneshot]' || (defences === 'proof-of-work' && advantage !== 100),
  );
  const form = (defences: string, advantage: number, p: number) => {
    return { values: ['[raft]', defences, advantage], p };
  };
  return inputOf(axes, cells, {
    budgets: ['main: 60 CPU seconds', 'main: 600 CPU seconds'],
    comparison: {
      closedForms: [
        ...[1, 10, 100].map((advantage) => form('none', advantage, 0.99)),
        ...[form('proof-of-work', 10, 0.4), form('proof-of-work', 100, 0.877)],
      ],
      sentence: '',
      budget: '1, 10, 100 times the work',
      refused: [{ protocol: '[raft]', defences: 'beacon-rank', reason: 'no rank helps' }],
      tables: [],
    },
  });
}

interface Item {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly words: string;
  readonly x: number;
  readonly y: number;
}

/** All elements with their places, as the translations of their groups give them. */
function itemsOf(svg: string): Item[] {
  const tag = /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>([^<]*)/gi;
  const origins: (readonly [number, number])[] = [[0, 0]];
  return [...svg.matchAll(tag)].flatMap(([, closes, name = '', given = '', empty, words = '']) => {
    if (closes === '/') {
      origins.pop();
      return [];
    }
    const attributes = Object.fromEntries(
      [...given.matchAll(/ ([a-zA-Z:-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
        key,
        value,
      ]),
    );
    const [left, top] = origins.at(-1) ?? [0, 0];
    const [, dx = '0', dy = '0'] =
      /translate\((\S+) (\S+)\)/.exec(attributes.transform ?? '') ?? [];
    const origin = [left + Number(dx), top + Number(dy)] as const;
    if (empty !== '/') origins.push(origin);
    return [{ name, attributes, words, x: origin[0], y: origin[1] }];
  });
}

/** The box of a text, whose characters are taken to be 0.55 times as wide as high. */
function boxOf({ attributes, words, x, y }: Item) {
  const size = Number(attributes['font-size']);
  const plain = words.replaceAll(/&[a-z]+;/g, '.');
  const width = plain.length * size * 0.55;
  const anchor = attributes['text-anchor'];
  const left =
    x + Number(attributes.x) - (anchor === 'end' ? width : anchor === 'middle' ? width / 2 : 0);
  const bottom = y + Number(attributes.y);
  return { words, left, right: left + width, top: bottom - 0.75 * size, bottom };
}

function textsOf(svg: string) {
  return itemsOf(svg).flatMap((item) =>
    item.name === 'text' && item.words !== '' ? [boxOf(item)] : [],
  );
}

const PICTURES = [
  ...[difficultySweep(), frontierSweep(), messagesSweep(), detectionSweep(), namesSweep()],
  comparison(),
].flatMap((input) => drawSweep(input));

describe.each(PICTURES.map((picture) => [picture.title, picture.svg] as const))('%s', (_, svg) => {
  const [width = 0, height = 0] = /viewBox="0 0 (\S+) (\S+)"/.exec(svg)?.slice(1).map(Number) ?? [];
  const texts = textsOf(svg);

  it('has all texts inside of the picture', () => {
    const outside = texts.filter(
      ({ left, right, top, bottom }) => left < 0 || right > width || top < 0 || bottom > height,
    );

    expect(outside).toEqual([]);
  });

  it('has no text on another', () => {
    const pairs = texts.flatMap((one, index) =>
      texts
        .slice(index + 1)
        .filter(
          (other) =>
            one.left < other.right &&
            other.left < one.right &&
            one.top < other.bottom &&
            other.top < one.bottom,
        )
        .map((other) => [one.words, other.words]),
    );

    expect(pairs).toEqual([]);
  });

  it('says of its runs: protocol, budget, response and number', () => {
    expect(texts.map(({ words }) => words).join(' ')).toMatch(
      /setup Protocol: .*\. Budget: main: .*\. Response: .*\. Runs in a cell: 300/,
    );
  });
});

describe('a comparison', () => {
  const [{ svg } = { svg: '' }] = drawSweep(comparison());
  const items = itemsOf(svg);

  it('has the word refused once in each refused row, at its name and beside the line of ε', () => {
    const words = textsOf(svg).filter((text) => text.words === 'refused');
    const level = items.find(
      ({ attributes }) => attributes['stroke-dasharray'] === '2 3' && attributes.d !== 'M6-8V8',
    );
    const x = Number(/^M(\S+) /.exec(level?.attributes.d ?? '')?.[1]);
    const names = textsOf(svg).filter(({ words: name }) => name.startsWith('beacon-rank'));

    expect(x).toBeGreaterThan(0);
    expect(words).toHaveLength(2);
    for (const { left, right, bottom } of words) {
      expect(left > x + 2 || right < x - 2).toBe(true);
      expect(names.some((name) => Math.abs(name.bottom - bottom) < 2)).toBe(true);
    }
  });

  it('has each mark and closed form between the two lines of its row', () => {
    const names = textsOf(svg).filter(({ words }) => NAMES.includes(words));
    const middles = names.map(({ bottom }) => bottom - 4);
    const half = ((middles[1] ?? 0) - (middles[0] ?? 0)) / 2;
    const marks = items.filter(
      ({ name, attributes }) => name === 'path' && attributes['stroke-width'] === '1.4',
    );
    const inRows = marks.filter(({ y }) => y > (middles[0] ?? 0) - half);

    expect(inRows.length).toBe(14);
    for (const { y } of inRows) {
      const distance = Math.min(...middles.map((middle) => Math.abs(y - middle)));
      // A mark is four pixels high on each side.
      expect(distance).toBeLessThan(half - 4);
    }
    // A line goes between each two names.
    const grid = items.find(({ attributes }) => attributes.class === 'grid')?.attributes.d ?? '';
    const heights = [...grid.matchAll(/M20 ([\d.]+)H/g)].map(([, at]) => Number(at));
    expect(heights).toHaveLength(NAMES.length);
  });

  it('has the closed forms without runs in the table of its page, once each', () => {
    const page = picturePage([], comparison());
    const rows = [...page.matchAll(/<tr><td>(\[raft\].*?)<\/tr>/g)].map(([, row = '']) =>
      row
        .replaceAll(/<\/?td>/g, ' ')
        .replaceAll(/ +/g, ' ')
        .trim(),
    );

    expect(rows).toEqual([
      '[raft] none 1 raft 99.0 %',
      '[raft] none 10 raft 99.0 %',
      '[raft] none 100 raft 99.0 %',
      expect.stringContaining('[raft] proof-of-work 1 raft 300 0 0 %'),
      expect.stringContaining('[raft] proof-of-work 10 raft 300 120 40.0 %'),
      '[raft] proof-of-work 100 raft 87.7 %',
    ]);
  });
});

describe('a logarithmic axis', () => {
  it('says so, and a linear one does not', () => {
    const words = (input: PictureInput) =>
      drawSweep(input).map(({ svg }) => textsOf(svg).map((text) => text.words));

    expect(words(messagesSweep())[0]).toEqual(
      expect.arrayContaining(['nodes n, log scale', 'messages per run (mean), log scale']),
    );
    expect(words(comparison())[0]).toContain('P(adversary leads), log scale');
    expect(words(detectionSweep()).flat().join()).not.toContain('log scale');
  });
});

describe('the closed form', () => {
  it('is drawn as separate lines at whole bits, each shorter than the distance to the next', () => {
    const [{ svg } = { svg: '' }] = drawSweep(difficultySweep());
    const curve = itemsOf(svg).find(
      ({ attributes }) =>
        attributes['stroke-width'] === '1.6' &&
        attributes.d?.startsWith('M') &&
        attributes.class === 's0' &&
        !attributes.d.startsWith('M0 0'),
    );
    const pieces = [...(curve?.attributes.d ?? '').matchAll(/M(\S+) (\S+)h(\S+?)(?=M|$)/g)].map(
      ([, x, , length]) => [Number(x), Number(length)] as const,
    );

    expect(pieces).toHaveLength(7);
    for (const [index, [x, length]] of pieces.entries()) {
      const next = pieces[index + 1]?.[0] ?? Infinity;
      expect(x + length).toBeLessThan(next);
    }
  });
});
