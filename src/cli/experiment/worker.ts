/**
 * @module
 * `usurp worker`: lend this machine's cores to sweeps that others start with `--engine bullmq`, until
 * interrupted.
 */

import { once } from 'node:events';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { codeVersion } from '../../runtime/files/code-version.ts';
import { REDIS_DEFAULT } from '../../runtime/fleet/redis.ts';
import { QUEUE_DEFAULT, QUEUE_NAME } from '../../runtime/fleet/wire.ts';
import type { WorkerCounts } from '../../runtime/fleet/worker.ts';
import { startFleetWorker } from '../../runtime/fleet/worker.ts';
import { THREADS_MAX } from '../../runtime/threads/range-pool.ts';
import { integer, THREADS_DEFAULT } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface WorkerOptions extends OutputOptions {
  readonly redis: string;
  readonly workers: number;
  readonly queue: string;
}

export function workerCommand(session: Session): Command {
  return verb('worker', 'work for the sweeps of others through a Redis')
    .option('--redis <url>', 'the Redis that the sweeps use', REDIS_DEFAULT)
    .option(
      '--workers <count>',
      'worker threads, each with a chunk of its own',
      integer(1, THREADS_MAX),
      THREADS_DEFAULT,
    )
    .option('--queue <name>', 'only sweeps that name it too', queueName, QUEUE_DEFAULT)
    .addHelpText('after', WORKER_EXAMPLES)
    .action((options: WorkerOptions) =>
      session.run(options, (terminal) => runWorker(options, terminal)),
    );
}

const WORKER_EXAMPLES = `
Start one on every machine, from the same sources that the sweep has. Ctrl-C finishes the
chunks under way, or gives them back; whatever happens to a worker, others take its chunks over.

Examples:
  usurp worker
  usurp worker --redis redis://lab.example:6379 --workers 4 --queue thesis
  usurp sweep top-id --set 'network.identity.c1=range(8,14,1)' --engine bullmq --redis redis://127.0.0.1:6379`;

async function runWorker(options: WorkerOptions, terminal: Terminal): Promise<ExitCode> {
  const { redis, queue, workers: threads } = options;
  const version = codeVersion();
  const place = { redis, queue, threads, codeVersion: version };
  const worker = await startFleetWorker(place, (line) => terminal.note(line));
  terminal.note(
    `ready: ${threads} ${threads === 1 ? 'thread' : 'threads'}, queue ${queue}, code ${version}; Ctrl-C stops it`,
  );
  const progress = setInterval(() => terminal.progress(() => textOf(worker.counts())), 500);
  if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
  clearInterval(progress);
  await worker.close();
  const { chunks, runs } = worker.counts();
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify({ chunks, runs })}\n`
      : `${chunks} chunks, ${runs} runs\n`,
  );
  return EXIT.holds;
}

function textOf({ chunks, runs, underWay }: WorkerCounts): string {
  return `${chunks} chunks and ${runs} runs done, ${underWay} under way`;
}

function queueName(text: string): string {
  if (QUEUE_NAME.test(text)) return text;
  throw new InvalidArgumentError('expected lower-case letters, digits and hyphens, at most 40');
}
