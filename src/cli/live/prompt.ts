/**
 * @module
 * The lines of commands from stdin. On a terminal there is a prompt, and what is printed meanwhile does not disturb the line
 * that the user types.
 */

import process from 'node:process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Terminal } from '../shell/terminal.ts';

const ERASE_LINE = '\r\u001b[2K';

export interface Prompt {
  /** Whether a person types the commands. */
  readonly isTyped: boolean;
  readonly lines: AsyncIterable<string>;
  /** Prints something that no command has asked for. */
  aside(print: () => void): void;
  /** Shows the prompt when a command is over. */
  ready(): void;
  close(): void;
}

/** Reads stdin line by line. */
export function openPrompt({ stdin, signal }: Terminal): Prompt {
  const isTyped = stdin === process.stdin && process.stdin.isTTY && process.stderr.isTTY;
  if (!isTyped) {
    const input = stdin instanceof Readable ? stdin : Readable.from(stdin);
    const lines = createInterface({ input, signal });
    return {
      ...{ isTyped, lines, aside: (print) => print(), ready: () => undefined },
      close() {
        lines.close();
        // A pipe whose writer waits would keep the process alive.
        input.destroy();
      },
    };
  }
  const { stderr: output } = process;
  const prompting = createInterface({ input: process.stdin, output, prompt: '> ', signal });
  // In this mode the terminal sends no signal.
  prompting.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  let isWaiting = false;
  let isClosed = false;
  // A signal or the end of stdin closes it, also while a command runs.
  prompting.once('close', () => {
    isClosed = true;
    isWaiting = false;
  });
  return {
    isTyped,
    lines: prompting,
    aside(print) {
      if (isWaiting) output.write(ERASE_LINE);
      print();
      // With what the user has typed.
      if (isWaiting) prompting.prompt(true);
    },
    ready() {
      if (isClosed) return;
      isWaiting = true;
      prompting.prompt();
      prompting.once('line', () => {
        isWaiting = false;
      });
    },
    close: () => prompting.close(),
  };
}
