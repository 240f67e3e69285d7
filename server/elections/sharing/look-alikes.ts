/**
 * @module
 * Display names that people could confuse: names that differ only in capitals, spaces, invisible characters,
 * decimal digits of another script, or characters of the same look. These are the confusables of Unicode Technical
 * Standard 39 (version 13, in the package unhomoglyph), and a few letters more.
 */

import { LRUCache } from 'lru-cache';
import unhomoglyph from 'unhomoglyph';

/** Letters of the same look that the table does not contain or maps to a small capital, without their capitals. */
const MORE: ReadonlyMap<string, string> = new Map(
  (
    [
      ...[
        ['b', 'ьƅв'],
        ['e', 'є'],
        ['h', 'н'],
        ['k', 'кκ'],
        ['m', 'м'],
      ],
      ...[
        ['s', 'տ'],
        ['t', 'тτ'],
        ['w', 'ω'],
        ['x', 'χ'],
      ],
    ] as const
  ).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/** A stroke looks like a small l and a capital I. */
const STROKES: ReadonlySet<string> = new Set('ǀӏɩ');

/** Whether people could take one name for the other. */
export function lookAlike(one: string, other: string): boolean {
  const looks = looksOf(other);
  return looksOf(one).some((look, index) => look === looks[index]);
}

/** Looks of the names that were compared last. */
const LOOKS = new LRUCache<string, readonly string[]>({ max: 10_000 });

/** Texts that are equal in one position for names of the same look. */
function looksOf(name: string): readonly string[] {
  const known = LOOKS.get(name);
  if (known !== undefined) return known;
  const shown = visible(name);
  const looks = [
    shown.toLowerCase(),
    // With its capitals: "Ian" looks like "lan", and not like "Lan".
    skeleton(shown),
    ...['i', 'l'].map((stroke) => bare(shown, stroke)),
  ];
  LOOKS.set(name, looks);
  return looks;
}

/** The skeleton of a text as UTS 39 defines it. */
function skeleton(text: string): string {
  return unhomoglyph(text.normalize('NFD')).normalize('NFD');
}

/** Without capitals and spaces, so that capitals and digits of another script are found as well. */
function bare(shown: string, stroke: string): string {
  const letters = [...shown.toLowerCase().replaceAll(' ', '')].map((letter) =>
    STROKES.has(letter) ? stroke : (digitOf(letter) ?? MORE.get(letter) ?? letter),
  );
  return skeleton(letters.join('')).toLowerCase().replaceAll('vv', 'w');
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
