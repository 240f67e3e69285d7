/**
 * @module
 * This folder contains what all verbs share: arguments, options, files, output and exit codes.
 * The terminal of a verb: data to stdout, messages and progress to stderr, and an interrupt signal.
 * Tests pass a terminal that records. Messages never appear on stdout, so that `usurp … | jq` works.
 */

import { performance } from 'node:perf_hooks';
import type process from 'node:process';
import { printable } from '../../printable.ts';
import type { ExitCode } from './exit.ts';

export interface Terminal {
  /** Data: exactly this text, to stdout. */
  print(text: string): void;
  /** A message for people: one line, to stderr. Silent under --quiet. */
  note(line: string): void;
  /** An error: one line, to stderr, also under --quiet. */
  complain(line: string): void;
  /**
   * Progress: redrawn at most once a second on a terminal, else plain lines at growing intervals. The last line is printed
   * only after an earlier line.
   */
  progress(line: () => string, isLast?: boolean): void;
  /** Lets an interrupt arrive during a long computation. */
  pause(): Promise<void>;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** The bytes of stdin. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Whether stdout is read by a person. */
  readonly isInteractive: boolean;
}

/** Runs the work of a verb: supplies the terminal and keeps the exit code. */
export interface Session {
  run(
    options: { readonly quiet?: true | undefined },
    work: (terminal: Terminal) => Promise<ExitCode>,
  ): Promise<void>;
}

const REDRAW_SECONDS = 1;
const PLAIN_SECONDS_FIRST = 2;
const PLAIN_SECONDS_MAX = 60;

/** The terminal of this process. */
export function processTerminal(
  streams: Pick<typeof process, 'stdout' | 'stderr' | 'stdin'>,
  options: { readonly isQuiet: boolean; readonly signal: AbortSignal },
): Terminal {
  const { stdout, stderr, stdin } = streams;
  const meter = new ProgressMeter(stderr.isTTY === true);
  const say = (line: string) => stderr.write(`${meter.clear()}${printable(line)}\n`);
  return {
    print: (text) => {
      stderr.write(meter.clear());
      stdout.write(text);
    },
    note: (line) => {
      if (!options.isQuiet) say(line);
    },
    complain: say,
    progress: (line, isLast = false) => {
      if (!options.isQuiet) stderr.write(meter.draw(() => printable(line()), isLast));
    },
    pause: pausesLater(),
    signal: options.signal,
    stdin,
    isInteractive: stdout.isTTY === true,
  };
}

/** Decides when a progress line is due, and whether a drawn line must be erased before other output. */
class ProgressMeter {
  readonly #redraws: boolean;
  readonly #start = performance.now();
  #nextSeconds: number;
  #isDrawn = false;

  constructor(redraws: boolean) {
    this.#redraws = redraws;
    this.#nextSeconds = redraws ? REDRAW_SECONDS / 2 : PLAIN_SECONDS_FIRST;
  }

  /** The characters that show the line now, or none if it is not due. */
  draw(line: () => string, isLast: boolean): string {
    const seconds = (performance.now() - this.#start) / 1e3;
    const isBegun = !this.#redraws && this.#nextSeconds > PLAIN_SECONDS_FIRST;
    if (seconds < this.#nextSeconds && !(isLast && isBegun)) return '';
    if (this.#redraws) {
      this.#nextSeconds = seconds + REDRAW_SECONDS;
      this.#isDrawn = true;
      return `${ERASE_LINE}${line()}`;
    }
    this.#nextSeconds = seconds + Math.min(seconds, PLAIN_SECONDS_MAX);
    return `${line()}\n`;
  }

  clear(): string {
    if (!this.#isDrawn) return '';
    this.#isDrawn = false;
    return ERASE_LINE;
  }
}

const ERASE_LINE = '\r\u001b[2K';

/** Pauses as `pauses` makes them. Their file is loaded at the first one, so that short commands start without it. */
function pausesLater(): () => Promise<void> {
  let loaded: Promise<() => Promise<void>> | null = null;
  return async () => {
    loaded ??= import('../../runtime/threads/clocks.ts').then(({ pauses }) => pauses());
    await (await loaded)();
  };
}
