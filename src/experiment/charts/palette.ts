/**
 * @module
 * Colours and shapes. Each series has its own colour and its own shape. The colours are those of Okabe
 * and Ito (2008), which are distinguishable with every kind of colour vision; yellow is replaced, and
 * orange and sky blue are darker, because they are hard to see on white. Maps use viridis (Smith and van der Walt, 2015), whose lightness
 * increases evenly. Paper and ink follow the reader's choice of light or dark.
 */

import { range } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import {
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond2,
  symbolSquare,
  symbolStar,
  symbolTimes,
  symbolTriangle,
  symbolWye,
} from 'd3-shape';

/** The shapes of marks, centred at 0, as paths that are filled and stroked. */
const SHAPES = [
  symbolCircle,
  symbolSquare,
  symbolTriangle,
  symbolDiamond2,
  symbolCross,
  symbolStar,
  symbolWye,
  symbolTimes,
].map((type) => symbol(type, 38).digits(2)() ?? '');

interface Theme {
  readonly paper: string;
  readonly ink: string;
  readonly soft: string;
  readonly grid: string;
  readonly series: readonly string[];
}

export const LIGHT: Theme = {
  paper: '#ffffff',
  ink: '#1b1b1b',
  soft: '#555555',
  grid: '#e2e2e2',
  series: '#0072b2 #d55e00 #009e73 #cc79a7 #b07800 #3f93c9 #1b1b1b #7a7a7a'.split(' '),
};

export const DARK: Theme = {
  paper: '#16181c',
  ink: '#ececec',
  soft: '#b0b0b0',
  grid: '#363a41',
  series: '#4da3dd #ff8a3d #2bc79a #e3a0c6 #f2b733 #9ad4f7 #f0f0f0 #a0a0a0'.split(' '),
};

const IF_DARK = '@media (prefers-color-scheme:dark)';

/** The part of the style sheet of a picture for readers who prefer dark colours. */
export const DARK_RULES = `${IF_DARK}{${rules(DARK)}}`;

/**
 * The style sheet of a picture. The classes `paper`, `ink`, `soft`, `grid`, `s0`, `s1`… set `color`;
 * elements use it as `currentColor`.
 */
export const STYLE = `${rules(LIGHT)}${DARK_RULES}`;

/** The colours of a page around pictures. */
export const PAGE_STYLE = `${pageRule(LIGHT)}${IF_DARK}{${pageRule(DARK)}}`;

function rules({ series, ...named }: Theme): string {
  const colours = [
    ...Object.entries(named),
    ...series.map((colour, index) => [`s${index}`, colour] as const),
  ];
  return colours.map(([name, colour]) => `.usurp-picture .${name}{color:${colour}}`).join('');
}

function pageRule({ paper, ink }: Theme): string {
  return `body{background:${paper};color:${ink}}`;
}

/** The class and the shape of the series with this index. */
export function seriesLook(index: number): { readonly class: string; readonly shape: string } {
  const look = index % SHAPES.length;
  return { class: `s${look}`, shape: SHAPES[look] ?? '' };
}

/** Viridis in eighths. */
const VIRIDIS = '#440154 #472d7b #3b528b #2c728e #21918c #28ae80 #5ec962 #addc30 #fde725'.split(
  ' ',
);

/** The colour of a share of the scale of probabilities. */
export const heatColour = scaleLinear<string>()
  .domain(range(VIRIDIS.length).map((index) => index / (VIRIDIS.length - 1)))
  .range(VIRIDIS)
  .clamp(true);

/** Black or white, whichever has the greater contrast to a colour of the map. */
export function labelColour(background: string): '#000000' | '#ffffff' {
  const white = 1.05 / (luminance(background) + 0.05);
  const black = (luminance(background) + 0.05) / 0.05;
  return black >= white ? '#000000' : '#ffffff';
}

/** The relative luminance of a colour as `rgb(…)` or `#rrggbb`, from 0 to 1 (WCAG 2.2). */
export function luminance(colour: string): number {
  const channels = colour.startsWith('#')
    ? [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
    : [...colour.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The stops of a gradient over the colours from 0 to 1. */
export const HEAT_STOPS: readonly string[] = VIRIDIS;
