/**
 * @module
 * This folder contains what all verbs share: arguments, options, files, output and exit codes.
 * What a verb may do to the outside: data to stdout, words to stderr, progress, an interrupt signal.
 * Tests hand in one that remembers. Data and words are never mixed, so that `usurp … | jq` works
 * whatever is said on the way.
 */

import { performance } from 'node:perf_hooks';
import type process from 'node:process';
import { readAtMost } from './bounded-read.ts';
import type { ExitCode } from './exit.ts';

export interface Terminal {
  /** Data: exactly this text, to stdout. */
  print(text: string): void;
  /** A message for people: one line, to stderr. Silent under --quiet. */
  note(line: string): void;
  /** An error: one line, to stderr, also under --quiet. */
  complain(line: string): void;
  /** Progress: redrawn at most once a second on a terminal, else plain lines at growing intervals. */
  progress(line: () => string): void;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** The whole of stdin, up to what a file may hold. */
  readStdin(): Promise<Uint8Array>;
  /** Whether stdout is read by a person. */
  readonly isInteractive: boolean;
}

/** What a verb's command line hands its work to: it supplies the terminal and keeps the exit code. */
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
    progress: (line) => {
      if (!options.isQuiet) stderr.write(meter.draw(() => printable(line())));
    },
    signal: options.signal,
    readStdin: () => readAtMost(stdin),
    isInteractive: stdout.isTTY === true,
  };
}

/**
 * A text in which control characters are spelt (ESC as \u001b), those that turn the direction of
 * writing too: names of files and of members of documents come from others, who must not steer the
 * reader's terminal. Line ends stay, for stacks.
 */
export function printable(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    const unit = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  });
}

/** Decides when a progress line is due; holds what must be erased before other output. */
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
  draw(line: () => string): string {
    const seconds = (performance.now() - this.#start) / 1e3;
    if (seconds < this.#nextSeconds) return '';
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
