/**
 * @module
 * A worker of a fleet as a process of its own, for tests that kill it: takes the Redis and the version
 * of the code as arguments, so that a test decides which workers belong together.
 */

import process from 'node:process';
import { startFleetWorker } from '../../../src/runtime/fleet/worker.ts';

const [redis = '', codeVersion = '', threads = '1'] = process.argv.slice(2);
const options = { redis, codeVersion, queue: 'default', threads: Number(threads) };
const worker = await startFleetWorker(options, (line) => process.stderr.write(`${line}\n`));
process.once('SIGTERM', () => void worker.close());
process.stdout.write('ready\n');
