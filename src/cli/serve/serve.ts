/**
 * @module
 * This folder contains `usurp serve`.
 * `usurp serve`: the lab over HTTP until interrupted. Prints its address as one line of data, so that
 * a script can start it on port 0 and read where it is.
 */

import { once } from 'node:events';
import { isIP } from 'node:net';
import { dirname, normalize } from 'node:path';
import process from 'node:process';

import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import manifest from '../../../package.json' with { type: 'json' };
import type { CallerLimits } from '../../../server/callers/caller-budgets.ts';
import { SHARED_LIMITS } from '../../../server/callers/caller-budgets.ts';
import { parseTokens, randomToken, TokenSet } from '../../../server/callers/tokens.ts';
import type { IssuedCode } from '../../../server/exercises/classroom.ts';
import type { ServedClass } from '../../../server/lab.ts';
import { startLab } from '../../../server/lab.ts';
import type { Certificate } from '../../../server/socket/listen.ts';
import { LabError } from '../../errors.ts';
import { codeLines, codesFor } from '../../exercise/class/code-sheet.ts';
import type { Exercise } from '../../exercise/document.ts';
import { parseClass } from '../../exercise/reading.ts';
import { RUN } from '../../operations/run/run.ts';
import { findDevice } from '../../runtime/device/webgpu.ts';
import { readExercisesWith } from '../../runtime/files/exercises.ts';
import { exitProcess } from '../../runtime/load/process-exit.ts';
import { execute } from '../operations/operation-command.ts';
import { durationOrZero, integer, share, THREADS_DEFAULT } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { assertPrivate, readText, writeWhole } from '../shell/files.ts';
import type { OutputOptions, PolicyOptions } from '../shell/options.ts';
import { policyOf, verb, wantsJson, withPolicy } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { courseSecretOf } from './course-secret.ts';
import type { LogForm, ServeLog } from './log.ts';
import { LOG_FORMS, serveLog } from './log.ts';

interface ServeOptions extends OutputOptions, PolicyOptions, LimitOptions, ClassOptions {
  readonly port: number;
  readonly host: string;
  readonly run?: string;
  readonly data?: string;
  readonly ephemeral?: true;
  readonly auth?: true;
  readonly tokenFile?: string;
  readonly courseSecret?: string;
  readonly clusters?: true;
  readonly device?: 'gpu';
  readonly trustedProxy?: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

const PORT_DEFAULT = 8787;
const HOST_DEFAULT = '127.0.0.1';

/** Longest time from a signal to the end of the process, whatever is still under way. */
const STOP_MS_MAX = 10_000;

export function serveCommand(session: Session): Command {
  const command = verb('serve', 'serve the lab over HTTP')
    .option(
      '--port <number>',
      'port to listen on; 0 takes a free one, which is printed',
      integer(0, 65_535),
      PORT_DEFAULT,
    )
    .option('--host <address>', 'address to listen on', hostName, HOST_DEFAULT)
    .addOption(
      new Option(
        '--data <file>',
        'SQLite file for elections, jobs and their results; they are there again after a restart',
      ).conflicts('ephemeral'),
    )
    .option('--ephemeral', 'keep everything in memory (default); it is lost when the server stops')
    .option('--auth', 'require a token also from this machine; other addresses always require one')
    .option(
      '--token-file <file>',
      'accepted tokens: one line `role name token` for each holder (default: one operator token, printed once)',
    )
    .option(
      '--course-secret <file>',
      'secret from which the instances of exercises are derived; the file is made if it does not exist',
    )
    .option(
      '--class <file>',
      'class with students, exercises and deadlines (YAML); its members join with codes, and tokens are required',
    )
    .option(
      '--class-codes <file>',
      'new file for the class codes of members who have none, readable by its owner alone: .csv for mail merge, .html to print, else text (default: stderr, once)',
    )
    .option(
      '--exercises <folder>',
      'exercises of your own, each a folder with exercise.yaml; they replace exercises of usurp with the same name',
    )
    .option(
      '--clusters',
      'let operators run clusters of live nodes, which are processes of this machine (default: off)',
    )
    .addOption(
      new Option(
        '--device <kind>',
        'let searches of callers use a device of this machine: gpu is a graphics card by WebGPU (default: off)',
      ).choices(['gpu']),
    )
    .option(
      '--trusted-proxy <address>',
      'IP address of a reverse proxy, whose X-Forwarded-For counts; can be given several times; needs tokens',
      (text: string, before: readonly string[] = []) => [...before, proxyAddress(text)],
    )
    .option('--tls-cert <file>', 'serve HTTPS with this certificate (PEM, with its chain)')
    .option('--tls-key <file>', 'private key of the certificate (PEM, chmod 600)')
    .addOption(
      new Option(
        '--log <form>',
        'form of the messages on stderr: text, or JSON with one line for each request',
      )
        .choices(LOG_FORMS)
        .default('text'),
    )
    .option('--run <model>', 'run this threat model once before serving, and print its verdict');
  return withPolicy(withLimits(command))
    .addHelpText('after', SERVE_EXAMPLES)
    .action((options: ServeOptions) =>
      session.run(options, (terminal) => runServe(options, terminal)),
    );
}

const SERVE_EXAMPLES = `
The command prints its address, such as http://127.0.0.1:8787, as one line on stdout, and serves until
Ctrl-C. Open it in a browser for the lab. /reference describes every request of the API, /openapi.json describes it for programs.

Data. With --data, elections, jobs with their results, and the answers to requests with an Idempotency-Key remain
after a restart. SIGUSR2 copies the file to <file>.backup while the server runs. To restore it, stop the server, rename
the copy, and remove <file>-wal and <file>-wal-end. Copy the file in another way only while the server is stopped: until
then the last writes are in <file>-wal. The tables of sweeps are in <file>.sweeps/.

Access. The server listens on this machine only, without tokens, unless --host or --auth says otherwise. Each line of
--token-file has a role (reader, student, instructor or operator), a name, and a token of at least 16 characters. Only
the owner may read the file (chmod 600). A student sees its own elections and jobs, instructors and operators see all.

Class. --class reads students, groups, exercises, deadlines and a late policy. Each member exchanges its class code once for
a token (POST /v1/sessions). A restart makes codes for new members only. Keep tokens and points with --data, and the
instances of exercises with --course-secret. --exercises serves exercises of your own, too. usurp class reload lets the
server read both again.

Proxy. Behind a reverse proxy on this machine, --trusted-proxy 127.0.0.1 makes the limits of addresses count its clients.

Clusters. With --clusters, operators can start live nodes (POST /v1/clusters), and kill, pause and divide them. The nodes
listen on 127.0.0.1. They stop with the server, even if it is killed.

Limits. They apply to each holder of a token. Without tokens only the limits that are given apply. 0 removes a limit.

Policy. The policy flags (--c1, --policy, …) are the default policy of requests that name none.

Examples:
  usurp serve
  usurp serve --port 0 --c1 16
  usurp serve --host 0.0.0.0 --token-file tokens.txt --tls-cert cert.pem --tls-key key.pem
  usurp serve --data lab.db --auth --token-file tokens.txt --rate 50 --cpu-per-hour 10m --election-share 25%
  usurp serve --class class.yaml --class-codes codes.txt --data class.db --course-secret course-secret
  curl http://127.0.0.1:8787/v1/threat-models`;

async function runServe(options: ServeOptions, terminal: Terminal): Promise<ExitCode> {
  const { host, port, data = null } = options;
  const log = serveLog(options.log, terminal);
  const isLocal = LOOPBACK.test(host);
  const exercises = await readExercisesWith(options.exercises);
  const served = await servedClassOf(options, exercises, terminal);
  const tokens = await tokensOf(options, isLocal, terminal);
  if (options.clusters === true && served !== undefined && tokens === null) {
    const detail = '--clusters with --class needs --token-file with the token of an operator';
    throw new LabError('arguments', detail);
  }
  if (options.trustedProxy !== undefined && tokens === null && served === undefined) {
    const detail = '--trusted-proxy needs tokens: give --auth, --token-file or --class';
    throw new LabError('arguments', detail);
  }
  const limits = limitsOf(options);
  const tls = await certificateOf(options, terminal);
  const courseSecret = await courseSecretOf(options.courseSecret, terminal);
  const lab = await startLab(
    {
      host,
      port,
      tls,
      version: manifest.version,
      policy: policyOf(options),
      data,
      tokens,
      limits,
      courseSecret,
      exercises,
      class: served,
      clusters: options.clusters === true,
      device: options.device !== undefined,
      trustedProxies: options.trustedProxy ?? [],
      signal: terminal.signal,
    },
    log.fault,
    log.request,
  );
  const backUp = () => {
    lab.backup().then(log.backedUp, (error: unknown) => log.fault({ id: 'backup', error }));
  };
  try {
    if (options.device !== undefined) await warnWithoutDevice(log);
    if (options.run !== undefined) await runFirst(options.run, terminal);
    if (terminal.signal.aborted) return EXIT.interrupted;
    const { url, restored } = lab;
    terminal.print(wantsJson(options) ? `${JSON.stringify({ url })}\n` : `${url}\n`);
    for (const note of lab.notes) log.noticed(note);
    const isExposed = !isLocal && tls === null;
    log.started({
      url,
      restored,
      data,
      isExposed,
      demandsTokens: tokens !== null || served !== undefined,
    });
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

/** A server without the device that it offers serves everything else. */
async function warnWithoutDevice(log: ServeLog): Promise<void> {
  try {
    await findDevice();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    log.noticed(`jobs that ask for a device will fail: ${error.message}`);
  }
}

/** The tokens to demand; null where everybody is answered, which only this machine's callers are. */
async function tokensOf(
  { auth, tokenFile, log, class: classFile }: ServeOptions,
  isLocal: boolean,
  terminal: Terminal,
): Promise<TokenSet | null> {
  if (tokenFile !== undefined) {
    await assertPrivate(tokenFile);
    return parseTokens(await readText(tokenFile, terminal), tokenFile);
  }
  // The members of a class have tokens of their own, and its instructors need no operator.
  if (classFile !== undefined || (isLocal && auth === undefined)) return null;
  if (log === 'json') {
    const detail = 'give --token-file with --log json: a token made here would be in the log';
    throw new LabError('arguments', detail);
  }
  const token = randomToken();
  terminal.complain(`usurp: the token of the operator, shown once: ${token}`);
  return new TokenSet([{ name: 'owner', role: 'operator', token }]);
}

/** The certificate of HTTPS; null for HTTP. Throws LabError `arguments` if only half of it is given. */
async function certificateOf(
  { tlsCert, tlsKey }: ServeOptions,
  terminal: Terminal,
): Promise<Certificate | null> {
  if (tlsCert === undefined && tlsKey === undefined) return null;
  if (tlsCert === undefined || tlsKey === undefined) {
    const missing = tlsCert === undefined ? '--tls-cert' : '--tls-key';
    throw new LabError('arguments', `HTTPS needs --tls-cert and --tls-key; ${missing} is missing`);
  }
  await assertPrivate(tlsKey);
  return { cert: await readText(tlsCert, terminal), key: await readText(tlsKey, terminal) };
}

/** Ends the process if anything keeps it alive for so long; keeps it alive by no means itself. */
function endAfter(stopMs: number): void {
  setTimeout(() => exitProcess(EXIT.internal), stopMs).unref();
}

/** The port is taken by then, so that a port in use is reported before the run, not after it. */
async function runFirst(model: string, terminal: Terminal): Promise<void> {
  const options = { format: 'table', threads: THREADS_DEFAULT } as const;
  await execute(RUN, { options, given: [model] }, { terminal, besides: null });
}

/** An IP address, or a name that is none of the short forms of one (`0`, `127.1`). */
function hostName(text: string): string {
  if (isIP(text) !== 0 || /^(?=.*[a-z])[a-z0-9.-]{1,253}$/i.test(text)) return text;
  throw new InvalidArgumentError('expected an IP address or a host name');
}

function proxyAddress(text: string): string {
  // No connection comes from the address that stands for all of a machine.
  if (isIP(text) !== 0 && !/^[0.:]+$/.test(text)) return text;
  throw new InvalidArgumentError('expected the IP address of one proxy, such as 127.0.0.1');
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|::1)$/;

/**
 * The class of `usurp serve`: its document, and its class codes, which are shown once: in a file that only its owner
 * can read, or on stderr.
 */
interface ClassOptions {
  readonly class?: string;
  readonly classCodes?: string;
  readonly exercises?: string;
  readonly log: LogForm;
}

/**
 * The class in a file, which has some of the exercises; undefined without a file. Throws LabError `document` with file, line and column, or `arguments`
 * for flags that do not fit.
 */
async function servedClassOf(
  { class: file, classCodes, exercises: folder, log }: ClassOptions,
  exercises: readonly Exercise[],
  terminal: Terminal,
): Promise<ServedClass | undefined> {
  if (file === undefined) {
    if (classCodes === undefined) return undefined;
    throw new LabError('arguments', '--class-codes needs --class');
  }
  if (classCodes === undefined && log === 'json') {
    const detail = 'give --class-codes with --log json: the class codes would be in the log';
    throw new LabError('arguments', detail);
  }
  const documentWith = async (known: readonly Exercise[]) =>
    parseClass(await readText(file, terminal), file, known);
  const document = await documentWith(exercises);
  const read = async () => {
    try {
      const known = await readExercisesWith(folder);
      return { document: await documentWith(known), exercises: known };
    } catch (error) {
      throw withoutFolders(error, [file, folder ?? file, normalize(folder ?? file)]);
    }
  };
  const deliver = async (codes: readonly IssuedCode[]) => {
    if (classCodes === undefined) {
      terminal.complain('usurp: the class codes, shown once:');
      for (const line of codeLines(codes)) terminal.complain(line);
      return;
    }
    const text = codesFor(classCodes, { codes, title: document.name, address: null });
    await writeWhole(classCodes, text, { force: null, isPrivate: true });
    terminal.note(`the class codes of ${codes.length} members are in ${classCodes}`);
  };
  return { document, deliver, read };
}

/** An instructor who lets the server read files again sees their names, and not where they are. */
function withoutFolders(error: unknown, paths: readonly string[]): unknown {
  if (!(error instanceof LabError)) return error;
  const shown = (text: string, path: string) => text.replaceAll(`${dirname(path)}/`, '');
  return new LabError(error.code, paths.reduce(shown, error.message));
}

/** The flags of `usurp serve` that say what one caller may take, and what they mean for the budgets. */
interface LimitOptions {
  readonly rate?: number;
  readonly jobsPerCaller?: number;
  readonly cpuPerHour?: number;
  readonly electionShare?: number;
  readonly slowCheckShare?: number;
  readonly streamsPerCaller?: number;
  readonly storagePerCaller?: number;
}

const MEBIBYTE = 2 ** 20;

/** Adds the flags. 0 removes a limit. */
function withLimits(command: Command): Command {
  const { requestsPerSecond, jobs, cpuSecondsPerHour } = SHARED_LIMITS;
  const { electionMsPerSecond, slowCheckMsPerSecond, streams, storedBytes } = SHARED_LIMITS;
  return command
    .option(
      '--rate <count>',
      `requests per second of one caller (default with tokens: ${requestsPerSecond})`,
      integer(0, 1_000_000),
    )
    .option(
      '--jobs-per-caller <count>',
      `waiting and running jobs of one caller (default with tokens: ${jobs})`,
      integer(0, 1_000),
    )
    .option(
      '--cpu-per-hour <time>',
      `CPU time of all threads for the jobs of one caller per hour, such as 10m (default with tokens: ${cpuSecondsPerHour}s)`,
      durationOrZero,
    )
    .option(
      '--election-share <share>',
      `share of the answering thread for the elections of one caller, such as 25% (default with tokens: ${electionMsPerSecond / MS_PER_PERCENT}%)`,
      share,
    )
    .option(
      '--slow-check-share <share>',
      `share of a thread for the slow puzzles of the claims of one caller, such as 25% (default with tokens: ${slowCheckMsPerSecond / MS_PER_PERCENT}%)`,
      share,
    )
    .option(
      '--streams-per-caller <count>',
      `open streams of one caller (default with tokens: ${streams})`,
      integer(0, 1_000),
    )
    .option(
      '--storage-per-caller <mebibytes>',
      `storage for the elections of one caller, in MiB (default with tokens: ${storedBytes / MEBIBYTE})`,
      integer(0, 1_000_000),
    );
}

/** The limits that were given; those that were not stay as they are by default. */
function limitsOf({
  rate,
  jobsPerCaller,
  cpuPerHour,
  electionShare,
  slowCheckShare,
  streamsPerCaller,
  storagePerCaller,
}: LimitOptions): Partial<CallerLimits> {
  return {
    ...(rate !== undefined && { requestsPerSecond: rate }),
    ...(jobsPerCaller !== undefined && { jobs: jobsPerCaller }),
    ...(cpuPerHour !== undefined && { cpuSecondsPerHour: cpuPerHour }),
    ...(electionShare !== undefined && { electionMsPerSecond: electionShare * 1_000 }),
    ...(slowCheckShare !== undefined && { slowCheckMsPerSecond: slowCheckShare * 1_000 }),
    ...(streamsPerCaller !== undefined && { streams: streamsPerCaller }),
    ...(storagePerCaller !== undefined && { storedBytes: storagePerCaller * MEBIBYTE }),
  };
}

const MS_PER_PERCENT = 10;
