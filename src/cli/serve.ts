/**
 * @module
 * `usurp serve`: the lab over HTTP until interrupted. Prints its address as one line of data, so that
 * a script can start it on port 0 and read where it is.
 */

import { once } from 'node:events';
import { isIP } from 'node:net';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { startLab } from '../../server/lab.ts';
import { integer, THREADS_DEFAULT } from './arguments.ts';
import type { ExitCode } from './exit.ts';
import { EXIT } from './exit.ts';
import type { OutputOptions, PolicyOptions } from './options.ts';
import { policyOf, verb, wantsJson, withPolicy } from './options.ts';
import { runModel } from './run.ts';
import type { Session, Terminal } from './terminal.ts';

interface ServeOptions extends OutputOptions, PolicyOptions {
  readonly port: number;
  readonly host: string;
  readonly run?: string;
  readonly data?: string;
  readonly ephemeral?: true;
}

const PORT_DEFAULT = 8787;
const HOST_DEFAULT = '127.0.0.1';

export function serveCommand(session: Session): Command {
  const command = verb('serve', 'serve the lab over HTTP')
    .option(
      '--port <number>',
      'port to listen on; 0 takes a free one',
      integer(0, 65_535),
      PORT_DEFAULT,
    )
    .option('--host <address>', 'address to listen on', hostName, HOST_DEFAULT)
    .addOption(new Option('--data <file>', 'keep elections in this file').conflicts('ephemeral'))
    .option('--ephemeral', 'keep elections in memory (the default)')
    .option('--run <model>', 'first run this threat model once and print its verdict');
  return withPolicy(command)
    .addHelpText('after', SERVE_EXAMPLES)
    .action((options: ServeOptions) =>
      session.run(options, (terminal) => runServe(options, terminal)),
    );
}

const SERVE_EXAMPLES = `
The policy flags say what claims are asked for when a question names no policy.

Examples:
  usurp serve
  usurp serve --port 0 --c1 16
  curl http://127.0.0.1:8787/v1/threat-models`;

async function runServe(options: ServeOptions, terminal: Terminal): Promise<ExitCode> {
  const { host, port, data = null } = options;
  const lab = await startLab(
    { host, port, version: manifest.version, policy: policyOf(options), data },
    (fault) => terminal.complain(`usurp: fault ${fault.id}: ${describe(fault.error)}`),
  );
  try {
    if (options.run !== undefined) await runFirst(options.run, terminal);
    if (terminal.signal.aborted) return EXIT.interrupted;
    if (lab.restored > 0) terminal.note(`${lab.restored} elections are back from ${data}`);
    announce(lab.url, options, terminal);
    await once(terminal.signal, 'abort');
    return EXIT.holds;
  } finally {
    await lab.close();
  }
}

/** The port is taken by then, so that nobody waits for a verdict and is refused afterwards. */
async function runFirst(model: string, terminal: Terminal): Promise<void> {
  await runModel(model, { format: 'table', set: [], threads: THREADS_DEFAULT }, terminal);
}

function announce(url: string, options: ServeOptions, terminal: Terminal): void {
  terminal.print(wantsJson(options) ? `${JSON.stringify({ url })}\n` : `${url}\n`);
  if (!LOOPBACK.test(options.host)) {
    terminal.complain(`usurp: WARNING: whoever reaches ${options.host} can use this lab`);
  }
  terminal.note(`try: curl -s ${url}/v1/elections -H 'Content-Type: application/json' \\`);
  terminal.note(`  -d '{"algorithm":"bully-oneshot","nodes":5,"seed":"1","run":true}'`);
  terminal.note('Ctrl-C stops it');
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** An IP address, or a name that is none of the short forms of one (`0`, `127.1`). */
function hostName(text: string): string {
  if (isIP(text) !== 0 || /^(?=.*[a-z])[a-z0-9.-]{1,253}$/i.test(text)) return text;
  throw new InvalidArgumentError('expected an IP address or a host name');
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|::1)$/;
