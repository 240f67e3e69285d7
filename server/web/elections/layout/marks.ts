/**
 * @module
 * Each type of message has a colour and, as a second mark, letters and dashes.
 */

/** Colours for light and for dark paper (Okabe and Ito), each at least 3:1 against its paper. */
export const SERIES = {
  light: ['#0072b2', '#c75200', '#00805e', '#a8508a', '#8a5e00', '#5a4fcf', '#1b1b1b', '#6a6a6a'],
  dark: ['#4da3dd', '#ff8a3d', '#2bc79a', '#e3a0c6', '#f2b733', '#b3aaff', '#f0f0f0', '#a0a0a0'],
} as const;

/** Lengths of strokes and gaps, one for each colour. */
export const DASHES: readonly (readonly number[])[] = [
  [],
  [7, 3],
  [2, 3],
  [9, 3, 2, 3],
  [4, 2],
  [12, 4],
  [2, 2, 6, 2],
  [1, 4],
];

export interface TypeMark {
  readonly type: string;
  /** Slot of its colour and of its dashes. */
  readonly series: number;
  /** One to three letters, different for each of the types. */
  readonly letters: string;
}

/** The marks of types in the order of their first occurrence. */
export function marksOf(types: readonly string[]): TypeMark[] {
  const taken = new Set<string>();
  return types.map((type, index) => {
    const letters = lettersOf(type, taken);
    taken.add(letters);
    return { type, series: index % DASHES.length, letters };
  });
}

function lettersOf(type: string, taken: ReadonlySet<string>): string {
  const words = type.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const plain = words.join('').toUpperCase();
  const [first = '?'] = plain;
  const initials = words.map(([letter = '']) => letter).join('');
  const pairs = [...plain.slice(1)].map((letter) => first + letter.toLowerCase());
  const candidates = [first, initials.slice(0, 3).toUpperCase(), ...pairs];
  return candidates.find((each) => each !== '' && !taken.has(each)) ?? '·';
}
