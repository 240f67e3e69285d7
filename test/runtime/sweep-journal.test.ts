/**
 * @module
 * The journal under damage, and the lock under dead and living holders.
 */

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { packRecords } from '../../src/experiment/sweep/packing.ts';
import type { PackedReport, RunRecord } from '../../src/experiment/sweep/sweep.ts';
import { parseSeed } from '../../src/random.ts';
import { SweepJournal } from '../../src/runtime/sweep/journal.ts';
import { takeLock } from '../../src/runtime/sweep/lock.ts';

const SEED = parseSeed('5');
const KEEP = { force: false };
const HEADER = { identity: 'me', rateMeasured: null, seed: SEED, codeVersion: '1' };

function scratch(name: string): string {
  return join(mkdtempSync(join(tmpdir(), 'usurp-test-')), name);
}

function report(cell: number, from: number, count: number): PackedReport {
  const records = Array.from({ length: count }, (_, index): RunRecord => {
    const observations = { messages: 10 * cell + from + index };
    return { repetition: from + index, won: true, observations, failure: null };
  });
  return { chunk: { cell, from, count }, packed: packRecords(records), failed: 0, wallSeconds: 1 };
}

function messages(journal: SweepJournal, cell: number): (number | undefined)[] {
  return [...journal.records(cell)].map((record) => record.observations.messages);
}

/** A journal of three chunks. */
function filled(): { path: string; whole: string } {
  const path = scratch('f.journal');
  const journal = SweepJournal.create(path, HEADER);
  for (const chunk of [report(0, 4, 2), report(0, 0, 4), report(1, 0, 3)]) {
    journal.append(chunk, false);
  }
  journal.close();
  return { path, whole: readFileSync(path, 'utf8') };
}

describe('SweepJournal', () => {
  it('gives records back in the order of their repetitions', () => {
    const journal = SweepJournal.open(filled().path);

    expect(messages(journal, 0)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(messages(journal, 1)).toEqual([10, 11, 12]);
    expect(journal.coverage.rows).toBe(9);
    expect(journal.header).toEqual(HEADER);

    journal.close();
  });

  it('takes no row twice', () => {
    const journal = SweepJournal.open(filled().path);

    expect(journal.append(report(0, 3, 1), false)).toBe(false);
    expect(journal.append(report(0, 5, 2), false)).toBe(false);
    expect(journal.append(report(0, 6, 2), false)).toBe(true);
    expect(journal.coverage.rows).toBe(11);

    journal.close();
  });

  it('goes on after a cut at any byte', () => {
    const { path, whole } = filled();
    const header = whole.indexOf('\n') + 1;

    for (let cut = header; cut < whole.length; cut += 7) {
      writeFileSync(path, whole.slice(0, cut));
      const journal = SweepJournal.open(path);
      const lines = whole.slice(header, cut).split('\n').length - 1;

      expect(journal.coverage.rows, `cut at ${cut}`).toBe([0, 2, 6, 9][lines]);
      for (const chunk of [report(0, 4, 2), report(0, 0, 4), report(1, 0, 3)]) {
        journal.append(chunk, false);
      }
      expect(messages(journal, 0)).toEqual([0, 1, 2, 3, 4, 5]);
      journal.close();
      expect(statSync(path).size).toBe(whole.length);
    }
  });

  it('passes over a line that was changed', () => {
    const { path, whole } = filled();
    writeFileSync(path, whole.replace('"w":1', '"w":2').replace('chunk 0 0 4', 'chunk 0 0 5'));

    const journal = SweepJournal.open(path);

    expect(messages(journal, 0)).toEqual([4, 5]);
    expect(journal.coverage.gaps(0, 6)).toEqual([{ cell: 0, from: 0, count: 4 }]);
    journal.close();
  });

  it('is not made of a file that has no header', () => {
    const { path } = filled();
    truncateSync(path, 10);

    expect(() => SweepJournal.open(path)).toThrow('is no journal of a sweep');
  });

  it('puts rows that were computed again in the place of the failed ones', () => {
    const path = scratch('f.journal');
    const journal = SweepJournal.create(path, HEADER);
    const failure = { repetition: 1, won: null, observations: {}, failure: 'so' } as const;
    const first = { repetition: 0, won: true, observations: { messages: 0 }, failure: null };
    const packed = packRecords([first, failure]);
    journal.append({ ...report(0, 0, 2), packed, failed: 1 }, false);
    expect(journal.failures()).toEqual([{ cell: 0, from: 1, count: 1 }]);

    journal.append(report(0, 1, 1), true);
    journal.close();

    const again = SweepJournal.open(path);
    expect(messages(again, 0)).toEqual([0, 1]);
    expect([again.failed, again.failures(), again.coverage.rows]).toEqual([0, [], 2]);
    again.close();
  });
});

describe('takeLock', () => {
  it('refuses a second holder until the first gives it back', () => {
    const path = scratch('f.lock');
    const release = takeLock(path, KEEP);

    expect(() => takeLock(path, KEEP)).toThrow(`process ${process.pid} is sweeping`);

    release();
    takeLock(path, KEEP)();
  });

  it.each([
    ['a process that is dead', () => lockOf(deadPid(), null)],
    ['a process whose number was given again', () => lockOf(process.pid, '1')],
    ['nobody', () => ''],
  ])('takes over the lock of %s', (_name, text) => {
    const path = scratch('f.lock');
    writeFileSync(path, text());

    const release = takeLock(path, KEEP);

    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    release();
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it.each([
    ['other text', '[[package]]\n'],
    ['a number of a process that none has', () => lockOf(0, null)],
    ['more than a lock holds', 'x'.repeat(5000)],
  ])('leaves what is no lock, unless forced: %s', (_name, content) => {
    const path = scratch('f.lock');
    const text = typeof content === 'string' ? content : content();
    writeFileSync(path, text);

    expect(() => takeLock(path, KEEP)).toThrow('is no lock of a sweep');
    expect(readFileSync(path, 'utf8')).toBe(text);

    takeLock(path, { force: true })();
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('never replaces a folder', () => {
    const path = scratch('f.lock');
    mkdirSync(path);

    for (const force of [false, true]) {
      expect(() => takeLock(path, { force })).toThrow('is no lock of a sweep');
    }
  });

  it('gives back no lock but its own', () => {
    const path = scratch('f.lock');
    const release = takeLock(path, KEEP);
    rmSync(path);
    const releaseOther = takeLock(path, KEEP);

    release();

    expect(existsSync(path)).toBe(true);
    releaseOther();
    expect(existsSync(path)).toBe(false);
  });

  it('is refused where it cannot be written', () => {
    expect(() => takeLock('/nowhere/f.lock', KEEP)).toThrow(
      expect.objectContaining({ code: 'file.unwritable' }),
    );
  });
});

function lockOf(pid: number, started: string | null): string {
  return JSON.stringify({ format: 'usurp-sweep-lock/1', pid, started });
}

function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}
