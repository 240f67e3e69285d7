/**
 * @module
 * This folder contains what `usurp check` and `usurp cheapest-attack` do besides their operations (src/operations/check):
 * they write counterexamples, read node IDs, save searches and resume them, and let a person choose the actions.
 */

import type { Command } from 'commander';
import { Option } from 'commander';
import { bytesToHex } from '../../bytes.ts';
import { instanceOf } from '../../checking/check-request.ts';
import { LabError } from '../../errors.ts';
import { nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import type { Policy } from '../../identity/policy.ts';
import { CHEAPEST_ATTACK } from '../../operations/check/cheapest-attack.ts';
import type { CheckInput } from '../../operations/check/check.ts';
import { CHECK_OPERATION, checkRequestOf } from '../../operations/check/check.ts';
import { exampleIn } from '../../operations/check/example.ts';
import { nodeIdsIn } from '../../operations/identity/goals.ts';
import type { Machine } from '../../operations/machine.ts';
import { usedFiles } from '../../runtime/load/used-files.ts';
import { THIS_MACHINE } from '../../runtime/sweep/machine.ts';
import { explore } from '../../runtime/threads/explore.ts';
import { refuseSave } from '../elect/save.ts';
import type { TraceOptions } from '../elect/trace.ts';
import { refuseTrace, withTrace, writeTrace } from '../elect/trace.ts';
import { judgedClaims } from '../mine/claims-in.ts';
import type { Besides } from '../operations/operation-command.ts';
import { operationCommand } from '../operations/operation-command.ts';
import { duration, inFlags, memorySize } from '../shell/arguments.ts';
import { readText, writeWhole } from '../shell/files.ts';
import type { PolicyOptions } from '../shell/options.ts';
import { policyOf } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { walkByHand } from './interactive.ts';

interface FileOptions extends TraceOptions {
  readonly save?: string;
  readonly maxMemory: number;
}

interface CheckOptions extends FileOptions {
  readonly interactive?: true;
  readonly checkpoint?: string;
  /** Seconds. */
  readonly checkpointEvery: number;
  readonly resume?: string;
}

export function checkCommand(session: Session): Command {
  const besides: Besides<CheckOptions> = {
    flags(command) {
      withCheckpoints(withFiles(command)).option(
        '--interactive',
        'choose the actions by hand, one after the other',
      );
    },
    async enter(options) {
      const { checkpoint, resume } = options;
      await refuseSave(options);
      const isSaved = checkpoint !== undefined || resume !== undefined;
      return isSaved ? { reduction: 'off', symmetry: 'off' } : {};
    },
    async instead(input, options, terminal) {
      const asked = input as CheckInput; // The schema of the operation made it.
      refuseTogether(asked, options);
      const request = checkRequestOf(asked);
      await refuseTrace(options, instanceOf(request).cast.nodes);
      return options.interactive ? walkByHand(request, terminal) : null;
    },
    machine: machineWith,
    write: writerFor(CHECK_OPERATION.name),
  };
  return operationCommand(CHECK_OPERATION, session, besides);
}

export function cheapestAttackCommand(session: Session): Command {
  const besides: Besides<FileOptions & PolicyOptions & { readonly against?: string }> = {
    flags(command) {
      withFiles(command).addOption(
        new Option(
          '--against <file>',
          'file with the honest nodes, as node IDs, one per line, or as claims',
        ).conflicts(['nodes', 'seed', 'honest']),
      );
    },
    async enter(options, terminal) {
      await refuseSave(options);
      const { against } = options;
      return against === undefined ? {} : { honest: await honestIn(against, options, terminal) };
    },
    machine: (options, terminal) => machineWith({ ...options, checkpointEvery: 0 }, terminal),
    write: writerFor(CHEAPEST_ATTACK.name),
  };
  return operationCommand(CHEAPEST_ATTACK, session, besides);
}

function withFiles(command: Command): Command {
  return withTrace(command)
    .option('--save <file>', 'file to write a counterexample to, for usurp replay')
    .option('-f, --force', 'replace existing files of --trace and --save')
    .addOption(
      new Option(
        '--max-memory <size>',
        'memory of the check, such as 512MB, at which the search stops',
      )
        .argParser(memorySize)
        .default(2 * 2 ** 30, '2GB'),
    );
}

function withCheckpoints(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--checkpoint <file>',
        'file in which the search is saved at intervals and when it stops; turns reduction and symmetry off',
      ).conflicts(['interactive', 'walks']),
    )
    .addOption(
      new Option('--checkpoint-every <time>', 'time between two checkpoints')
        .argParser(duration)
        .default(60, '1m'),
    )
    .addOption(
      new Option('--resume <file>', 'file of --checkpoint whose search is continued').conflicts([
        'interactive',
        'walks',
      ]),
    );
}

/** Throws LabError `arguments` for a check of all rings where there must be one. */
function refuseTogether(
  { allRings }: CheckInput,
  { interactive, checkpoint, resume }: CheckOptions,
): void {
  const others = { ...(allRings && { checkpoint, resume, interactive }) };
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (other === undefined) return;
  const detail = `--${other} needs one ring: name its ranks instead of --all-rings`;
  throw new LabError('arguments', detail);
}

function machineWith(options: Omit<CheckOptions, keyof TraceOptions>, terminal: Terminal): Machine {
  return {
    ...THIS_MACHINE,
    check: (request, how) =>
      explore(
        request,
        { ...how, bytesMax: options.maxMemory },
        { ...options, onSaved: (text) => terminal.note(text) },
      ),
  };
}

/** Writes the counterexample of an output to the files that the options name. Reports if there is none. */
function writerFor(name: string): NonNullable<Besides<FileOptions>['write']> {
  return async ({ input, output }, options, terminal) => {
    const { save, trace, force } = options;
    const example = exampleIn(name, input, output);
    const files = [save, trace].filter((file) => file !== undefined);
    if (example === null) {
      if (files.length === 0) return;
      const verb = files.length === 1 ? 'was' : 'were';
      terminal.note(`${files.join(' and ')} ${verb} not written: there is no violation to show`);
      return;
    }
    await writeTrace(example.run, options, terminal);
    if (save === undefined) return;
    const text = example.text(usedFiles());
    await writeWhole(save, text, { force: force === true, isPrivate: false });
    terminal.note(`counterexample written to ${save}`);
  };
}

/** The node IDs in hex. Throws LabError `claim.refused` for a claim that the policy refuses. */
async function honestIn(
  file: string,
  options: PolicyOptions,
  terminal: Terminal,
): Promise<string[]> {
  const text = await readText(file, terminal);
  const policy = policyOf(options);
  const ids = text.trimStart().startsWith('{')
    ? await claimedIds(text, policy, file)
    : inFlags({ against: {} }, () => nodeIdsIn({ text, name: file }, nodeIdBytesOf(policy)));
  return ids.map(bytesToHex);
}

async function claimedIds(text: string, policy: Policy, name: string): Promise<Uint8Array[]> {
  const chunks = (async function* whole() {
    yield text;
  })();
  const ids: Uint8Array[] = [];
  for await (const { nodeId, verdict } of judgedClaims(chunks, policy, { all: false })) {
    if (!verdict.admitted) {
      const detail = `${name}: claim ${ids.length + 1} is refused under this policy: ${verdict.refusal}`;
      throw new LabError('claim.refused', detail);
    }
    ids.push(nodeId);
  }
  return ids;
}
