/**
 * @module
 * A node that begins while another process has locked the file of SQLite, as a node that is paused inside its transaction
 * does: it waits, instead of ending without a store.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import type { Rank } from '../../../src/election/machine.ts';
import { openStore } from '../../../src/live/stores/open-store.ts';

const LOCKED_MS = 3_000;

/** Locks the file, and says so. */
const LOCKING = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1]);
database.exec('BEGIN IMMEDIATE');
console.log('locked');
setTimeout(() => database.exec('COMMIT'), ${LOCKED_MS});`;

it('a node waits for the lock of another process when it begins', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-locked-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'store.sqlite');
  const open = () =>
    openStore(`sqlite:${path}`, {
      // A rank of a live node is hex.
      ...{ own: '1a' as string as Rank, election: 'test', protocol: 'kubernetes-lease' },
      ...{ timing: { latencyTicksMax: 10 }, resource: null, onNotice: () => undefined },
    });
  await (await open()).close();
  const other = spawn(process.execPath, ['-e', LOCKING, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');

  const store = await open();
  onTestFinished(() => store.close());

  expect(await store.call({ type: 'READ' })).toMatchObject({ value: { type: 'ROW' } });
});
