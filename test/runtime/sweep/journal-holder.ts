/**
 * @module
 * A process that opens the journal at the path of its argument, commits a chunk, and waits to be killed.
 */

import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { packRecords } from '../../../src/experiment/sweep/packing.ts';
import { parseSeed } from '../../../src/random.ts';
import { SweepJournal } from '../../../src/runtime/sweep/journal.ts';

const [, , path = ''] = process.argv;
const journal = SweepJournal.open(path, { force: false });
journal.begin({ identity: 'me', rateMeasured: null, seed: parseSeed('5'), codeVersion: '1' });
const records = [0, 1, 2].map((repetition) => {
  return { repetition, outcomes: [{ won: true, observations: {} }], failure: null };
});
journal.append({
  chunk: { cell: 0, from: 0, count: 3 },
  packed: packRecords(records),
  failed: 0,
});
process.stdout.write('ready\n');
await setTimeout(60_000);
