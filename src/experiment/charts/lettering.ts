/**
 * @module
 * Text in pictures: its estimated width, its line breaks, and its safe form. Titles and paths come
 * from documents, so control characters and direction marks are shown as escapes. Widths are upper
 * estimates, because the reader's fonts are not known.
 */

import type { Attributes } from '../../simulation/report/space-time/svg-elements.ts';
import { element, escapeXml } from '../../simulation/report/space-time/svg-elements.ts';

export interface Font {
  readonly size: number;
  readonly family: 'sans-serif' | 'monospace';
  readonly isBold?: boolean;
}

export const PLAIN: Font = { size: 12, family: 'sans-serif' };
export const SMALL: Font = { size: 11, family: 'sans-serif' };
export const CODE: Font = { size: 11, family: 'monospace' };

/** Characters of most scripts from this code point on are as wide as they are high. */
const WIDE_FROM = 0x1100;
const ELLIPSIS = '…';

/** An upper estimate of a text's width in pixels, measured on DejaVu, which is wider than most. */
export function textWidth(text: string, { size, family, isBold = false }: Font): number {
  const widthOf = family === 'monospace' ? monospaceEms : sansSerifEms;
  let ems = 0;
  for (const character of text) {
    const isWide = (character.codePointAt(0) ?? 0) >= WIDE_FROM && !/\p{P}|\p{S}/u.test(character);
    ems += isWide ? 1.05 : widthOf(character);
  }
  return ems * size * (isBold ? 1.12 : 1);
}

function monospaceEms(): number {
  return 0.61;
}

function sansSerifEms(character: string): number {
  if (/[mwMW%@—…]/.test(character)) return 1;
  if (/[A-Z=<>+]/.test(character)) return 0.84;
  return /[ ijlfrtI.,:;'|()[\]!]/.test(character) ? 0.42 : 0.65;
}

/** The text on one line. Characters that would control a reader's program are shown as escapes. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\t\r\n]+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
}

/** The text cut to a width. An ellipsis shows that something is missing. */
export function cut(text: string, width: number, font: Font): string {
  const shown = visible(text);
  if (textWidth(shown, font) <= width) return shown;
  const characters = Array.from(shown);
  while (characters.length > 0 && textWidth(characters.join('') + ELLIPSIS, font) > width) {
    characters.pop();
  }
  return characters.join('') + ELLIPSIS;
}

/** Lines of at most `width` pixels, broken at spaces, and inside words that are wider than a line. */
export function wrapped(text: string, width: number, font: Font): string[] {
  const lines: string[] = [];
  let line = '';
  const words = visible(text).split(' ');
  for (const word of words.flatMap((each) => pieces(each, width, font))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (textWidth(longer, font) <= width) {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** At most `linesMax` lines. If the text is longer, the last line says so. */
export function paragraphLines(
  text: string,
  { width, linesMax }: { readonly width: number; readonly linesMax: number },
  font: Font,
): string[] {
  // A line never contains as many characters as it has pixels, so the rest is not shown anyway.
  const lines = wrapped(text.slice(0, width * linesMax), width, font);
  if (lines.length <= linesMax) return lines;
  return [...lines.slice(0, linesMax - 1), `${ELLIPSIS} too long for a picture`];
}

/** A text element. The baseline is at `y`; the text is made visible and escaped here. */
export function text(
  content: string,
  { x, y, ...attributes }: Attributes & { readonly x: number; readonly y: number },
  font: Font = PLAIN,
): string {
  const family = font.family === 'sans-serif' ? {} : { 'font-family': font.family };
  const weight = font.isBold === true ? { 'font-weight': 'bold' } : {};
  const all = { x: px(x), y: px(y), 'font-size': font.size, ...family, ...weight, ...attributes };
  return element('text', all, escapeXml(visible(content)));
}

/** A coordinate rounded to a hundredth, so that no file contains the last digits of a double. */
export function px(value: number): number {
  // Adding 0 changes −0 to 0.
  return Math.round(value * 100) / 100 + 0;
}

function pieces(word: string, width: number, font: Font): string[] {
  const found: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && textWidth(piece + character, font) > width) {
      found.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...found, piece];
}
