/**
 * @module
 * Objects of a stream of JSON, one at a time, so that memory does not depend on the number of objects. The stream has
 * one JSON value or several (JSON lines). An element is an object in one of these positions: the value itself, an
 * item of an array, or a member of an envelope, which is an object with one of the envelope's names. Each name in an
 * envelope is checked, so that a mistyped name hides no element.
 */

import { LabError } from '../../errors.ts';
import type { JsonFault, Location, Scan } from '../../experiment/reading/json-scan.ts';
import {
  locationAfter,
  newScan,
  step,
  syntaxFault,
  TOKEN,
} from '../../experiment/reading/json-scan.ts';

/** Characters of an element, and of one token. */
export const ELEMENT_CHARACTERS_MAX = 65_536;

export interface JsonElement {
  /** Plain data. Null also for a member of an envelope that is null. */
  readonly value: unknown;
  /** The member of an envelope that is the element or contains it. Null without an envelope. */
  readonly member: string | null;
}

/** Why an envelope must not have a member of this name beside the elements. Null if it may. */
type MemberRefusal = (name: string) => string | null;

/**
 * The elements of a text that comes in chunks. Throws LabError `json.*` or `schema` with the location of a fault, also
 * for an empty array beside an element of the same envelope.
 */
export async function* jsonElements(
  chunks: AsyncIterable<string>,
  envelopeNames: readonly string[],
  memberRefusal: MemberRefusal = () => null,
): AsyncGenerator<JsonElement> {
  const reader = new ElementReader(envelopeNames, memberRefusal);
  for await (const chunk of chunks) yield* reader.push(chunk);
  yield* reader.end();
}

/** An object that is being read. */
type Envelope = Scan['frames'][number];

/** The element that is being read: the depth of its frame, and its text so far. */
interface Capture {
  readonly depth: number;
  readonly member: string | null;
  text: string;
}

/** A class, since it remembers the state between two chunks. */
class ElementReader {
  readonly #envelopeNames: ReadonlySet<string>;
  readonly #memberRefusal: MemberRefusal;
  /** Envelopes that have an element so far. */
  readonly #filled = new WeakSet<Envelope>();
  /** The names of empty arrays in envelopes. */
  readonly #empty = new WeakMap<Envelope, string>();
  #scan: Scan;
  #capture: Capture | null = null;
  #rest = '';

  constructor(envelopeNames: readonly string[], memberRefusal: MemberRefusal) {
    this.#envelopeNames = new Set(envelopeNames);
    this.#memberRefusal = memberRefusal;
    this.#scan = newScan('');
  }

  push(chunk: string): Generator<JsonElement> {
    return this.#read(this.#rest + chunk, false);
  }

  *end(): Generator<JsonElement> {
    yield* this.#read(this.#rest, true);
    const { expected, frames } = this.#scan;
    if (expected === 'nothing' || (expected === 'value' && frames.length === 0)) return;
    throw refusalOf(syntaxFault(this.#scan, this.#scan.text.length));
  }

  *#read(text: string, isEnd: boolean): Generator<JsonElement> {
    this.#scan = { ...this.#scan, text, origin: this.#originOfRest() };
    let end = 0;
    for (const match of text.matchAll(TOKEN)) {
      const next = match.index + match[0].length;
      // The next chunk can continue a token: a number up to 1. or 1e as well.
      const isCut = next === text.length || /^[.eE]/.test(text.slice(next, next + 1));
      if (isCut && !isEnd) break;
      end = next;
      yield* this.#take(match[1] ?? '', next);
    }
    this.#rest = text.slice(end);
    const isStuck = isEnd || this.#rest.length > ELEMENT_CHARACTERS_MAX;
    if (!isStuck) return;
    const blank = this.#rest.length - this.#rest.trimStart().length;
    if (blank < this.#rest.length) throw refusalOf(syntaxFault(this.#scan, end + blank));
    this.#scan = { ...this.#scan, text: '', origin: locationAfter(this.#scan.origin, text) };
    this.#rest = '';
  }

  #originOfRest(): Location {
    const { text, origin } = this.#scan;
    return locationAfter(origin, text.slice(0, text.length - this.#rest.length));
  }

  *#take(token: string, end: number): Generator<JsonElement> {
    const scan = this.#scan;
    // After a complete value the next one begins.
    if (scan.expected === 'nothing') scan.expected = 'value';
    const isName = scan.expected.startsWith('name') && token.startsWith('"');
    const isElement = scan.expected.startsWith('value') && this.#isElementNext();
    const member = isElement ? this.#member() : null;
    if (isElement && token === '{') {
      this.#capture = { depth: scan.frames.length + 1, member, text: '' };
    }
    const isAllowed = step(scan, token, end - token.length);
    if (!isAllowed) throw refusalOf(syntaxFault(scan, end - token.length));
    if (scan.fault !== null) throw refusalOf(scan.fault);
    if (isName) this.#checkNames();
    if (isElement && token === ']') this.#noteEmpty();
    if (isElement && !/^[{[\]]/.test(token)) {
      if (token !== 'null') this.#noteElement();
      yield { value: JSON.parse(token), member };
    }
    yield* this.#keep(token, isName);
  }

  /** Checks all names so far of the object that is being read, if it is an envelope. */
  #checkNames(): void {
    const [current, ...outer] = this.#objects().toReversed();
    const isInside = outer.every(({ at }) => this.#envelopeNames.has(String(at)));
    const names = [...(current?.names ?? [])];
    if (!isInside || !names.some((name) => this.#envelopeNames.has(name))) return;
    for (const name of names) {
      const refusal = this.#envelopeNames.has(name) ? null : this.#memberRefusal(name);
      if (refusal !== null) throw new LabError('schema', refusal);
    }
  }

  #noteElement(): void {
    for (const envelope of this.#objects()) {
      this.#filled.add(envelope);
      this.#refuseEmpty(envelope);
    }
  }

  #noteEmpty(): void {
    const envelope = this.#objects().at(-1);
    if (envelope === undefined) return;
    this.#empty.set(envelope, String(envelope.at));
    this.#refuseEmpty(envelope);
  }

  #refuseEmpty(envelope: Envelope): void {
    const name = this.#empty.get(envelope);
    if (name === undefined || !this.#filled.has(envelope)) return;
    throw new LabError('schema', `${name} is empty beside another member; leave ${name} out`);
  }

  /** Adds a token to the element that is being read. */
  *#keep(token: string, isName: boolean): Generator<JsonElement> {
    const capture = this.#capture;
    if (capture === null) return;
    const depth = this.#scan.frames.length;
    capture.text += token;
    if (isName && capture.depth === depth && this.#envelopeNames.has(JSON.parse(token))) {
      // It is an envelope, whose members are the elements.
      this.#capture = null;
    } else if (capture.depth > depth) {
      this.#capture = null;
      this.#noteElement();
      yield { value: JSON.parse(capture.text), member: capture.member };
    } else if (capture.text.length > ELEMENT_CHARACTERS_MAX) {
      throw new LabError('schema', `an object has more than ${ELEMENT_CHARACTERS_MAX} characters`);
    }
  }

  /** Whether a value that begins now is an element or an array of elements. */
  #isElementNext(): boolean {
    if (this.#capture !== null) return false;
    return this.#memberNames().every((name) => this.#envelopeNames.has(name));
  }

  #member(): string | null {
    return this.#memberNames().at(-1) ?? null;
  }

  /** The names of the members that are being read, outermost first. */
  #memberNames(): readonly string[] {
    return this.#objects().map(({ at }) => String(at));
  }

  /** The objects that are being read, outermost first. Without a capture all are envelopes up to a skipped member. */
  #objects(): readonly Envelope[] {
    return this.#scan.frames.filter(({ names }) => names !== null);
  }
}

function refusalOf({ code, detail }: JsonFault): LabError {
  return new LabError(code, detail);
}
