/**
 * @module
 * `usurp worker`: computes chunks of sweeps that other machines start with `--engine bullmq`, until
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
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import type { OutputOptions } from '../shell/options.ts';
import { perCore, verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface WorkerOptions extends OutputOptions {
  readonly redis: string;
  readonly workers: number;
  readonly queue: string;
}

export function workerCommand(session: Session): Command {
  return verb('worker', 'compute chunks of sweeps that other machines submit through Redis')
    .option('--redis <url>', 'address of the Redis that the sweeps use', REDIS_DEFAULT)
    .addOption(
      perCore('--workers <count>', 'number of worker threads; each computes one chunk at a time'),
    )
    .option(
      '--queue <name>',
      'queue; the worker computes only sweeps with the same queue',
      queueName,
      QUEUE_DEFAULT,
    )
    .addHelpText('after', WORKER_EXAMPLES)
    .action((options: WorkerOptions) =>
      session.run(options, (terminal) => runWorker(options, terminal)),
    );
}

const WORKER_EXAMPLES = `
Start one worker on every machine, from the sources of the sweep. Ctrl-C finishes the current
chunks or returns them to the queue. If a worker fails, others take over its chunks.

Examples:
  usurp worker
  usurp worker --redis redis://lab.example:6379 --workers 4 --queue thesis
  usurp sweep top-id --set 'network.identity.c1=range(8,14,1)' --engine bullmq --redis redis://127.0.0.1:6379`;

async function runWorker(options: WorkerOptions, terminal: Terminal): Promise<ExitCode> {
  const { redis, queue, workers: threads } = options;
  const version = codeVersion();
  const settings = { redis, queue, threads, codeVersion: version };
  const worker = await startFleetWorker(settings, (line) => terminal.note(line));
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
