/**
 * @module
 * This folder contains `usurp serve`.
 * `usurp serve`: the lab over HTTP until interrupted. Prints its address as one line of data, so that
 * a script can start it on port 0 and read where it is.
 */

import { once } from 'node:events';
import { isIP } from 'node:net';
import process from 'node:process';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { parseTokens, randomToken, TokenSet } from '../../../server/callers/tokens.ts';
import { startLab } from '../../../server/lab.ts';
import { LabError } from '../../errors.ts';
import { exitProcess } from '../../runtime/load/process-exit.ts';
import { runModel } from '../experiment/run.ts';
import { integer, THREADS_DEFAULT } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { assertPrivate, readText } from '../shell/files.ts';
import type { OutputOptions, PolicyOptions } from '../shell/options.ts';
import { policyOf, verb, wantsJson, withPolicy } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { LimitOptions } from './limits.ts';
import { limitsOf, withLimits } from './limits.ts';
import type { LogForm } from './log.ts';
import { LOG_FORMS, serveLog } from './log.ts';

interface ServeOptions extends OutputOptions, PolicyOptions, LimitOptions {
  readonly port: number;
  readonly host: string;
  readonly run?: string;
  readonly data?: string;
  readonly ephemeral?: true;
  readonly log: LogForm;
  readonly auth?: true;
  readonly tokenFile?: string;
}

const PORT_DEFAULT = 8787;
const HOST_DEFAULT = '127.0.0.1';

/** Longest time from a signal to the end of the process, whatever is still under way. */
const STOP_MS_MAX = 10_000;

export function serveCommand(session: Session): Command {
  const command = verb('serve', 'serve the lab over HTTP')
    .option(
      '--port <number>',
      'port to listen on; 0 takes a free one',
      integer(0, 65_535),
      PORT_DEFAULT,
    )
    .option('--host <address>', 'address to listen on', hostName, HOST_DEFAULT)
    .addOption(
      new Option('--data <file>', 'keep all that lasts in this file').conflicts('ephemeral'),
    )
    .option('--ephemeral', 'keep all in memory (the default)')
    .option('--auth', 'demand a token also on this machine; elsewhere one is always demanded')
    .option('--token-file <file>', 'the tokens to demand: lines of role, name and token')
    .addOption(
      new Option('--log <form>', 'what stderr gets: words, or JSON with a line a request')
        .choices(LOG_FORMS)
        .default('text'),
    )
    .option('--run <model>', 'first run this threat model once and print its verdict');
  return withPolicy(withLimits(command))
    .addHelpText('after', SERVE_EXAMPLES)
    .action((options: ServeOptions) =>
      session.run(options, (terminal) => runServe(options, terminal)),
    );
}

const SERVE_EXAMPLES = `
With --data, elections, jobs with their results, and answers given under an
Idempotency-Key are there again after a restart. SIGUSR2 copies the file, in its
present state, to <file>.backup; put that in the file's place to go back to it. A copy
made otherwise is whole only when the server was stopped before: while it runs,
and after it was killed, the last writes are in <file>-wal. The tables of sweeps
are in <file>.sweeps/.

The policy flags say what claims are asked for when a question names no policy. Where tokens are
demanded, each holder has limits of its own and sees its own elections and jobs alone, an admin all;
a 0 lifts a limit. Without tokens everything is everybody's, and only the limits that are given hold.
The file of --token-file has a line \`role name token\` for each holder, with the role reader, user or
admin and at least 16 characters of token, and must be readable by its owner only (chmod 600).

Examples:
  usurp serve
  usurp serve --port 0 --c1 16
  curl http://127.0.0.1:8787/v1/threat-models`;

async function runServe(options: ServeOptions, terminal: Terminal): Promise<ExitCode> {
  const { host, port, data = null } = options;
  const log = serveLog(options.log, terminal);
  const isLocal = LOOPBACK.test(host);
  const tokens = await tokensOf(options, isLocal, terminal);
  const limits = limitsOf(options);
  const lab = await startLab(
    {
      ...{ host, port, version: manifest.version, policy: policyOf(options), data, tokens, limits },
      signal: terminal.signal,
    },
    log.fault,
    log.request,
  );
  const backUp = () => {
    lab.backup().then(log.backedUp, (error: unknown) => log.fault({ id: 'backup', error }));
  };
  try {
    if (options.run !== undefined) await runFirst(options.run, terminal);
    if (terminal.signal.aborted) return EXIT.interrupted;
    const { url, restored } = lab;
    terminal.print(wantsJson(options) ? `${JSON.stringify({ url })}\n` : `${url}\n`);
    for (const note of lab.notes) log.noticed(note);
    log.started({ url, restored, data, isLocal, demandsTokens: tokens !== null });
    process.on('SIGUSR2', backUp);
    await once(terminal.signal, 'abort');
    return EXIT.holds;
  } finally {
    process.off('SIGUSR2', backUp);
    log.stopping();
    endAfter(STOP_MS_MAX);
    await lab.close();
  }
}

/** The tokens to demand; null where everybody is answered, which only this machine's callers are. */
async function tokensOf(
  { auth, tokenFile, log }: ServeOptions,
  isLocal: boolean,
  terminal: Terminal,
): Promise<TokenSet | null> {
  if (tokenFile !== undefined) {
    await assertPrivate(tokenFile);
    return parseTokens(await readText(tokenFile, terminal), tokenFile);
  }
  if (isLocal && auth === undefined) return null;
  if (log === 'json') {
    const detail = 'give --token-file with --log json: a token made here would be in the log';
    throw new LabError('arguments', detail);
  }
  const token = randomToken();
  terminal.complain(`usurp: the token of the admin, shown once: ${token}`);
  return new TokenSet([{ name: 'owner', role: 'admin', token }]);
}

/** Ends the process if anything keeps it alive for so long; keeps it alive by no means itself. */
function endAfter(stopMs: number): void {
  setTimeout(() => exitProcess(EXIT.internal), stopMs).unref();
}

/** The port is taken by then, so that a port in use is reported before the run, not after it. */
async function runFirst(model: string, terminal: Terminal): Promise<void> {
  await runModel(model, { format: 'table', set: [], threads: THREADS_DEFAULT }, terminal);
}

/** An IP address, or a name that is none of the short forms of one (`0`, `127.1`). */
function hostName(text: string): string {
  if (isIP(text) !== 0 || /^(?=.*[a-z])[a-z0-9.-]{1,253}$/i.test(text)) return text;
  throw new InvalidArgumentError('expected an IP address or a host name');
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|::1)$/;
