/**
 * @module
 * The numerals in a text: digits (`8 000 000`, `4.8e11`, `2^-12`, `97.6 %`, `8 million`, `L3`) and words
 * (`three`, `fifth`, `a quarter`, `every run`). Digits within a name, such as `SHA-256` and `bully-gm82`, are
 * none. "One" is a numeral only before a unit, because it is mostly a pronoun.
 */

export interface Numeral {
  readonly text: string;
  /** Positions in the text, the end excluded. */
  readonly from: number;
  readonly to: number;
  readonly value: number;
  /**
   * Half a unit of the last digit, and after "about" of the last digit that is not 0. For a word it is 0, or
   * after "about" a half, and a tenth of a fraction.
   */
  readonly tolerance: number;
}

const WORDS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'two three four five six seven eight nine ten eleven twelve'
      .split(' ')
      .map((word, index) => [word, index + 2]),
  ),
  ...Object.fromEntries(
    'third fourth fifth sixth seventh eighth ninth tenth'
      .split(' ')
      .map((word, index) => [word, index + 3]),
  ),
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  sixteenth: 1 / 16,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  hundred: 100,
  thousand: 1000,
  million: 1e6,
  half: 0.5,
  quarter: 0.25,
  twice: 2,
  'every second': 0.5,
  'every run': 1,
  'any run': 1,
  'no run': 0,
  'none of': 0,
};

const UNITS =
  'second|minute|hour|day|core|machine|node|tick|epoch|message|position|identity|ordinary|or two|to five';

const WORD = new RegExp(
  `\\b(?:(?:a|one|two|three|four|five|eight) (?:hundred|thousand|million)|${Object.keys(WORDS).join('|')}|one(?= (?:${UNITS})\\b))\\b`,
  'gi',
);

const DIGITS =
  /(?<![A-Za-z]-|[A-Za-z\d.])(?:\d+\^-?\d+|\d{1,3}(?: \d{3})+(?!\d)|\d+(?:\.\d+)?(?:e\d+)?)(?: %| million)?|\bL[0-3]\b/g;

/** In the order of the text. */
export function numeralsOf(text: string): readonly Numeral[] {
  const digits = [...text.matchAll(DIGITS)].map(({ 0: found, index }) => ({
    ...{ text: found, from: index, to: index + found.length },
    ...readDigits(found, isAbout(text, index)),
  }));
  const words = [...text.matchAll(WORD)].map(({ 0: found, index }) => ({
    ...{ text: found, from: index, to: index + found.length },
    ...readWords(found.toLowerCase(), isAbout(text, index)),
  }));
  return [
    ...digits,
    ...words.filter(({ from }) => !digits.some((one) => one.to > from && one.from <= from)),
  ].toSorted((one, other) => one.from - other.from);
}

/** Whether a derived number is the numeral, to its digits. */
export function isShownAs(derived: number, { value, tolerance }: Numeral): boolean {
  return Math.abs(derived - value) <= tolerance + 1e-12 * Math.abs(value);
}

function isAbout(text: string, index: number): boolean {
  return /\babout (?:an? )?$/.test(text.slice(0, index));
}

function readDigits(found: string, isRough: boolean): Pick<Numeral, 'value' | 'tolerance'> {
  const level = /^L(\d)$/.exec(found);
  if (level !== null) return { value: Number(level[1]), tolerance: 0 };
  const scale = found.endsWith('%') ? 0.01 : found.endsWith('million') ? 1e6 : 1;
  const digits = found.replace(/ (?:%|million)$/, '').replaceAll(' ', '');
  const power = /^(\d+)\^(-?\d+)$/.exec(digits);
  if (power !== null) return { value: Number(power[1]) ** Number(power[2]), tolerance: 0 };
  const [mantissa = '', exponent = '0'] = digits.split('e');
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  const zeros = isRough && decimals === 0 ? (/0*$/.exec(mantissa)?.[0].length ?? 0) : 0;
  const unit = scale * 10 ** (Number(exponent) - decimals + zeros);
  return { value: Number(digits) * scale, tolerance: unit / 2 };
}

function readWords(found: string, isRough: boolean): Pick<Numeral, 'value' | 'tolerance'> {
  const number = (word: string) =>
    word === 'a' || word === 'one' ? 1 : (WORDS[word] ?? Number.NaN);
  const value =
    found in WORDS
      ? number(found)
      : found.split(' ').reduce((product, word) => product * number(word), 1);
  return { value, tolerance: isRough ? (value < 1 ? value / 10 : 0.5) : 0 };
}
