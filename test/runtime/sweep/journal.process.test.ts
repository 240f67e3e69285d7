/**
 * @module
 * The journal of a sweep under damage, under kill -9, and with two processes.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { packRecords, unpackRecords } from '../../../src/experiment/sweep/packing.ts';
import type { PackedReport, RunRecord } from '../../../src/experiment/sweep/sweep.ts';
import { parseSeed } from '../../../src/random.ts';
import { SweepJournal } from '../../../src/runtime/sweep/journal.ts';

const HEADER = { identity: 'me', rateMeasured: null, seed: parseSeed('5'), codeVersion: '1' };

function scratch(name = 'f.journal'): string {
  return join(mkdtempSync(join(tmpdir(), 'usurp-test-')), name);
}

function report(cell: number, from: number, count: number): PackedReport {
  const records = Array.from({ length: count }, (_, index): RunRecord => {
    const observations = { messages: 10 * cell + from + index };
    return { repetition: from + index, outcomes: [{ won: true, observations }], failure: null };
  });
  return { chunk: { cell, from, count }, packed: packRecords(records), failed: 0, wallSeconds: 1 };
}

const REPORTS = [report(0, 4, 2), report(0, 0, 4), report(1, 0, 3)];

function messages(journal: SweepJournal, cell: number): (number | undefined)[] {
  return [...journal.windows(cell)]
    .flatMap(({ parts, from, to }) =>
      parts
        .flatMap(({ chunk, packed }) => [...unpackRecords(packed, chunk)])
        .filter(({ repetition }) => repetition >= from && repetition < to),
    )
    .map((record) => record.outcomes?.[0]?.observations.messages);
}

function opened(path: string, force = false): SweepJournal {
  const journal = SweepJournal.open(path, { force });
  journal.load();
  return journal;
}

/** An open journal of three chunks. */
function begun(path = scratch()): SweepJournal {
  const journal = SweepJournal.open(path, { force: false });
  journal.begin(HEADER);
  for (const chunk of REPORTS) journal.append(chunk);
  return journal;
}

/** The file of a closed journal of three chunks. */
function filled(): string {
  const journal = begun();
  journal.close();
  return journal.path;
}

describe('a journal', () => {
  it('returns records in the order of their repetitions', () => {
    const journal = opened(filled());

    expect(messages(journal, 0)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(messages(journal, 1)).toEqual([10, 11, 12]);
    expect(journal.coverage.rows).toBe(9);
    expect(journal.header).toEqual(HEADER);

    journal.close();
  });

  it('takes no row twice', () => {
    const journal = opened(filled());

    expect(journal.append(report(0, 3, 1))).toBe(false);
    expect(journal.append(report(0, 5, 2))).toBe(false);
    expect(journal.append(report(0, 6, 2))).toBe(true);
    expect(journal.coverage.rows).toBe(11);

    journal.close();
  });

  it('is one file when it is closed, and none without rows', () => {
    const path = filled();
    const empty = scratch();

    SweepJournal.open(empty, { force: false }).close();

    expect(readdirSync(dirname(path))).toEqual(['f.journal']);
    expect(readdirSync(dirname(empty))).toEqual([]);
  });

  it('keeps the chunks before a cut at any byte of its write-ahead log', () => {
    const journal = begun();
    const copy = scratch();
    const size = statSync(`${journal.path}-wal`).size;
    const found = new Set<number>();

    for (let cut = size; cut >= 0; cut -= 1009) {
      copyFileSync(journal.path, copy);
      copyFileSync(`${journal.path}-wal`, `${copy}-wal`);
      truncateSync(`${copy}-wal`, cut);
      const cutOff = opened(copy);
      found.add(cutOff.coverage.rows);
      if (cutOff.header === null) cutOff.begin(HEADER);
      for (const chunk of REPORTS) cutOff.append(chunk);

      expect(messages(cutOff, 0), `cut at ${cut}`).toEqual([0, 1, 2, 3, 4, 5]);
      cutOff.close();
    }

    expect([...found]).toEqual([9, 6, 2, 0]);
    journal.close();
  });

  it('removes a chunk that was changed', () => {
    const path = filled();
    const database = new DatabaseSync(path);
    database.exec(
      `UPDATE chunks SET packed = replace(packed, 'w', 'l') WHERE cell = 0 AND first = 0`,
    );
    database.close();

    const journal = opened(path);

    expect(messages(journal, 0)).toEqual([4, 5]);
    expect(journal.coverage.gaps(0, 6)).toEqual([{ cell: 0, from: 0, count: 4 }]);
    expect(journal.append(report(0, 0, 4))).toBe(true);
    journal.close();
  });

  it('that is damaged is refused, and replaced by force', () => {
    const path = filled();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 100));

    expect(() => opened(path)).toThrow(expect.objectContaining({ code: 'file.unreadable' }));
    expect(readFileSync(path).equals(bytes)).toBe(true);

    const replaced = opened(path, true);
    expect(replaced.header).toBeNull();
    replaced.close();
  });

  it('continues after a checkpoint that a full disk broke off, from the log', () => {
    const path = scratch();
    const whole = begun(path);
    whole.append(report(0, 0, 4));
    const copy = scratch();
    const main = readFileSync(path);
    writeFileSync(copy, main.fill(0xff, 100));
    writeFileSync(`${copy}-wal`, readFileSync(`${path}-wal`));
    whole.close();

    const journal = opened(copy);

    expect(messages(journal, 0)).toEqual([0, 1, 2, 3, 4, 5]);
    journal.close();
  });

  it('removes failed rows, so that they are computed again', () => {
    const journal = SweepJournal.open(scratch(), { force: false });
    journal.begin(HEADER);
    const failure = { outcomes: null, failure: 'so' } as const;
    const records = Array.from({ length: 6 }, (_, repetition): RunRecord => {
      const outcomes = [{ won: true, observations: { messages: repetition } }];
      const record = { repetition, outcomes };
      return repetition % 3 === 1 ? { ...failure, repetition } : { ...record, failure: null };
    });
    journal.append({ ...report(0, 0, 6), packed: packRecords(records), failed: 2 });
    journal.append(report(1, 0, 2));
    expect(journal.failed).toBe(2);

    journal.removeFailed();

    expect([journal.failed, journal.coverage.rows]).toEqual([0, 6]);
    expect(journal.coverage.gaps(0, 6).map(({ from }) => from)).toEqual([1, 4]);
    for (const from of [1, 4]) journal.append(report(0, from, 1));
    expect(messages(journal, 0)).toEqual([0, 1, 2, 3, 4, 5]);
    journal.close();
  });

  it('knows the files that it owns, also after it was closed', () => {
    const path = scratch();
    const journal = begun(path);
    journal.own([{ name: 'f.csv', sha256: '01' }]);
    journal.close();

    const again = opened(path);

    expect(again.owns({ name: 'f.csv', sha256: '01' })).toBe(true);
    expect(again.owns({ name: 'f.csv', sha256: '02' })).toBe(false);
    again.close();
  });
});

describe('a file that is no journal', () => {
  it.each([
    ['text', (path: string) => writeFileSync(path, 'precious\n')],
    ['another database', (path: string) => otherDatabase(path)],
  ])('is left unchanged, unless forced: %s', (_name, make) => {
    const path = scratch();
    make(path);
    const before = readFileSync(path);

    expect(() => opened(path)).toThrow('is no journal of a sweep');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(dirname(path))).toEqual(['f.journal']);

    const journal = opened(path, true);
    journal.begin(HEADER);
    journal.append(report(0, 0, 1));
    journal.close();
    expect(opened(path).coverage.rows).toBe(1);
  });

  it('is a folder, which is never replaced', () => {
    const path = scratch();
    mkdirSync(path);

    for (const force of [false, true]) {
      expect(() => opened(path, force)).toThrow('is no journal of a sweep');
    }
  });

  it('cannot be created in a folder that does not exist', () => {
    expect(() => opened('/nowhere/f.journal')).toThrow(
      expect.objectContaining({ code: 'file.unwritable' }),
    );
  });
});

describe('two processes', () => {
  it('cannot open one journal, until the first is closed', () => {
    const journal = begun();

    for (const force of [false, true]) {
      expect(() => opened(journal.path, force)).toThrow('another process is sweeping');
    }

    journal.close();
    opened(journal.path).close();
  });

  it('one of which is killed lose no committed chunk', async () => {
    const path = scratch();
    const holder = spawn(process.execPath, [fileOf('journal-holder.ts'), path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    expect(() => opened(path)).toThrow('another process is sweeping');

    holder.kill('SIGKILL');
    await once(holder, 'exit');

    const journal = opened(path);
    expect(journal.coverage.rows).toBe(3);
    journal.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});

function otherDatabase(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)');
  database.close();
}

function fileOf(name: string): string {
  return join(import.meta.dirname, name);
}
