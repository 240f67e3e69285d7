/**
 * @module
 * Display names that people could confuse: names that differ only in capitals, spaces, invisible characters,
 * or letters that look alike (Unicode Technical Standard 39, confusables; the letters of Latin, Cyrillic and
 * Greek, a few of other scripts, and all decimal digits). Names of several scripts are accepted.
 */

/** Letters and digits, each with the ones that look like it. */
const LOOK_ALIKES: readonly (readonly [string, string])[] = [
  ['a', 'аαɑ'],
  ['b', 'Ььƅ'],
  ['c', 'сϲ'],
  ['d', 'ԁ'],
  ['e', 'еєҽ'],
  ['g', 'ɡ'],
  ['h', 'һ'],
  ['i', 'іıι'],
  ['j', 'јϳ'],
  ['k', 'кκ'],
  ['l', 'I1|ӏІΙӀ\u01c0\u0196\u0269\u0627\u05d5'],
  ['m', 'м'],
  ['n', 'ո'],
  ['o', 'оοσ0ОΟO\u0555\u0585\u05e1'],
  ['p', 'рρ'],
  ['q', 'ԛ'],
  ['r', 'г'],
  ['s', 'ѕ\u054f\u057f'],
  ['t', 'тτ'],
  ['u', 'υս'],
  ['v', 'νѵ'],
  ['w', 'ԝω'],
  ['x', 'хχ'],
  ['y', 'уγ'],
  ['A', 'АΑ'],
  ['B', 'ВΒв'],
  ['C', 'СϹ'],
  ['E', 'ЕΕ'],
  ['H', 'НΗн'],
  ['J', 'Ј'],
  ['K', 'КΚ'],
  ['M', 'МΜ'],
  ['N', 'Ν'],
  ['P', 'РΡ'],
  ['S', 'Ѕ'],
  ['T', 'ТΤ'],
  ['X', 'ХΧ'],
  ['Y', 'УΥ'],
  ['Z', 'Ζ'],
];

const LATIN: ReadonlyMap<string, string> = new Map(
  LOOK_ALIKES.flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/** Whether people could take one name for the other. */
export function lookAlike(one: string, other: string): boolean {
  return (
    folded(one) === folded(other) ||
    skeleton(one) === skeleton(other) ||
    // A stroke looks like both.
    ['i', 'l'].some((stroke) => bare(one, stroke) === bare(other, stroke))
  );
}

function folded(name: string): string {
  return visible(name).toLowerCase();
}

/** The name as it looks, with its capitals: "Ian" looks like "lan", and not like "Lan". */
function skeleton(name: string): string {
  return [...visible(name)].map((letter) => LATIN.get(letter) ?? letter).join('');
}

/**
 * The folded name in Latin letters, without spaces, so that capitals and digits of another script are found as well.
 * Pairs that look like one letter are that letter.
 */
function bare(name: string, stroke: string): string {
  const letters = [...folded(name).replaceAll(' ', '')].map((letter) => {
    if (letter === '\u01c0') return stroke;
    const latin = digitOf(letter) ?? letter;
    return LATIN.get(latin) ?? latin;
  });
  return letters.join('').replaceAll('rn', 'm').replaceAll('vv', 'w');
}

/** The decimal digit of any script as that of ASCII; null for other characters. */
function digitOf(letter: string): string | null {
  if (!DIGIT.test(letter)) return null;
  const point = letter.codePointAt(0) ?? 0;
  // The ten digits of a script follow each other.
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(point - value - 1))) value += 1;
  return String(value);
}

const DIGIT = /^\p{Nd}$/u;

/** Without characters that cannot be seen, and with one space in place of several. */
function visible(name: string): string {
  const shown = name.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\p{C}]/gu, '');
  return shown.replaceAll(/\s+/gu, ' ').trim();
}
