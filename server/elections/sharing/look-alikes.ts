/**
 * @module
 * Display names that people could confuse: names that differ only in capitals, spaces, invisible characters,
 * or letters that look alike (Unicode Technical Standard 39, confusables; the letters of Latin, Cyrillic and
 * Greek, and the digits that occur in names).
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
  ['l', 'I1|ӏІΙӀ'],
  ['m', 'м'],
  ['n', 'ո'],
  ['o', 'оοσ0ОΟO'],
  ['p', 'рρ'],
  ['q', 'ԛ'],
  ['r', 'г'],
  ['s', 'ѕ'],
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
    folded(one) === folded(other) || skeleton(one) === skeleton(other) || bare(one) === bare(other)
  );
}

function folded(name: string): string {
  return visible(name).toLowerCase();
}

/** The name as it looks, with its capitals: "Ian" looks like "lan", and not like "Lan". */
function skeleton(name: string): string {
  return [...visible(name)].map((letter) => LATIN.get(letter) ?? letter).join('');
}

/** The folded name in Latin letters, so that capitals of another script are found as well. */
function bare(name: string): string {
  return [...folded(name)]
    .map((letter) => (/\P{ASCII}/u.test(letter) ? (LATIN.get(letter) ?? letter) : letter))
    .join('');
}

/** Without characters that cannot be seen, and with one space in place of several. */
function visible(name: string): string {
  const shown = name.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\p{C}]/gu, '');
  return shown.replaceAll(/\s+/gu, ' ').trim();
}
