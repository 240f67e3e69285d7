/**
 * @module
 * Each numeral in the prose of each document of the catalogue is derived: it is a member of the document,
 * follows from a closed form, or is shown by runs. A numeral without a derivation fails here, as does a
 * document that states another number than its derivation gives. `DOCUMENTS=whole` (the slow suite) also makes the derivations
 * that take seconds.
 */

import { describe, expect, it } from 'vitest';
import type { ThreatModel } from '../../src/experiment/document/threat-model.ts';
import { IDS, modelOf } from './catalogue-judged.ts';
import type { Fact } from './prose/fact.ts';
import { proseOf } from './prose/fact.ts';
import { FACTS } from './prose/facts.ts';
import type { Numeral } from './prose/numerals.ts';
import { isShownAs, numeralsOf } from './prose/numerals.ts';
import { PARAMETERS } from './prose/parameters.ts';

const IS_WHOLE = process.env.DOCUMENTS === 'whole';

describe.each(IDS)('the prose of %s', (id) => {
  const model = modelOf(id);
  const prose = proseOf(model);
  const numerals = numeralsOf(prose);
  const phrases = [...PARAMETERS, ...(FACTS[id] ?? [])].flatMap((fact) => phrasesOf(prose, fact));

  it('has a derivation for each numeral', () => {
    const open = numerals.filter((each) => !phrases.some((phrase) => isWithin(each, phrase)));

    const shown = open.map(({ text, from, to }) => `${text}: ${prose.slice(from - 30, to + 30)}`);
    expect(shown).toEqual([]);
  });

  it('has each phrase of which a derivation is written here', () => {
    const missing = (FACTS[id] ?? []).filter((fact) => phrasesOf(prose, fact).length === 0);

    expect(missing.map(({ says }) => String(says))).toEqual([]);
  });

  it.each(phrases.filter(({ isLong }) => IS_WHOLE || !isLong))('$text', ({ from, to, is }) => {
    const stated = numerals.filter((each) => isWithin(each, { from, to }));
    const derived = is(model);

    const differing = stated.filter(
      (each, index) => !isShownAs(derived[index] ?? Number.NaN, each),
    );
    expect(differing, `derived: ${derived.join(', ')}`).toEqual([]);
    expect(derived).toHaveLength(stated.length);
  });
});

describe('the derivations', () => {
  it('are of documents of the catalogue', () => {
    expect(Object.keys(FACTS).filter((id) => !IDS.includes(id))).toEqual([]);
  });
});

describe('numerals', () => {
  it.each([
    ['8 000 000 keys/s', 8e6],
    ['about 4.8e11 keys', 4.8e11],
    ['2^-12', 2 ** -12],
    ['97.6 %', 0.976],
    ['8 million', 8e6],
    ['(level L3)', 3],
    ['a thousand', 1000],
    ['in half a second', 0.5],
    ['the fifth epoch', 5],
    ['one core', 1],
  ])('reads %s', (text, value) => {
    expect(numeralsOf(text).map((each) => each.value)).toEqual([value]);
  });

  it('reads none in names and pronouns', () => {
    expect(numeralsOf('SHA-256, bully-gm82, spoofed-coordinator-l2 and the one before')).toEqual(
      [],
    );
  });

  it.each([
    ['97.6 %', 0.9764, true],
    ['97.6 %', 0.9766, false],
    ['4.8e11', 4.84e11, true],
    ['4.8e11', 4.86e11, false],
    ['three', 3, true],
    ['three', 3.1, false],
    ['122', 122.4, true],
  ])('shows %s for %d: %s', (text, derived, isShown) => {
    const [numeral] = numeralsOf(text);

    expect(numeral !== undefined && isShownAs(derived, numeral)).toBe(isShown);
  });
});

interface Phrase extends Span {
  readonly text: string;
  readonly is: (model: ThreatModel) => readonly number[];
  readonly isLong: boolean;
}

type Span = Pick<Numeral, 'from' | 'to'>;

function phrasesOf(prose: string, { says, is, isLong = false }: Fact): readonly Phrase[] {
  const found = [...prose.matchAll(typeof says === 'string' ? literal(says) : says)];
  return found.map(({ 0: text, index }) => ({
    ...{ text, from: index, to: index + text.length },
    ...{ is, isLong },
  }));
}

function literal(text: string): RegExp {
  return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'g');
}

function isWithin(numeral: Span, phrase: Span): boolean {
  return numeral.from >= phrase.from && numeral.to <= phrase.to;
}
