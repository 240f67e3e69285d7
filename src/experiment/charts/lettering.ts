/**
 * @module
 * Words in pictures: how wide they will be at most, where their lines break, and what of them may be
 * shown. Titles and paths come from documents, so that characters which would turn or hide the rest
 * of a line are spelt out. Widths are estimates from above, as the reader's fonts are not known.
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

/** From here on scripts are mostly as wide as high. */
const WIDE_FROM = 0x1100;
const ELLIPSIS = '…';

/** An upper estimate of the width in pixels; measured on DejaVu, which is wider than most. */
export function textWidth(text: string, { size, family, isBold = false }: Font): number {
  let ems = 0;
  for (const character of text) {
    const isWide = (character.codePointAt(0) ?? 0) >= WIDE_FROM && !/\p{P}|\p{S}/u.test(character);
    if (isWide) ems += 1.05;
    else if (family === 'monospace') ems += 0.61;
    else ems += /[mwMW%@—…]/.test(character) ? 1 : /[A-Z]/.test(character) ? 0.72 : 0.6;
  }
  return ems * size * (isBold ? 1.12 : 1);
}

/** The text on one line with nothing in it that steers the reader's eye or program. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\t\r\n]+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
}

/** The text cut to a width, with an ellipsis where something is missing. */
export function cut(text: string, width: number, font: Font): string {
  const shown = visible(text);
  if (textWidth(shown, font) <= width) return shown;
  const characters = Array.from(shown);
  while (characters.length > 0 && textWidth(characters.join('') + ELLIPSIS, font) > width) {
    characters.pop();
  }
  return characters.join('') + ELLIPSIS;
}

/** Lines no wider than `width`, broken at spaces, and within words that are wider by themselves. */
export function wrapped(text: string, width: number, font: Font): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of visible(text)
    .split(' ')
    .flatMap((each) => pieces(each, width, font))) {
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

/** As `wrapped`, but of at most `linesMax` lines; what is left out is said. */
export function paragraphLines(
  text: string,
  { width, linesMax }: { readonly width: number; readonly linesMax: number },
  font: Font,
): string[] {
  // No line holds as many characters as it has pixels, so that what is cut here is not shown anyway.
  const lines = wrapped(text.slice(0, width * linesMax), width, font);
  if (lines.length <= linesMax) return lines;
  return [...lines.slice(0, linesMax - 1), `${ELLIPSIS} too long for a picture`];
}

/** Text at a place: its baseline at y. The words are spelt and escaped here. */
export function text(
  words: string,
  { x, y, ...attributes }: Attributes & { readonly x: number; readonly y: number },
  font: Font = PLAIN,
): string {
  const family = font.family === 'sans-serif' ? {} : { 'font-family': font.family };
  const weight = font.isBold === true ? { 'font-weight': 'bold' } : {};
  const all = { x: px(x), y: px(y), 'font-size': font.size, ...family, ...weight, ...attributes };
  return element('text', all, escapeXml(visible(words)));
}

/** A coordinate to a hundredth, so that the last digits of a double are in no file. */
export function px(value: number): number {
  // Adding 0 turns −0, which would be written otherwise, into 0.
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
