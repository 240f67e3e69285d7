/**
 * @module
 * This folder is `usurp conform`. It runs the conformance suite on the protocols that a file defines, prints a
 * report, and exits 0 if all of them conform and 1 if one does not.
 */

import type { Command } from 'commander';
import { findProtocol } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { parseSeed } from '../../random.ts';
import { loadedFiles } from '../../runtime/load/load-definitions.ts';
import { conform } from '../../simulation/conform/conform.ts';
import type { Finding } from '../../simulation/conform/finding.ts';
import { seed } from '../shell/arguments.ts';
import { EXIT } from '../shell/exit.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface ConformOptions extends OutputOptions {
  readonly seed: ReturnType<typeof parseSeed>;
}

interface Report {
  readonly protocol: string;
  readonly conforms: boolean;
  readonly findings: readonly Finding[];
}

/** The command `conform`. */
export function conformCommand(session: Session): Command {
  return verb(
    'conform',
    'Check a protocol of a file against the contract of machines and its own definition.',
  )
    .argument('<file>', 'TypeScript file that exports one or more protocols')
    .option('--seed <seed>', 'seed of all random events and rings', seed, parseSeed('1'))
    .addHelpText('after', HELP)
    .action((_file: string, options: ConformOptions) =>
      session.run(options, (terminal) => Promise.resolve(report(options, terminal))),
    );
}

const HELP = `
Checks that the machine accepts every event, has no clock, chance or memory of its own, keeps plain JSON data
in its state, changes nothing that it is given, and ignores foreign messages and timers; that elections
on random rings finish with the right leader and send only listed messages, no more than about the stated
number; that the simulator agrees with the reference semantics; and that runs under each fault of the fault
matrix show what the definition states. Exits 0 if every check holds, else 1.

Example:
  usurp conform ./franklin.ts`;

function report(options: ConformOptions, terminal: Terminal): 0 | 1 {
  const names = loadedFiles()
    .flatMap(({ definitions }) => definitions)
    .flatMap(({ kind, name }) => (kind === 'protocol' ? [name] : []));
  if (names.length === 0) {
    throw new LabError(
      'arguments',
      'the file defines no protocol; export what defineProtocol({...}) returns',
    );
  }
  const reports = names.map((name): Report => {
    const protocol = findProtocol(name);
    if (protocol === null) throw new TypeError(`"name" expected a protocol, got ${name}`);
    const findings = withoutClock(() => conform({ protocol, seed: options.seed }));
    return { protocol: name, conforms: findings.every(({ holds }) => holds), findings };
  });
  terminal.print(wantsJson(options) ? JSON.stringify(reports) : reports.map(text).join('\n\n'));
  return reports.every(({ conforms }) => conforms) ? EXIT.holds : EXIT.violated;
}

function text({ protocol, conforms, findings }: Report): string {
  const rows = findings.map(({ check, holds, detail }) => [
    holds ? 'holds' : 'FAILS',
    check,
    detail,
  ]);
  return [`${protocol} ${conforms ? 'conforms' : 'does not conform'}`, columns(rows)].join('\n');
}

/** Makes clock and chance throw while the machines run, so that a use of them is found at once. */
function withoutClock<T>(work: () => T): T {
  const refuse = (what: string) => () => {
    throw new TypeError(`the machine calls ${what}; time and chance are events of a driver`);
  };
  const saved = { random: Math.random, now: Date.now, tick: performance.now };
  Math.random = refuse('Math.random');
  Date.now = refuse('Date.now');
  performance.now = refuse('performance.now');
  try {
    return work();
  } finally {
    Math.random = saved.random;
    Date.now = saved.now;
    performance.now = saved.tick;
  }
}
