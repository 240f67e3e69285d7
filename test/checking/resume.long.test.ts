/**
 * @module
 * Searches that are interrupted, saved to a file and resumed: they end as an unbroken search does. Files of another
 * check, of another version and damaged ones are refused.
 */

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import type { CheckRequest } from '../../src/checking/check-request.ts';
import { searchOptionsOf } from '../../src/checking/check-request.ts';
import { CHECKED_PROPERTIES } from '../../src/checking/properties/registry.ts';
import { Search } from '../../src/checking/search.ts';
import { codeVersion } from '../../src/runtime/files/code-version.ts';
import { openSearch, saveSearch } from '../../src/runtime/files/search-file.ts';
import { sampled } from '../sample.ts';
import { drawRequest } from './drawn.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'usurp-resume-'));
const FILE = join(FOLDER, 'check.usurp');
afterAll(() => rmSync(FOLDER, { recursive: true }));

const DIGEST_BYTES = 32;
const LENGTH_BYTES = 16;
const STATES_MAX = 4000;
const SOMETIMES = CHECKED_PROPERTIES.filter(({ kind }) => kind === 'sometimes').map(
  ({ name }) => name,
);

function searchOf(request: CheckRequest, statesMax: number, path?: string): Search {
  const limits = { statesMax, bytesMax: 2 ** 30 };
  const opened = path === undefined ? null : openSearch(path, request);
  const search = new Search({ ...searchOptionsOf(request, limits), resumed: opened?.resumed });
  opened?.close();
  return search;
}

function ended(search: Search) {
  while (search.run(500) === null);
  const { bytes: _, ...counts } = search.counts;
  const { witnessed, outcome } = search;
  const path = search.store.pathTo(counts.states - 1);
  return { counts, witnessed: witnessed.toSorted(), outcome, path };
}

describe('a resumed search', () => {
  it.each(sampled([...Array(56).keys()], 4))('ends as an unbroken one (%i)', (index) => {
    const order = index % 3 === 0 ? 'depth' : 'breadth';
    const request: CheckRequest = { ...drawRequest(index), properties: SOMETIMES, order };
    const unbroken = ended(searchOf(request, STATES_MAX));
    // It stops twice: when a slice ends, and when it reaches a limit.
    const first = searchOf(request, STATES_MAX);
    first.run(1 + 7 * index);
    saveSearch(FILE, request, first);
    const second = searchOf(request, Math.ceil(unbroken.counts.states / 2), FILE);
    while (second.run(100) === null);
    saveSearch(FILE, request, second);

    expect(ended(searchOf(request, STATES_MAX, FILE)), JSON.stringify(request)).toEqual(unbroken);
  });
});

describe('the file of a search', () => {
  const request = drawRequest(9);
  const write = () => {
    const search = searchOf(request, STATES_MAX);
    search.run(100);
    saveSearch(FILE, request, search);
  };

  it('is refused for another check, and the refusal names the difference', () => {
    write();

    const other = { ...request, ring: [...request.ring, 9] };

    expect(() => openSearch(FILE, other)).toThrow(
      /is of another check: its "ring" is \[.*, and here it is \[.*,9\]; give the flags of .*, such as --(nodes \d|ring )/,
    );
  });

  it('is refused if a byte was changed or is missing', () => {
    write();
    const bytes = readFileSync(FILE);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(FILE, bytes);

    expect(() => openSearch(FILE, request)).toThrow(/is damaged/);
    truncateSync(FILE, bytes.length - 1);
    expect(() => openSearch(FILE, request)).toThrow(/is damaged/);
    writeFileSync(FILE, '');
    expect(() => openSearch(FILE, request)).toThrow(/is damaged/);
  });

  /** With a digest that fits. */
  const writeChanged = (text: string, other: string) => {
    write();
    const bytes = readFileSync(FILE).subarray(0, -DIGEST_BYTES);
    const length = Number(bytes.toString('latin1', 0, LENGTH_BYTES)) + other.length - text.length;
    // One character for each byte.
    const rest = bytes.toString('latin1', LENGTH_BYTES).replace(text, other);
    const line = `${String(length).padStart(LENGTH_BYTES - 1)}\n`;
    const changed = Buffer.from(line + rest, 'latin1');
    const digest = createHash('sha256').update(changed).digest();
    writeFileSync(FILE, Buffer.concat([changed, digest]));
  };

  it.each([
    ['more worlds than it has bytes', '"size":', '"size":1099511627776'],
    ['a longer store than it has bytes', '"end":', '"end":35184372088832'],
    ['a negative number', '"next":', '"next":-1'],
    ['a word for a number', '"depth":', '"depth":"x'],
  ])('is refused if its header counts %s', (_, text, other) => {
    writeChanged(text, other);

    expect(() => openSearch(FILE, request)).toThrow(/is damaged/);
  });

  it('is refused if another version of the code wrote it, and the refusal names both', () => {
    const version = codeVersion();
    const other = version.replaceAll(/[0-9a-f]/g, '0');
    writeChanged(version, other);

    expect(() => openSearch(FILE, request)).toThrow(
      `was written by version ${other} of the code, and this is ${version}; its check must begin again`,
    );
  });

  it('is refused if there is none', () => {
    expect(() => openSearch(join(FOLDER, 'none'), request)).toThrow(/there is no file/);
  });
});
