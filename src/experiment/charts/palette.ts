/**
 * @module
 * Colours and shapes. Series are told apart by both: the colours are those of Okabe and Ito (2008),
 * which readers of every colour vision tell apart, yellow replaced as white paper hides it. Maps use
 * viridis, whose lightness rises evenly. Paper and ink follow the reader's choice of light or dark.
 */

/** The shapes of series' marks, centred at 0, as paths. */
const SHAPES = [
  'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z',
  'M-3.6-3.6H3.6V3.6H-3.6Z',
  'M0-4.6L4.4 3.4H-4.4Z',
  'M0-5L5 0L0 5L-5 0Z',
  'M0 4.6L4.4-3.4H-4.4Z',
  'M-1.5-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z',
  'M-5-2.5L-2.5-5L0-2.5L2.5-5L5-2.5L2.5 0L5 2.5L2.5 5L0 2.5L-2.5 5L-5 2.5L-2.5 0Z',
  'M-4.5 0L-2-4.5H2L4.5 0L2 4.5H-2Z',
] as const;

const LIGHT = [
  ...['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#1b1b1b', '#7a7a7a'],
] as const;
const DARK = [
  ...['#4da3dd', '#ff8a3d', '#2bc79a', '#e3a0c6', '#f2b733', '#9ad4f7', '#f0f0f0', '#a0a0a0'],
] as const;

interface Theme {
  readonly paper: string;
  readonly ink: string;
  readonly soft: string;
  readonly grid: string;
  readonly series: readonly string[];
}

const THEMES: Readonly<Record<'light' | 'dark', Theme>> = {
  light: { paper: '#ffffff', ink: '#1b1b1b', soft: '#555555', grid: '#e2e2e2', series: LIGHT },
  dark: { paper: '#16181c', ink: '#ececec', soft: '#b0b0b0', grid: '#363a41', series: DARK },
};

/**
 * The style sheet of a picture. Colours are named for their use by classes: `paper`, `ink`, `soft`,
 * `grid`, `s0`…; all set `color`, and elements take it as `currentColor`.
 */
export const STYLE = `${rules(THEMES.light)}@media (prefers-color-scheme:dark){${rules(THEMES.dark)}}`;

/** The colours of a page around pictures. */
export const PAGE_STYLE = `body{background:${THEMES.light.paper};color:${THEMES.light.ink}}@media (prefers-color-scheme:dark){body{background:${THEMES.dark.paper};color:${THEMES.dark.ink}}}`;

function rules({ series, ...named }: Theme): string {
  return [
    ...Object.entries(named),
    ...series.map((colour, index) => [`s${index}`, colour] as const),
  ]
    .map(([name, colour]) => `.usurp-picture .${name}{color:${colour}}`)
    .join('');
}

/** The class and the shape of a series by its place. */
export function seriesLook(index: number): { readonly class: string; readonly shape: string } {
  const place = index % SHAPES.length;
  return { class: `s${place}`, shape: SHAPES[place] ?? SHAPES[0] };
}

/** Viridis (Smith and van der Walt 2015) at eighths. */
const VIRIDIS: readonly (readonly [number, number, number])[] = [
  [68, 1, 84],
  [71, 45, 123],
  [59, 82, 139],
  [44, 114, 142],
  [33, 145, 140],
  [40, 174, 128],
  [94, 201, 98],
  [173, 220, 48],
  [253, 231, 37],
];

/** The colour of a share in [0, 1], and the ink that is readable on it. */
export function heatColour(share: number): { readonly fill: string; readonly ink: string } {
  const place = Math.min(1, Math.max(0, share)) * (VIRIDIS.length - 1);
  const index = Math.min(Math.floor(place), VIRIDIS.length - 2);
  const [low, high] = [VIRIDIS[index] ?? [0, 0, 0], VIRIDIS[index + 1] ?? [0, 0, 0]];
  const [red, green, blue] = low.map((value, channel) =>
    Math.round(value + (place - index) * ((high[channel] ?? 0) - value)),
  );
  const hex = [red, green, blue].map((value) => (value ?? 0).toString(16).padStart(2, '0'));
  return { fill: `#${hex.join('')}`, ink: share > 0.5 ? '#000000' : '#ffffff' };
}
