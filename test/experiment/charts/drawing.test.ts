/**
 * @module
 * Pictures of sweeps as documents: well-formed, self-contained and deterministic, with every text inside the
 * picture. How they look is checked by eye.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { numberAxis } from '../../../src/experiment/charts/axes.ts';
import type { PictureInput } from '../../../src/experiment/charts/data.ts';
import { drawSweep, picturePage } from '../../../src/experiment/charts/draw-sweep.ts';
import {
  CODE,
  cut,
  PLAIN,
  textWidth,
  visible,
  wrapped,
} from '../../../src/experiment/charts/lettering.ts';
import { heatColour, seriesLook } from '../../../src/experiment/charts/palette.ts';
import { scaleOf, valueLabel } from '../../../src/experiment/charts/scale.ts';
import {
  BUDGET,
  C1,
  detectionSweep,
  difficultySweep,
  frontierSweep,
  gridOf,
  inputOf,
  measured,
  messagesSweep,
  namesSweep,
} from './picture-inputs.ts';

const SWEEPS: readonly (readonly [string, PictureInput])[] = [
  ['difficulty', difficultySweep()],
  ['frontier', frontierSweep()],
  ['messages', messagesSweep()],
  ['detection', detectionSweep()],
  ['names', namesSweep()],
  [
    'no axis',
    inputOf(
      [],
      gridOf([], () => measured(0.3)),
    ),
  ],
  ['no outcome', emptySweep()],
];

function emptySweep(): PictureInput {
  const axes = [
    { path: C1, values: [1, 2] },
    { path: BUDGET, values: [10, 100] },
  ];
  return inputOf(
    axes,
    gridOf(axes, () => ({})),
  );
}

const HOSTILE = `</title></text><script>alert(1)</script>"'&<![CDATA[ \u202e\u0000\ud800 ${'x'.repeat(400)}`;

/** What must be in no document. */
const UNSEEN = ['<script', '\u202e', '\u0000', '\ud800'];

function hostileSweep(): PictureInput {
  const axes = [
    { path: `network.${HOSTILE}.c1`, values: [8, 9] },
    { path: HOSTILE, values: [HOSTILE, `${HOSTILE}!`] },
  ];
  const cells = gridOf(axes, () => ({ ...measured(0.5), refusal: HOSTILE }));
  const words = { title: HOSTILE, sentence: HOSTILE, event: HOSTILE };
  return inputOf(axes, cells, { ...words, dataFile: HOSTILE, replay: HOSTILE });
}

/** The elements that are left open or closed out of order, and what is no markup at all. */
function faultsOf(svg: string): string[] {
  const open: string[] = [];
  const faults: string[] = [];
  const tag = /<(\/?)([a-zA-Z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>/g;
  for (const [, closes, name = '', , isEmpty] of svg.matchAll(tag)) {
    if (isEmpty === '/') continue;
    if (closes === '') open.push(name);
    else if (open.pop() !== name) faults.push(`</${name}>`);
  }
  const text = svg.replaceAll(tag, '');
  if (/[<>]|&(?!(amp|lt|gt|quot|apos);)/.test(text)) faults.push(text);
  return [...faults, ...open];
}

/** The words that are to be seen, line by line. */
function linesOf(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, words = '']) =>
    words.replaceAll('&apos;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  );
}

describe.each(SWEEPS)('the pictures of a sweep over %s', (_name, input) => {
  const pictures = drawSweep(input);

  it('are well-formed documents of finite numbers that load nothing', () => {
    for (const { svg } of pictures) {
      expect(faultsOf(svg)).toEqual([]);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(svg.replace(' xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
        /href|src=|url\((?!#)|@import|https?:|<script|\son[a-z]+=/,
      );
    }
  });

  it('are the same bytes when they are drawn again', () => {
    expect(drawSweep(input)).toEqual(pictures);
  });

  it('name their data file and their replay command', () => {
    for (const { svg } of pictures) {
      const words = linesOf(svg).join(' ');

      expect(words).toContain(`data ${input.dataFile} replay`);
      expect(words.replaceAll(' ', '')).toContain(input.replay.replaceAll(' ', ''));
    }
  });

  it('are told to those who cannot see them', () => {
    for (const { name, svg } of pictures) {
      expect(svg).toContain(`role="img" aria-labelledby="${name}-title ${name}-desc"`);
      expect(svg).toContain(`<title id="${name}-title">${input.title}: P(`.slice(0, 40));
      expect(svg).toContain(`<desc id="${name}-desc">${input.sentence}`);
    }
  });
});

describe('a picture', () => {
  it('is described with one full stop after each sentence', () => {
    const [picture] = drawSweep({ ...difficultySweep(), sentence: 'Two runs of a cell.' });

    expect(picture?.svg).toMatch(/<desc [^>]*>Two runs of a cell\. [^<]*Data: [^<]*<\/desc>/);
    expect(picture?.svg).not.toMatch(/<desc [^>]*>[^<]*\.\. /);
  });

  it('has axis labels with units', () => {
    const lines = drawSweep(frontierSweep()).flatMap(({ svg }) => linesOf(svg));

    expect(lines).toContain('static difficulty (bits): network.identity.c1');
    expect(lines).toContain(`budget (attempts): ${BUDGET}, log scale`);
    expect(lines).toContain('P(adversary leads), log scale');
  });

  it('has a legend of its series, each with a look of its own', () => {
    const [picture] = drawSweep(messagesSweep());

    expect(linesOf(picture?.svg ?? '')).toEqual(
      expect.arrayContaining(['protocols = bully-oneshot', 'protocols = cr-join', 'n²', 'n']),
    );
    const looks = Array.from({ length: 8 }, (_, index) => seriesLook(index));
    expect(new Set(looks.map(({ shape }) => shape)).size).toBe(8);
    expect(new Set(looks.map((look) => look.class)).size).toBe(8);
  });

  it('hatches cells without data, and draws a rectangle for every cell', () => {
    const [frontier] = drawSweep(frontierSweep());

    const cells = frontier?.svg.match(/<rect [^>]*crispEdges"[^>]*>/g) ?? [];

    expect(cells).toHaveLength(121);
    expect(cells.filter((cell) => cell.includes('url(#frontier-hatch)'))).toHaveLength(1);
    expect(linesOf(frontier?.svg ?? '')).toEqual(
      expect.arrayContaining([
        'refused by the document',
        'measured p = ε = 0.01',
        'closed form = ε = 0.01',
      ]),
    );
  });

  it('has an interval for every mark of a probability', () => {
    const [picture] = drawSweep(difficultySweep());

    const marks = picture?.svg.match(/<g class="s0"><title>.*?<\/g>/g) ?? [];

    expect(marks).toHaveLength(7);
    expect(marks.every((mark) => mark.split('<path').length === 3)).toBe(true);
  });

  it('shows hostile words as words', () => {
    for (const { svg } of drawSweep(hostileSweep())) {
      expect(faultsOf(svg)).toEqual([]);
      for (const words of UNSEEN) expect(svg).not.toContain(words);
      expect(svg).toContain('&lt;script&gt;');
      expect(svg).toContain('\\u202e');
    }
  });

  it('says that a command is too long rather than to show a part of it for the whole', () => {
    const [picture] = drawSweep(difficultySweep({ replay: 'usurp sweep '.repeat(1000) }));

    expect(linesOf(picture?.svg ?? '').at(-1)).toBe('… too long for a picture');
  });
});

describe('what a picture says below the chart', () => {
  const svg = drawSweep(frontierSweep({ seedRule: 'paired' }))[1]?.svg ?? '';
  const words = linesOf(svg).join(' ');

  it('is that cells share their seeds', () => {
    expect(words).toContain('seeds paired: every cell uses the same seeds.');
    expect(linesOf(drawSweep(frontierSweep())[1]?.svg ?? '').join(' ')).not.toContain('same seeds');
  });

  it('is which cells are refused, and why', () => {
    expect(words).toContain(
      `refused ${C1} = 12, ${BUDGET} = 32768: no difficulty is worth a budget`,
    );
  });
});

describe('a row of a chart with names', () => {
  const axes = [
    { path: 'network.election.defences', values: ['none', 'all-refuse', 'one-refuses'] },
    { path: 'network.identity.scheme', values: ['ed25519', 'secp256k1'] },
  ];
  const cells = gridOf(axes, ([defence, scheme]) =>
    defence === 'all-refuse' || (defence === 'one-refuses' && scheme === 'ed25519')
      ? { refusal: 'it does not apply' }
      : measured(0.3, 4),
  );
  const svg = drawSweep(inputOf(axes, cells))[0]?.svg ?? '';
  const words = [...svg.matchAll(/<text ([^>]*)>refused<\/text>/g)].map(([, given = '']) => given);

  it('is called refused once if all of its cells are, else at the refused ones', () => {
    const heights = words.map((given) => Number(/ y="([\d.]+)"/.exec(` ${given}`)?.[1]));

    // One for each of the two rows, and the label of the refusals below the chart.
    expect(words).toHaveLength(3);
    expect(new Set(heights).size).toBe(3);
  });
});

describe('the page', () => {
  it('has the table and the refusals', () => {
    const input = frontierSweep({ seedRule: 'paired' });
    const page = picturePage(drawSweep(input), input);

    expect(page.match(/<tr>/g)).toHaveLength(122);
    expect(page).toContain('<th>network_<wbr>identity_<wbr>c1</th>');
    expect(page).toContain('<td>refused</td>');
    expect(page).toContain('<h2>Cells that the document refuses</h2>');
    expect(page).toContain('32768: no difficulty is worth a budget of 32768</p>');
    expect(page).toContain('every cell uses the same seeds');
  });

  const pictures = drawSweep(frontierSweep());
  const page = picturePage(pictures, frontierSweep());

  it('holds every picture and forbids itself to load anything', () => {
    for (const { svg } of pictures) expect(page).toContain(svg);
    expect(page).toContain(
      `content="default-src &apos;none&apos;; style-src &apos;unsafe-inline&apos;"`,
    );
    expect(page.replaceAll('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /href|src=|https?:|<script/,
    );
  });

  it('has no identifier twice', () => {
    const names = [...page.matchAll(/ id="([^"]*)"/g)].map(([, name]) => name);

    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('frontier-hatch');
  });

  it('is for light and for dark', () => {
    expect(page).toContain('color-scheme:light dark');
    expect(page).toContain('@media (prefers-color-scheme:dark)');
  });

  it('has the whole command however long it is, its spaces kept', () => {
    const replay = `usurp sweep 'a  b' ${'--set x=1 '.repeat(2000)}--seed 5`;

    expect(picturePage([], { ...hostileSweep(), replay })).toContain(
      replay.replaceAll("'", '&apos;'),
    );
    const hostile = picturePage([], hostileSweep());
    for (const words of UNSEEN) expect(hostile).not.toContain(words);
  });
});

describe('words', () => {
  it('are never wider than their line', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 300 });

    fc.assert(
      fc.property(words, fc.integer({ min: 30, max: 500 }), (text, width) => {
        for (const font of [PLAIN, CODE]) {
          const lines = [...wrapped(text, width, font), cut(text, width, font)];

          for (const line of lines) expect(textWidth(line, font)).toBeLessThanOrEqual(width);
          const kept = wrapped(text, width, font).join('').replaceAll(' ', '');
          expect(kept).toBe(visible(text).replaceAll(' ', ''));
        }
      }),
      { seed: 11, numRuns: 200 },
    );
  });

  it.each([
    ['a\nb\tc', 'a b c'],
    ['a\u202eb', 'a\\u202eb'],
    ['a\u001b[2Jb', 'a\\u001b[2Jb'],
    ['n² ≤ ε', 'n² ≤ ε'],
  ])('%j are visible as %j', (words, shown) => {
    expect(visible(words)).toBe(shown);
  });
});

describe('ticks', () => {
  it.each([
    [
      0,
      1,
      false,
      300,
      ['0.0', '0.1', '0.2', '0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9', '1.0'],
    ],
    [0, 0.002, false, 150, ['0.0000', '0.0005', '0.0010', '0.0015', '0.0020']],
    [8, 10, false, 600, ['8', '9', '10']],
    [1000, 1e8, true, 600, ['10³', '10⁴', '10⁵', '10⁶', '10⁷', '10⁸']],
    [4, 40, true, 600, ['10', '20', '5']],
    [100, 200, true, 600, Array.from({ length: 11 }, (_, index) => String(100 + 10 * index))],
  ])('from %d to %d (logarithmic: %s) over %i pixels', (low, high, isLogarithmic, to, labels) => {
    const whole = numberAxis('', [low, high], { isLogarithmic });
    const axis = { ...whole, isWhole: low === 8 };

    const { ticks } = scaleOf(axis, { from: 0, to, direction: high > 1 ? 'across' : 'up' });

    expect(ticks.flatMap(({ label }) => (label === '' ? [] : [label]))).toEqual(labels);
  });

  it('are inside, not many, and some have labels, on every axis', () => {
    const value = fc.double({ min: 1e-9, max: 1e15, noNaN: true });

    fc.assert(
      fc.property(value, value, fc.boolean(), (one, other, isLogarithmic) => {
        const axis = numberAxis('', [one, other], { isLogarithmic });

        const { ticks, at: position } = scaleOf(axis, { from: 500, to: 20, direction: 'up' });

        expect(ticks.length).toBeLessThan(200);
        expect(ticks.some(({ label }) => label !== '')).toBe(true);
        for (const { at } of ticks) {
          expect(at).toBeGreaterThan(19);
          expect(at).toBeLessThan(501);
        }
        expect(position(axis.domain[0])).toBeCloseTo(500, 6);
        expect(position(axis.domain[1])).toBeCloseTo(20, 6);
      }),
      { seed: 13, numRuns: 500 },
    );
  });

  it.each([
    [512, '512'],
    [1024, '2¹⁰'],
    [1500, '1500'],
    [0, '0'],
    [0.00025, '2.5·10⁻⁴'],
    [100_000, '10⁵'],
    [123_456, '1.235·10⁵'],
  ])('call %d %s', (value, label) => {
    expect(valueLabel(value)).toBe(label);
  });
});

describe('the colours of a map', () => {
  it('grow lighter with p, so that they are told apart without hues', () => {
    const lightness = Array.from({ length: 21 }, (_, index) => {
      const [red = 0, green = 0, blue = 0] = Array.from(
        heatColour(index / 20).matchAll(/\d+/g),
        ([channel]) => Number(channel),
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    });

    expect(lightness).toEqual([...lightness].sort((one, other) => one - other));
  });
});
